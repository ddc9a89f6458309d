import { open } from "node:fs/promises";

/** The delimiter of a CSV file's fields. */
export type Delimiter = (typeof DELIMITERS)[number];

/**
 * The delimiter with the most occurrences in the first line divides it; of equal counts, the first
 * in this list.
 */
export const DELIMITERS = [",", ";", "\t", "|"] as const;

/** The format of a CSV file, from its first line. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  readonly delimiter: Delimiter;
}

/** A CSV file, as its first line describes it. */
export interface CsvFile extends CsvTable {
  readonly path: string;
}

/** Bytes read at a time; a line has to fit. */
const PIECE_BYTES = 1024 * 1024;
/** The bytes inspected together, also if the line ends with the first of them. */
const WORD_BYTES = 4;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
/** The same byte in each position of a word. */
const COMMAS = 0x2c2c2c2c;
const MINUSES = 0x2d2d2d2d;
const ZEROS = 0x30303030;
const HIGHEST_BITS = 0x80808080 | 0;
const NO_NUMBER = -1;

/**
 * Returns true if a database that reads numbers with the given decimal places reads those of a CSV
 * file exactly; the database itself does not report this. Each number must consist of digits and at
 * most one point, with only zeros beyond the places. Nothing in the file may be quoted or spaced,
 * so that a comma always ends a field. False only means that the file has to be read as text.
 * @param places of the file's columns that hold numbers: none if they are whole.
 * @param most bytes to inspect.
 * @throws Error of the system when the file cannot be read
 */
export async function isPlainCsv(
  { path, columns, hasHeader, delimiter }: CsvFile,
  places: Readonly<Record<string, number>>,
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  if (delimiter !== ",") return false;
  const all = columns.map((name) => places[name] ?? NO_NUMBER);
  const placesOf = Int32Array.from(
    all.slice(0, all.findLastIndex((each) => each !== NO_NUMBER) + 1),
  );
  // The last line may lack its end.
  const bytes = new Uint8Array(PIECE_BYTES + 1 + WORD_BYTES);
  const words = new DataView(bytes.buffer);
  const file = await open(path);
  try {
    let isFirst = hasHeader;
    let held = 0;
    for (let scanned = 0; scanned < most; ) {
      const { bytesRead } = await file.read(
        bytes,
        held,
        Math.min(PIECE_BYTES - held, most - scanned),
      );
      scanned += bytesRead;
      held += bytesRead;
      if (bytesRead === 0) {
        if (held === 0) return true;
        bytes[held] = LINE_FEED;
        held += 1;
      }
      const end = held === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, held - 1) + 1;
      if (end === 0) return false;
      const start = isFirst ? bytes.indexOf(LINE_FEED) + 1 : 0;
      isFirst = false;
      if (!arePlain(bytes, words, start, end, placesOf)) return false;
      bytes.copyWithin(0, end, held);
      held -= end;
    }
    return true;
  } finally {
    await file.close();
  }
}

/**
 * True if the lines from `start` to `end` are plain. Every byte of a history passes here: `| 0`
 * avoids the check that an index is still a small integer.
 * @param words the same bytes.
 * @param places of the columns up to the last that holds a number.
 */
function arePlain(
  bytes: Uint8Array,
  words: DataView,
  start: number,
  end: number,
  places: Int32Array,
): boolean {
  let at = start | 0;
  while (at < end) {
    for (let column = 0; column < places.length; column = (column + 1) | 0) {
      const most = places[column] as number;
      if (most === NO_NUMBER) {
        at = endOfText(words, at);
      } else {
        const first = at;
        at = endOfDigits(words, at);
        // A missing stamp is null however it is read.
        if (at === first && (most !== 0 || bytes[at] === POINT)) return false;
        if (bytes[at] === POINT) {
          const exact = (at + most + 1) | 0;
          at = endOfDigits(words, (at + 1) | 0);
          for (let past = exact; past < at; past = (past + 1) | 0)
            if (bytes[past] !== ZERO) return false;
        }
      }
      const byte = bytes[at] as number;
      if (byte === COMMA) at = (at + 1) | 0;
      else if (column < places.length - 1 || byte > COMMA) return false;
    }
    at = endOfLine(words, at);
    if (bytes[at] === CARRIAGE_RETURN) at = (at + 1) | 0;
    if (bytes[at] !== LINE_FEED) return false;
    at = (at + 1) | 0;
  }
  return true;
}

/**
 * The end of an inner field that holds no number. Every byte that could quote or end it is at most
 * a comma.
 */
function endOfText(words: DataView, at: number): number {
  for (let from = at; ; from = (from + WORD_BYTES) | 0) {
    const below = marksBelow(words.getInt32(from, true), MINUSES);
    if (below !== 0) return (from + firstMarked(below)) | 0;
  }
}

/**
 * The end of a line's last fields, which hold no numbers. Their length varies at random, as a
 * flag's does. The position in the word is computed, since a branch would be mispredicted every
 * other time.
 */
function endOfLine(words: DataView, at: number): number {
  for (let from = at; ; from = (from + WORD_BYTES) | 0) {
    const below = marksBelow(words.getInt32(from, true), COMMAS);
    if (below !== 0) return (from + ((31 - Math.clz32(below & -below)) >> 3)) | 0;
  }
}

/**
 * Sets the highest bit of each byte of a word that is less than the byte of `least`. A byte that
 * borrows sets its own highest bit. A borrow from the next byte spoils only later bytes.
 */
function marksBelow(word: number, least: number): number {
  return (word - least) & ~word & HIGHEST_BITS;
}

/**
 * The index of the first byte from `at` on that is less than a zero, or has one of the two bits
 * that letters and bytes beyond ASCII have. The database refuses the other characters beside
 * digits.
 */
function endOfDigits(words: DataView, at: number): number {
  for (let from = at; ; from = (from + WORD_BYTES) | 0) {
    const word = words.getInt32(from, true);
    const other = (((word - ZEROS) & ~word) | word | (word << 1)) & HIGHEST_BITS;
    if (other !== 0) return (from + firstMarked(other)) | 0;
  }
}

/**
 * The index of the first byte, from the lowest, whose highest bit is set. It uses branches: a field
 * mostly has the same length as in the previous row, while a computed index stalls the processor.
 */
function firstMarked(marks: number): number {
  if ((marks & 0x80) !== 0) return 0;
  if ((marks & 0x8000) !== 0) return 1;
  return (marks & 0x800000) !== 0 ? 2 : 3;
}
