import { closeSync, openSync, readSync } from "node:fs";

const MOST_BYTES = 1024 * 1024;
/** Enough bytes for the first line of nearly every file. */
const FEW_BYTES = 16 * 1024;

/**
 * The first line of a text file that is not empty; undefined if no line ends, by a line feed or the
 * file's end, within the first megabyte.
 */
export function readFirstLine(path: string): string | undefined {
  const handle = openSync(path, "r");
  try {
    return firstWithin(handle, FEW_BYTES) ?? firstWithin(handle, MOST_BYTES);
  } finally {
    closeSync(handle);
  }
}

function firstWithin(handle: number, bytes: number): string | undefined {
  const text = Buffer.alloc(bytes);
  const length = readSync(handle, text, 0, bytes, 0);
  const lines = text.toString("utf8", 0, length).split(/\r?\n/);
  if (length === bytes) lines.pop();
  return lines.find((line) => line !== "");
}

/**
 * True if a text is written in UTF-16, by its byte order mark (Unicode, section 23.8), or without
 * one by the zero beside its first letter.
 */
export function isUtf16(path: string): boolean {
  const [one, other] = firstBytes(path, 2);
  if (one === undefined || other === undefined) return false;
  return (
    (one === 0xff && other === 0xfe) ||
    (one === 0xfe && other === 0xff) ||
    (one === 0) !== (other === 0)
  );
}

/** True if a file is Parquet, by its first four bytes. */
export function isParquet(path: string): boolean {
  return firstBytes(path, 4).toString("latin1") === "PAR1";
}

function firstBytes(path: string, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  const handle = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(handle, bytes, 0, count, 0));
  } finally {
    closeSync(handle);
  }
}
