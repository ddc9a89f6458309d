import { open } from "node:fs/promises";

/** What ends a field of a CSV file. */
export type Delimiter = (typeof DELIMITERS)[number];

/** A first line is divided by the one that it has most of, of as many by the first of these. */
export const DELIMITERS = [",", ";", "\t", "|"] as const;

/** How a CSV file is written, as its first line tells. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  readonly delimiter: Delimiter;
}

/** A CSV file as its first line tells. */
export interface CsvFile extends CsvTable {
  readonly path: string;
}

/** Of a file at a time: a line has to fit. */
const PIECE_BYTES = 1024 * 1024;
/** What is looked at together, also where the line ends with the first byte of them. */
const WORD_BYTES = 4;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
/** The same byte in each place of a word. */
const COMMAS = 0x2c2c2c2c;
const MINUSES = 0x2d2d2d2d;
const ZEROS = 0x30303030;
const HIGHEST_BITS = 0x80808080 | 0;
const NO_NUMBER = -1;

/**
 * Whether a database that reads numbers with so many places reads those of a CSV file exactly, which it does not say itself: each is digits with a
 * point at most among them, and what is past the places is zeros. Nothing in the file is quoted or spaced, so that a comma always ends a
 * field. False says nothing of the file, but that it has to be looked at as text.
 * @param places of the file's columns that hold numbers: none where they are whole.
 * @param most bytes to look at.
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
    for (let looked = 0; looked < most; ) {
      const { bytesRead } = await file.read(
        bytes,
        held,
        Math.min(PIECE_BYTES - held, most - looked),
      );
      looked += bytesRead;
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
 * Whether the lines from `start` to `end` are. Every byte of a history is looked at here: `| 0` spares the check that a place is still a small integer.
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
        // A stamp that nobody put there is null however it is read.
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

/** Where a field between others ends that holds no number: what it could be quoted or ended by is no greater than a comma. */
function endOfText(words: DataView, at: number): number {
  for (let from = at; ; from = (from + WORD_BYTES) | 0) {
    const below = marksBelow(words.getInt32(from, true), MINUSES);
    if (below !== 0) return (from + firstMarked(below)) | 0;
  }
}

/**
 * Where a line's last fields end, which hold no number. They are of as many lengths as a flag has, in no order: the place in the word is counted,
 * where a branch would be guessed wrongly every other time.
 */
function endOfLine(words: DataView, at: number): number {
  for (let from = at; ; from = (from + WORD_BYTES) | 0) {
    const below = marksBelow(words.getInt32(from, true), COMMAS);
    if (below !== 0) return (from + ((31 - Math.clz32(below & -below)) >> 3)) | 0;
  }
}

/** The highest bit of each byte of a word that is less than those of `least`. One that is borrows into its highest bit, which it has not set itself; what it borrows from the next one spoils only what comes after it. */
function marksBelow(word: number, least: number): number {
  return (word - least) & ~word & HIGHEST_BITS;
}

/** Where the first byte is from `at` on that is less than a zero, or has one of the two bits that a letter or what is no ASCII has. The database refuses what is left beside digits. */
function endOfDigits(words: DataView, at: number): number {
  for (let from = at; ; from = (from + WORD_BYTES) | 0) {
    const word = words.getInt32(from, true);
    const other = (((word - ZEROS) & ~word) | word | (word << 1)) & HIGHEST_BITS;
    if (other !== 0) return (from + firstMarked(other)) | 0;
  }
}

/** The first byte of a word, from its lowest, whose highest bit is set: by branches, since fields of a column are mostly as long as in the row before, and what is counted has to be waited for. */
function firstMarked(marks: number): number {
  if ((marks & 0x80) !== 0) return 0;
  if ((marks & 0x8000) !== 0) return 1;
  return (marks & 0x800000) !== 0 ? 2 : 3;
}
