import { closeSync, openSync, readSync } from "node:fs";

const MOST_BYTES = 1024 * 1024;

/** The first lines of a text file, as many as are whole within its first megabyte; the last one also where the file ends in it. */
export function firstLines(path: string, most = 2): string[] {
  const bytes = Buffer.alloc(MOST_BYTES);
  const handle = openSync(path, "r");
  try {
    const length = readSync(handle, bytes, 0, MOST_BYTES, 0);
    const lines = bytes.toString("utf8", 0, length).split(/\r?\n/);
    if (length === MOST_BYTES) lines.pop();
    return lines.filter((line) => line !== "").slice(0, most);
  } finally {
    closeSync(handle);
  }
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
