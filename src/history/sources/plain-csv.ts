import { open } from "node:fs/promises";

/** A CSV file as its first line tells. */
export interface CsvFile {
  readonly path: string;
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
}

/** Of a file at a time: a line has to fit. */
const PIECE_BYTES = 256 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
/** Every byte from here on is a letter, a mark that no number has, or no ASCII. What is between the digits and it the database refuses. */
const LETTERS = 64;
const NO_DECIMAL = -1;

/**
 * Whether a database that reads decimals with so many places reads those of a CSV file exactly, which it does not say itself: each is digits with a
 * point at most among them, and what is past the places is zeros. Nothing in the file is quoted or spaced, so that a comma always ends a
 * field. False says nothing of the file, but that it has to be looked at as text.
 * @param places of the file's columns that hold decimals.
 * @param most bytes to look at.
 * @throws Error of the system when the file cannot be read
 */
export async function isPlainCsv(
  { path, columns, hasHeader }: CsvFile,
  places: Readonly<Record<string, number>>,
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const all = columns.map((name) => places[name] ?? NO_DECIMAL);
  const placesOf = Int32Array.from(all.slice(0, all.findLastIndex((each) => each !== NO_DECIMAL) + 1));
  // The last line may lack its end.
  const bytes = new Uint8Array(PIECE_BYTES + 1);
  const file = await open(path);
  try {
    let isFirst = hasHeader;
    let held = 0;
    for (let looked = 0; looked < most; ) {
      const { bytesRead } = await file.read(bytes, held, Math.min(PIECE_BYTES - held, most - looked));
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
      if (!arePlain(bytes, start, end, placesOf)) return false;
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
 * @param places of the columns up to the last that holds decimals.
 */
function arePlain(bytes: Uint8Array, start: number, end: number, places: Int32Array): boolean {
  let seen = 0;
  let at = start | 0;
  while (at < end) {
    for (let column = 0; column < places.length; column += 1) {
      const most = places[column] as number;
      if (most === NO_DECIMAL) {
        // What a field could be quoted or ended by is no greater than a comma.
        while ((bytes[at] as number) > COMMA) at = (at + 1) | 0;
      } else {
        const first = at;
        let byte = bytes[at] as number;
        while (byte >= ZERO) {
          seen |= byte;
          at = (at + 1) | 0;
          byte = bytes[at] as number;
        }
        if (at === first) return false;
        if (byte === POINT) {
          const exact = (at + most) | 0;
          at = (at + 1) | 0;
          byte = bytes[at] as number;
          while (byte >= ZERO) {
            if (at > exact && byte !== ZERO) return false;
            seen |= byte;
            at = (at + 1) | 0;
            byte = bytes[at] as number;
          }
        }
      }
      if (bytes[at] === COMMA) at = (at + 1) | 0;
      else if (column < places.length - 1) return false;
    }
    while ((bytes[at] as number) >= COMMA) at = (at + 1) | 0;
    if (bytes[at] === CARRIAGE_RETURN) at = (at + 1) | 0;
    if (bytes[at] !== LINE_FEED) return false;
    at = (at + 1) | 0;
  }
  return seen < LETTERS;
}
