import { open } from "node:fs/promises";
import { HistoryError } from "../history-errors.js";
import type { PlainFile } from "../unpack.js";
import { isParquet } from "./first-line.js";

/** Of a file at a time. */
const PIECE_BYTES = 256 * 1024;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];
/** What the database says of a CSV file with both ends, and of nothing else that is known. */
const LOST_ITS_WAY = "state machine reached an invalid state";

/** Does what reads a CSV file. @throws HistoryError naming the first line that ends otherwise than the first one does; whatever else `work` throws */
export async function oneLineEnd<T>({ file, path }: Pick<PlainFile, "file" | "path">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const line = cause instanceof Error && cause.message.includes(LOST_ITS_WAY) ? await firstOther(path) : undefined;
    if (line === undefined) throw cause;
    const [ends, first] = line.hasReturn ? ["CR LF", "LF"] : ["LF", "CR LF"];
    throw new HistoryError(file, `has lines of both ends: line ${line.number} ends with ${ends}`, {
      value: ends,
      expected: `${first} at the end of every line, as of the first`,
      cause,
    });
  }
}

/**
 * The database leaves out a last line of a CSV file that is longer than what it reads at a time, and says nothing.
 * @throws HistoryError for a CSV file with a stretch of {@link PIECE_BYTES} without the end of a line
 */
export async function refuseLongLines({ file, path }: Pick<PlainFile, "file" | "path">): Promise<void> {
  if (isParquet(path)) return;
  const bytes = Buffer.alloc(PIECE_BYTES);
  const handle = await open(path);
  try {
    for (let offset = 0; ; offset += PIECE_BYTES) {
      const { bytesRead } = await handle.read(bytes, 0, PIECE_BYTES, offset);
      if (bytesRead < PIECE_BYTES) return;
      if (bytes.lastIndexOf(LINE_FEED) !== -1) continue;
      throw new HistoryError(file, `has a line of more than ${PIECE_BYTES} bytes, which byte ${offset} is in`, {
        expected: "a record a line: a file that was cut may end with zeros",
      });
    }
  } finally {
    await handle.close();
  }
}

/** The first line, counted from one, that ends with a carriage return where the first does not, or without where it does. */
async function firstOther(path: string): Promise<{ readonly number: number; readonly hasReturn: boolean } | undefined> {
  const bytes = Buffer.alloc(PIECE_BYTES);
  const file = await open(path);
  try {
    let [number, before] = [0, -1];
    let first: boolean | undefined;
    for (;;) {
      const { bytesRead } = await file.read(bytes, 0, PIECE_BYTES);
      if (bytesRead === 0) return undefined;
      const piece = bytes.subarray(0, bytesRead);
      for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, at + 1)) {
        const hasReturn = (at === 0 ? before : piece[at - 1]) === CARRIAGE_RETURN;
        number += 1;
        first ??= hasReturn;
        if (hasReturn !== first) return { number, hasReturn };
      }
      before = piece[bytesRead - 1] as number;
    }
  } finally {
    await file.close();
  }
}
