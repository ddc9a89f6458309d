import { open } from "node:fs/promises";
import { BadRowsError, HistoryError } from "../../history-errors.js";
import type { PlainFile } from "../plain-file.js";
import { isWhole } from "./whole-numbers.js";

/** The fields to read of a record, each with the type that it is read as. */
export type JsonFields = Readonly<Record<string, string>>;

/** Bytes read at a time; more if a record is longer. */
const PIECE_BYTES = 256 * 1024;
/** Only every such byte is inspected: a number that a double would round has more digits. */
const STRIDE = 8;
/** The digits of any decimal that a double holds exactly (IEEE 754, 64 bits). */
const EXACT_DIGITS = 15;
const [LINE_FEED, SPACE, QUOTE, POINT, ZERO, NINE, COLON, BACKSLASH] = [
  10, 32, 34, 46, 48, 57, 58, 92,
];
const IN_NUMBER = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[0-9.eE+-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
/** Replaces a number whose field is searched for; it does not occur in the text of any market. */
const SOUGHT = "\u0001sought\u0001";

interface Inexact {
  readonly line: number;
  readonly field: string;
  readonly text: string;
}
/** A found number, by its index among the buffered bytes. */
type Found = Omit<Inexact, "line"> & { readonly at: number };

/**
 * Runs work that reads a file with one JSON record per line, and checks its numbers meanwhile. The
 * database converts a number with a point or an exponent to a double, and silently rounds it. A
 * field of whole numbers silently gets the nearest one. Quoted numbers are exact.
 * @param fields undefined for a file of another format.
 * @throws HistoryError naming the line, the field and the number; any other error that `work`
 * throws
 */
export async function withExactNumbers<T>(
  { file, path }: Pick<PlainFile, "file" | "path">,
  fields: JsonFields | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (fields === undefined) return work();
  const [done, scanned] = await Promise.allSettled([work(), firstInexact(path, fields)]);
  if (scanned.status === "rejected") throw scanned.reason;
  if (scanned.value !== undefined) {
    const { line, field, text } = scanned.value;
    const summary = `${field} in line ${line} is a number that JSON would round`;
    if (isWhole(fields[field] as string))
      throw new BadRowsError(
        file,
        summary,
        { line },
        { value: text, expected: "digits without a fraction" },
      );
    throw new HistoryError(file, summary, {
      value: text,
      expected: `at most ${EXACT_DIGITS} digits, or a string, such as "61800.30"; --round rounds it`,
    });
  }
  if (done.status === "rejected") throw done.reason;
  return done.value;
}

async function firstInexact(path: string, fields: JsonFields): Promise<Inexact | undefined> {
  let bytes = Buffer.alloc(PIECE_BYTES);
  const shorts = shortOnes(fields);
  const file = await open(path);
  try {
    let [line, held] = [1, 0];
    for (;;) {
      if (held === bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
      const { bytesRead } = await file.read(bytes, held, bytes.length - held);
      const end =
        bytesRead === 0 ? held : bytes.subarray(0, held + bytesRead).lastIndexOf(LINE_FEED) + 1;
      held += bytesRead;
      const found = firstOf(inexactIn(bytes, end, fields), brokenIn(bytes, end, fields, shorts));
      if (found !== undefined)
        return { ...found, line: line + linesIn(bytes.subarray(0, found.at)) };
      if (bytesRead === 0) return undefined;
      line += linesIn(bytes.subarray(0, end));
      bytes.copyWithin(0, end, held);
      held -= end;
    }
  } finally {
    await file.close();
  }
}

/**
 * Matches numbers with a fraction that are shorter than a stride, in fields whose whole numbers may
 * be short. A short stamp is refused elsewhere, and an id is read as text.
 */
function shortOnes(fields: JsonFields): RegExp | undefined {
  const names = Object.entries(fields).flatMap(([name, type]) =>
    type === "BIGINT" ? [JSON.stringify(name)] : [],
  );
  return names.length === 0
    ? undefined
    : new RegExp(`(?:${names.join("|")}) *: *(?=-?[0-9]{0,${STRIDE - 2}}[.eE])`, "g");
}

/** The first such number within whole lines. */
function brokenIn(
  bytes: Buffer,
  end: number,
  fields: JsonFields,
  shorts: RegExp | undefined,
): Found | undefined {
  if (shorts === undefined) return undefined;
  for (const match of bytes.toString("latin1", 0, end).matchAll(shorts)) {
    const from = match.index + match[0].length;
    let to = from;
    while (to < end && IN_NUMBER[bytes[to] as number] === 1) to += 1;
    const text = bytes.toString("latin1", from, to);
    const field = fieldAt(bytes, end, from, to);
    if (field !== undefined && fields[field] === "BIGINT" && (decimalOf(text)?.exponent ?? 0) < 0)
      return { field, text, at: from };
  }
  return undefined;
}

function firstOf(one: Found | undefined, other: Found | undefined): Found | undefined {
  return one === undefined || (other !== undefined && other.at < one.at) ? other : one;
}

/**
 * The first number within whole lines, among those that a stride hits, that changes as a double or
 * has a fraction in a field of whole numbers.
 */
function inexactIn(bytes: Buffer, end: number, fields: JsonFields): Found | undefined {
  for (let at = STRIDE - 1; at < end; at += STRIDE) {
    if (IN_NUMBER[bytes[at] as number] === 0) continue;
    let from = at;
    while (from > 0 && IN_NUMBER[bytes[from - 1] as number] === 1) from -= 1;
    let to = at + 1;
    while (to < end && IN_NUMBER[bytes[to] as number] === 1) to += 1;
    // The next number begins at least one byte later.
    at = to - 1;
    if (
      to - from < STRIDE ||
      from === 0 ||
      bytes[from - 1] === QUOTE ||
      !mayBeRounded(bytes, from, to, fields)
    )
      continue;
    const field = fieldAt(bytes, end, from, to);
    const type = field === undefined || !Object.hasOwn(fields, field) ? undefined : fields[field];
    if (field === undefined || type === undefined) continue;
    const text = bytes.toString("latin1", from, to);
    const number = decimalOf(text);
    const isExact = isWhole(type)
      ? (number?.exponent ?? 0) >= 0 && sameAsDouble(text)
      : sameAsDouble(text);
    if (!isExact) return { field, text, at: from };
  }
  return undefined;
}

/** True if a number may be rounded, so that finding its field is worth the time; nearly none is. */
function mayBeRounded(bytes: Buffer, from: number, to: number, fields: JsonFields): boolean {
  let [digits, isDouble] = [0, false];
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte >= ZERO && byte <= NINE) digits += digits > 0 || byte > ZERO ? 1 : 0;
    else isDouble ||= byte === POINT || byte > NINE;
  }
  if (!isDouble) return false;
  const key = keyBefore(bytes, from);
  if (key === undefined) return digits > EXACT_DIGITS;
  const type = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return type !== undefined && (digits > EXACT_DIGITS || isWhole(type));
}

