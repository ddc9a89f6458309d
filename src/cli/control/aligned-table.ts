import { table } from "../process/output.js";

/** A column: its heading, its cells, and true if they are numbers. */
export interface TextColumn {
  readonly heading: string;
  readonly cells: readonly string[];
  /** Cells are aligned at the decimal point; the text after a number is its unit. */
  readonly isNumeric?: boolean;
}

/** Formats columns below their headings as lines of text. Columns without a cell are left out. */
export function alignedTable(columns: readonly TextColumn[]): string {
  const shown = columns
    .filter(({ cells }) => cells.some((cell) => cell !== ""))
    .map(({ heading, cells, isNumeric = false }) => [
      heading,
      ...(isNumeric ? alignAtPoint(cells) : cells),
    ]);
  const [first] = shown;
  return first === undefined
    ? ""
    : table(first.map((_, row) => shown.map((column) => column[row] ?? "")));
}

/** Pads numbers so that their decimal points are below each other. Other texts stay. */
export function alignAtPoint(cells: readonly string[]): readonly string[] {
  const parts = cells.map((cell) => /^([+-]?\d+)(\.\d+)?(.*)$/.exec(cell));
  const longest = (group: number): number =>
    Math.max(0, ...parts.map((part) => part?.[group]?.length ?? 0));
  const [whole, fraction] = [longest(1), longest(2)];
  return cells.map((cell, at) => {
    const part = parts[at];
    if (part === null || part === undefined) return cell;
    const number = `${(part[1] ?? "").padStart(whole)}${(part[2] ?? "").padEnd(fraction)}`;
    return `${number}${part[3] ?? ""}`;
  });
}
