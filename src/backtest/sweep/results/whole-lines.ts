import { closeSync, readSync } from "node:fs";
import { openPlainFile } from "../../../core/files/plain-files.js";

/** A line that was ended, and where the next one begins, in bytes. */
export interface WholeLine {
  readonly text: string;
  readonly endByte: number;
}

/** Of a file at a time. */
const PIECE_BYTES = 1024 * 1024;
const LINE_FEED = 10;

/** The lines of a file that were ended, one after the other: a file may be longer than any text. @throws Error of the system when it cannot be read */
export function* wholeLines(path: string): Generator<WholeLine, void> {
  const handle = openPlainFile(path, "r");
  try {
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    let begun: Buffer[] = [];
    let endByte = 0;
    for (;;) {
      const read = piece.subarray(0, readSync(handle, piece, 0, PIECE_BYTES, null));
      if (read.length === 0) return;
      let from = 0;
      for (let end = read.indexOf(LINE_FEED); end !== -1; end = read.indexOf(LINE_FEED, from)) {
        const line = Buffer.concat([...begun, read.subarray(from, end)]);
        begun = [];
        from = end + 1;
        endByte += line.length + 1;
        yield { text: line.toString("utf8"), endByte };
      }
      begun.push(Buffer.from(read.subarray(from)));
    }
  } finally {
    closeSync(handle);
  }
}
