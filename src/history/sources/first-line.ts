import { closeSync, openSync, readSync } from "node:fs";

const MOST_BYTES = 1024 * 1024;
/** Nearly every file has its first line in as many. */
const FEW_BYTES = 16 * 1024;

/** The first line of a text file that is not empty; undefined where none ends, with a line feed or with the file, within its first megabyte. */
export function firstLine(path: string): string | undefined {
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

/** Whether a file is Parquet by its first four bytes. */
export function isParquet(path: string): boolean {
  const bytes = Buffer.alloc(4);
  const handle = openSync(path, "r");
  try {
    return readSync(handle, bytes, 0, 4, 0) === 4 && bytes.toString("latin1") === "PAR1";
  } finally {
    closeSync(handle);
  }
}
