/** Style of a piece of a screen line. */
export type Style = "plain" | "dim" | "bold" | "green" | "red" | "yellow" | "cyan" | "inverse";

/** A piece of a line: its text, without control characters once drawn, and its style. */
export type Span = readonly [text: string, style?: Style];

/** One line of the screen. */
export type Line = readonly Span[];

const CODES: Readonly<Record<Style, string>> = {
  plain: "",
  dim: "\x1b[2m",
  bold: "\x1b[1m",
  green: "\x1b[32m",
  red: "\x1b[31m",
  yellow: "\x1b[33m",
  cyan: "\x1b[36m",
  inverse: "\x1b[7m",
};

/** Text from outside (an exchange's message, a file's name) must not move the cursor. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, " ");
}

/** Cuts or pads a line to exactly `width` columns; a cut line ends in an ellipsis. */
export function fitToWidth(line: Line, width: number): Line {
  const spans: Span[] = [];
  let left = width;
  for (const [raw, style] of line) {
    const text = [...printable(raw)];
    if (text.length <= left) {
      spans.push([text.join(""), style]);
      left -= text.length;
      continue;
    }
    if (left > 0) spans.push([`${text.slice(0, left - 1).join("")}…`, style]);
    return spans;
  }
  if (left > 0) spans.push([" ".repeat(left)]);
  return spans;
}

/** Number of columns of a line. */
export function widthOfLine(line: Line): number {
  return line.reduce((sum, [text]) => sum + [...text].length, 0);
}

/**
 * Packs pieces into as few lines as hold them whole, with a gap between them.
 * @param most the last of so many lines takes all that is left, however long it becomes
 */
export function packLines(
  pieces: readonly Line[],
  width: number,
  gap: number,
  most = Number.POSITIVE_INFINITY,
): Line[] {
  const lines: Line[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    const isRoom =
      last !== undefined &&
      (lines.length >= most || widthOfLine(last) + gap + widthOfLine(piece) <= width);
    if (isRoom) lines[lines.length - 1] = [...last, [" ".repeat(gap)], ...piece];
    else lines.push(piece);
  }
  return lines;
}

/** Renders a line as terminal text. */
export function renderLine(line: Line, color: boolean): string {
  return line
    .map(([text, style = "plain"]) =>
      color && style !== "plain" && text !== "" ? `${CODES[style]}${text}\x1b[0m` : text,
    )
    .join("");
}

/** Joins panels side by side, each of its own width, with a gap. */
export function joinPanels(
  panels: readonly (readonly Line[])[],
  widths: readonly number[],
  gap: number,
): Line[] {
  const rows = Math.max(0, ...panels.map((panel) => panel.length));
  return Array.from({ length: rows }, (_, row) =>
    panels.flatMap((panel, index) => [
      ...fitToWidth(panel[row] ?? [], widths[index] ?? 0),
      ...(index < panels.length - 1 ? [[" ".repeat(gap)] as const] : []),
    ]),
  );
}

/** Colours a signed decimal string by its sign. */
export function colorBySign(text: string): Span {
  if (isZero(text)) return [text, "plain"];
  return text.startsWith("-") ? [text, "red"] : [text.startsWith("+") ? text : `+${text}`, "green"];
}

/** Returns true if a decimal string is zero. */
export function isZero(text: string): boolean {
  return /^[+-]?0*(\.0*)?$/.test(text);
}
