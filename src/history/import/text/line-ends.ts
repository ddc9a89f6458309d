import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { HistoryError } from "../../history-errors.js";
import type { PlainFile } from "../plain-file.js";

/** Bytes read at a time. */
const PIECE_BYTES = 256 * 1024;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];
/** The database's message for a CSV file with both line ends; no other known cause gives it. */
const LOST_ITS_WAY = "state machine reached an invalid state";

/**
 * Runs work that reads a CSV file.
 * @throws HistoryError naming the first line with another line end than the first line; any other
 * error that `work` throws
 */
export async function withLineEndCheck<T>(
  { file, path }: Pick<PlainFile, "file" | "path">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes(LOST_ITS_WAY))) throw cause;
    const line = await firstOther(path);
    if (line === undefined) throw await returnWithin(file, path, cause);
    const [ends, first] = line.hasReturn ? ["CR LF", "LF"] : ["LF", "CR LF"];
    throw new HistoryError(file, `mixes line ends: line ${line.number} ends with ${ends}`, {
      value: ends,
      expected: `${first} at the end of every line, as in the first`,
      cause,
    });
  }
}

/** The error if all lines end alike. */
async function returnWithin(file: string, path: string, cause: Error): Promise<Error> {
  let line = 1;
  let before = -1;
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of piece) {
      if (before === CARRIAGE_RETURN && byte !== LINE_FEED)
        return new HistoryError(file, `has a carriage return within line ${line}`, {
          expected: "lines that end with a line feed, with or without a carriage return before it",
          cause,
        });
      if (byte === LINE_FEED) line += 1;
      before = byte;
    }
  }
  return cause;
}

/**
 * The finding for a CSV file whose last line has no line end, since a truncated number is still a
 * number; empty otherwise.
 */
export function endFindings(path: string): string[] {
  const handle = openSync(path, "r");
  try {
    const { size } = fstatSync(handle);
    const last = Buffer.alloc(1);
    const isEnded =
      size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === LINE_FEED;
    return isEnded
      ? []
      : [
          "its last line has no line end: if the file was cut off, the last number of its last record is incomplete",
        ];
  } finally {
    closeSync(handle);
  }
}

/**
 * Refuses a file with an overlong last line. The database silently omits a last line longer than
 * its buffer; with a line of zeros it takes minutes to fail.
 * @throws HistoryError for a CSV file whose last line is longer than {@link PIECE_BYTES}
 */
export function refuseLongEnd({ file, path }: Pick<PlainFile, "file" | "path">): void {
  const handle = openSync(path, "r");
  try {
    const from = fstatSync(handle).size - 1 - PIECE_BYTES;
    if (from < 0) return;
    const bytes = Buffer.alloc(PIECE_BYTES);
    const read = readSync(handle, bytes, 0, PIECE_BYTES, from);
    if (bytes.subarray(0, read).includes(LINE_FEED)) return;
    throw new HistoryError(file, `has a last line of more than ${PIECE_BYTES} bytes`, {
      expected: "one record on each line; a file that was cut off may end with zeros",
    });
  } finally {
    closeSync(handle);
  }
}

/**
 * The first line, counted from 1, that differs from the first line in ending with a carriage
 * return.
 */
async function firstOther(
  path: string,
): Promise<{ readonly number: number; readonly hasReturn: boolean } | undefined> {
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
