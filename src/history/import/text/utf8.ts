import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { ConfigError } from "../../../core/errors.js";
import { HistoryError } from "../../history-errors.js";
import type { PlainFile } from "../plain-file.js";
import { isParquet, isUtf16 } from "./first-line.js";

/** Bytes read at a time. */
const PIECE_BYTES = 256 * 1024;
const LINE_FEED = 10;
/** The most bytes of one character. */
const CHARACTER_BYTES = 4;

/**
 * Runs work that reads a text file, and checks the file's bytes if it fails. The database reports
 * invalid UTF-8 in many ways, and may crash on it.
 * @throws HistoryError naming the first byte that is not UTF-8; any error that `work` throws for a
 * file that is UTF-8, or for an invalid option
 */
export async function withUtf8Check<T>(
  { file, path }: Pick<PlainFile, "file" | "path">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The work has already reported UTF-16 before it read further.
    if (error instanceof ConfigError || isParquet(path) || isUtf16(path)) throw error;
    const stray = await firstStray(path);
    if (stray === undefined) throw error;
    throw new HistoryError(
      file,
      `is not UTF-8 in line ${stray.line}, at byte ${stray.offset} of the file`,
      {
        value: stray.bytes,
        expected: "text in UTF-8",
        cause: error,
      },
    );
  }
}

/** The first byte of a file that begins no character, with its line, counted from 1. */
async function firstStray(
  path: string,
): Promise<{ readonly line: number; readonly offset: number; readonly bytes: string } | undefined> {
  const bytes = Buffer.alloc(PIECE_BYTES + CHARACTER_BYTES);
  const file = await open(path);
  try {
    let [line, offset, held] = [1, 0, 0];
    for (;;) {
      const { bytesRead } = await file.read(bytes, held, PIECE_BYTES);
      held += bytesRead;
      if (held === 0) return undefined;
      const end = bytesRead === 0 ? held : held - begunIn(bytes.subarray(0, held));
      const piece = bytes.subarray(0, end);
      const stray = isUtf8(piece) ? end : firstStrayIn(piece);
      line += linesIn(piece.subarray(0, stray));
      if (stray < end)
        return {
          line,
          offset: offset + stray,
          bytes: `0x${piece.toString("hex", stray, stray + 1)}`,
        };
      bytes.copyWithin(0, end, held);
      offset += end;
      held -= end;
    }
  } finally {
    await file.close();
  }
}

/** The number of bytes at the end that may be an incomplete character. */
function begunIn(bytes: Buffer): number {
  for (let back = 1; back < CHARACTER_BYTES && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function firstStrayIn(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const length = lengthOf(bytes[at] as number);
    if (at + length > bytes.length || !isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
}

/** The length of the character that a byte begins. */
function lengthOf(first: number): number {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1))
    lines += 1;
  return lines;
}
