import {
  closeSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  readSync,
  writeSync,
} from "node:fs";
import { openPlainFile } from "../../core/files/plain-files.js";

/**
 * A file of JSON lines that only grows, mode 0600. A line is handed to the operating system at once and brought to the disk behind the
 * caller's back: a disk takes milliseconds for that, and what writes lines here is in the middle of answering a fill.
 */
export class GrowingFile {
  readonly #file: number;
  /** Lines were added that no request to the disk under way covers. */
  #isDirty = false;
  #isSyncing = false;
  #isClosed = false;
  #failure: NodeJS.ErrnoException | undefined;

  /** Opens the file, or makes it. A line that a crash cut short is cut off, so that the next one stands alone. @throws what the file system does. */
  constructor(path: string) {
    this.#file = openPlainFile(path, "a", 0o600);
    const tail = tornTail(path);
    if (tail.kind === "complete") writeAll(this.#file, "\n");
    if (tail.kind === "torn") ftruncateSync(this.#file, tail.length);
  }

  /** @throws what the file system does: now, or since the line before. */
  append(line: string): void {
    this.#throwFailure();
    const { size } = fstatSync(this.#file);
    try {
      writeAll(this.#file, `${line}\n`);
    } catch (error) {
      this.#cutTo(size);
      throw error;
    }
    this.#isDirty = true;
    if (!this.#isSyncing) this.#sync();
  }

  /** Everything is on the disk when this returns. @throws what the file system does, now or since the last line; the file is closed all the same. */
  close(): void {
    this.#isClosed = true;
    try {
      this.#throwFailure();
      fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }

  /** A disk that is full has taken half of a line: the next one, once there is room again, shall not stand in it. */
  #cutTo(size: number): void {
    try {
      ftruncateSync(this.#file, size);
    } catch (error) {
      this.#failure = error as NodeJS.ErrnoException;
    }
  }

  #sync(): void {
    this.#isDirty = false;
    this.#isSyncing = true;
    fsync(this.#file, (error) => {
      this.#isSyncing = false;
      // What `close` has done is done: the descriptor may be another file's by now.
      if (this.#isClosed) return;
      if (error !== null) this.#failure = error;
      else if (this.#isDirty) this.#sync();
    });
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** Writes a text whole, however many calls that takes. */
export function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** The last lines of a file, of at most `maxBytes`; the last one may be cut short. @throws what the file system does. */
export function lastLines(path: string, maxBytes: number): string {
  const file = openPlainFile(path, "r");
  try {
    return linesAtEnd(endOf(file, fstatSync(file).size, maxBytes + 1), maxBytes);
  } finally {
    closeSync(file);
  }
}

/** The last bytes of a file of `size`, `most` of them where it has as many. */
function endOf(file: number, size: number, most: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, most));
  let read = 0;
  for (let more = 1; more > 0 && read < bytes.length; read += more)
    more = readSync(file, bytes, read, bytes.length - read, size - bytes.length + read);
  return bytes.subarray(0, read);
}

/** The end of a text without the line that its beginning is cut from, where it is longer than `maxBytes`. */
export function linesAtEnd(bytes: Buffer, maxBytes: number): string {
  if (bytes.length <= maxBytes) return bytes.toString("utf8");
  const end = bytes.subarray(bytes.length - maxBytes - 1);
  const feed = end.indexOf(0x0a);
  return feed === -1 ? "" : end.subarray(feed + 1).toString("utf8");
}

/** Whether a text is JSON. */
function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** How a log ends: with a whole line, with one that lacks only its line feed, or in the middle of one. Its end alone is read: a record of months is longer than one read may be. */
function tornTail(
  path: string,
): { readonly kind: "whole" | "complete" } | { readonly kind: "torn"; readonly length: number } {
  const file = openPlainFile(path, "r");
  try {
    const { size } = fstatSync(file);
    for (let most = END_BYTES; ; most *= 2) {
      const end = endOf(file, size, most);
      const feed = end.lastIndexOf(0x0a);
      if (feed === -1 && most < size) continue;
      const last = end.subarray(feed + 1);
      if (last.length === 0) return { kind: "whole" };
      return isJson(last.toString("utf8"))
        ? { kind: "complete" }
        : { kind: "torn", length: size - last.length };
    }
  } finally {
    closeSync(file);
  }
}

/** What of the end is read first: most lines are shorter. */
const END_BYTES = 65_536;