/**
 * The plain name just before a value; undefined if something else is there, such as in an array.
 */
function keyBefore(bytes: Buffer, from: number): string | undefined {
  let at = from - 1;
  while (at > 0 && bytes[at] === SPACE) at -= 1;
  if (bytes[at] !== COLON) return undefined;
  at -= 1;
  while (at > 0 && bytes[at] === SPACE) at -= 1;
  if (bytes[at] !== QUOTE) return undefined;
  const start = bytes.lastIndexOf(QUOTE, at - 1);
  const isEscaped = bytes.subarray(start - 1, at).includes(BACKSLASH);
  return start < 0 || isEscaped ? undefined : bytes.toString("utf8", start + 1, at);
}

/**
 * The top-level field of the record that contains a number, at any depth; undefined if the number
 * is part of a text.
 */
function fieldAt(bytes: Buffer, end: number, from: number, to: number): string | undefined {
  const start = bytes.lastIndexOf(LINE_FEED, from) + 1;
  const after = bytes.indexOf(LINE_FEED, to);
  const line = `${bytes.toString("utf8", start, from)}${JSON.stringify(SOUGHT)}${bytes.toString("utf8", to, after < 0 || after > end ? end : after)}`;
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    // The database refuses a line that is not JSON even without the number.
    return undefined;
  }
  const sought = JSON.stringify(SOUGHT);
  return Object.entries(record as object).find(([, value]) =>
    JSON.stringify(value).includes(sought),
  )?.[0];
}

/**
 * A number's digits without zeros at either end, and their power of ten; undefined for other text.
 */
function decimalOf(
  text: string,
): { readonly digits: string; readonly exponent: number } | undefined {
  const [, sign, whole, part = "", power = "0"] =
    /^(-?)([0-9]+)(?:[.]([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const all = `${whole}${part}`.replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { digits: "0", exponent: 0 };
  return {
    digits: `${sign}${digits}`,
    exponent: Number(power) - part.length + all.length - digits.length,
  };
}

/**
 * True if a number prints the same after conversion to a double. The database refuses text that is
 * not a number.
 */
function sameAsDouble(text: string): boolean {
  const [written, printed] = [decimalOf(text), decimalOf(String(Number(text)))];
  return (
    written === undefined ||
    (written.digits === printed?.digits && written.exponent === printed.exponent)
  );
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1))
    lines += 1;
  return lines;
}
