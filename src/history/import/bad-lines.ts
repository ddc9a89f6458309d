import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { HistoryError } from "../history-errors.js";
import { type Duck, literal } from "../store/duck.js";
import type { PlainFile } from "./plain-file.js";

/** The layout of a file's lines. */
export interface LinedFile {
  readonly hasHeader: boolean;
  /** The fields of a CSV file, from its first line; absent if each line is a JSON record. */
  readonly fields?: { readonly count: number; readonly delimiter: string };
}

/** The numbers of a file's lines to leave out, from 1. */
export type Lines = ReadonlySet<number>;

/**
 * Reads a file's lines with their line ends, one buffer of lines at a time. Characters are bytes.
 */
async function* linesIn(path: string): AsyncGenerator<readonly string[], void> {
  let rest = "";
  for await (const piece of createReadStream(path, {
    encoding: "latin1",
    highWaterMark: 1 << 20,
  }) as AsyncIterable<string>) {
    const end = piece.lastIndexOf("\n") + 1;
    if (end === 0) {
      rest += piece;
      continue;
    }
    yield (rest + piece.slice(0, end)).split(/(?<=\n)/);
    rest = piece.slice(end);
  }
  if (rest !== "") yield [rest];
}

/**
 * Finds the lines of a file that are not rows: a CSV line with another number of fields than the
 * first, or a line that is not a JSON record.
 * @param most lines to find.
 * @throws HistoryError naming a line of a CSV file whose quote does not end in the same line
 */
export async function brokenLines(
  duck: Duck,
  { file, path }: PlainFile,
  { hasHeader, fields }: LinedFile,
  most: number,
): Promise<Lines> {
  const broken = new Set<number>();
  let number = 0;
  for await (const lines of linesIn(path)) {
    for (const line of lines) {
      number += 1;
      const text = line.trimEnd();
      if (text === "" || (hasHeader && number === 1)) continue;
      const isRow =
        fields === undefined
          ? await isRecord(duck, text)
          : isOfFields(withoutEnd(line), fields, file, number);
      if (!isRow) broken.add(number);
      if (broken.size > most) return broken;
    }
  }
  return broken;
}

/**
 * Copies a file without some of its lines, or some of its rows by number. The rest is copied byte
 * for byte.
 * @returns for each omitted row, ascending, the number of rows before it. A line that is not a row
 * counts as one.
 */
export async function copyWithout(
  path: string,
  { hasHeader, fields }: LinedFile,
  left: { readonly lines: Lines } | { readonly rows: ReadonlySet<number> },
  target: string,
): Promise<number[]> {
  const before: number[] = [];
  const copy = await open(target, "w", 0o600);
  try {
    let [number, row] = [0, 0];
    for await (const lines of linesIn(path)) {
      const kept = lines.filter((line) => {
        number += 1;
        if (
          (hasHeader && number === 1) ||
          (fields === undefined ? line.trim() : withoutEnd(line)) === ""
        )
          return true;
        row += 1;
        const isKept = !("lines" in left ? left.lines.has(number) : left.rows.has(row));
        if (!isKept) before.push(row - 1);
        return isKept;
      });
      await copy.writeFile(kept.join(""), "latin1");
    }
  } finally {
    await copy.close();
  }
  return before;
}

/**
 * The database also reads values that JSON lacks, such as NaN, so it decides about lines that JSON
 * refuses.
 */
async function isRecord(duck: Duck, text: string): Promise<boolean> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    const json = literal(text);
    const { isRecord: is } = await duck.row(
      `SELECT CASE WHEN json_valid(${json}) THEN json_type(${json}) = 'OBJECT' ELSE false END AS isRecord`,
    );
    return is === true;
  }
}

/**
 * Returns a test of a line's number of fields. A delimiter at the end of the line begins no further
 * field, as in the database.
 */
function isOfFields(
  text: string,
  { count, delimiter }: NonNullable<LinedFile["fields"]>,
  file: string,
  number: number,
): boolean {
  const whole = text.endsWith(delimiter) ? [count, count + 1] : [count];
  if (!text.includes('"')) return whole.includes(text.split(delimiter).length);
  const unquoted = text.split(/"((?:[^"]|"")*)"/).filter((_, at) => at % 2 === 0);
  const isUnderstood =
    !unquoted.some((part) => part.includes('"')) &&
    unquoted.every(
      (part, at) =>
        (at === 0 || part === "" || part.startsWith(delimiter)) &&
        (at === unquoted.length - 1 || part === "" || part.endsWith(delimiter)),
    );
  if (!isUnderstood)
    throw new HistoryError(
      file,
      `has an unexpected quote in line ${number}, so --drop-bad-rows cannot skip rows`,
      {
        value: text.slice(0, 80),
        expected: "fields without quotes, or fields quoted as a whole within one line",
      },
    );
  return whole.includes(unquoted.join("").split(delimiter).length);
}

function withoutEnd(line: string): string {
  return line.replace(/\r?\n$/, "");
}
