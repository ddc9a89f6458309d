import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  readSync,
  renameSync,
} from "node:fs";
import { dirname } from "node:path";
import { RunError } from "../errors.js";
import { syncPath, writeAll } from "./atomic-file.js";
import { readPathKind } from "./path-kind.js";
import { openPlainFile } from "./plain-files.js";

/**
 * When a log's lines are on the disk itself, where they outlive the machine's power. What `append`
 * returned from is with the operating system under every policy, so that no end of the process
 * loses it.
 *
 * - `each`: before `append` returns.
 * - `behind`: a moment later, while the caller goes on, and when `close` returns.
 * - `closing`: when `close` returns.
 * - `never`: when the system sees fit.
 */
export type SyncPolicy = "each" | "behind" | "closing" | "never";

/**
 * What becomes of a last line without its line feed when a log is opened: `drop` cuts it off, since
 * whoever wrote it was never told that it is there; `keep-json` ends it where it is whole JSON.
 */
type UnendedLine = "drop" | "keep-json";

/**
 * A file of lines that only grows. One process at a time: the caller sees to that.
 *
 * When the disk refuses a line of a log that is synced `each` or `behind`, the part that it took is
 * cut off, and the next line may follow once there is room. A log of the other policies counts as a
 * whole: it keeps the part and takes no more.
 */
export class AppendOnlyFile {
  readonly #file: number;
  readonly #policy: SyncPolicy;
  /** Lines were added that no sync under way covers. */
  #isDirty = false;
  #isSyncing = false;
  #isClosed = false;
  #failure: unknown;

  /** @param file the descriptor of a file that is open for writing, from now on this object's. */
  constructor(file: number, policy: SyncPolicy) {
    this.#file = file;
    this.#policy = policy;
  }

  /**
   * Goes on after the last whole line of a file, or makes it, mode 0600.
   * @throws NotPlainFile, or what the file system does.
   */
  static open(path: string, policy: SyncPolicy, unended: UnendedLine = "drop"): AppendOnlyFile {
    const file = openPlainFile(path, "a+", 0o600);
    try {
      endLastLine(file, unended);
      if (policy === "each") {
        fsyncSync(file);
        // A name is on the disk when its folder is.
        syncPath(dirname(path));
      }
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return new AppendOnlyFile(file, policy);
  }

  /** Why nothing can be appended any more; undefined while it can. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * @param lines one or more, each with its line feed.
   * @throws what the file system does: now, or since the lines before; RunError when it is closed.
   */
  append(lines: string | Buffer): void {
    if (this.#failure !== undefined) throw this.#failure;
    // The descriptor may be another file's by now.
    if (this.#isClosed) throw new RunError("is closed", { field: "log", expected: "an open log" });
    const isEachWhole = this.#policy === "each" || this.#policy === "behind";
    const before = isEachWhole ? fstatSync(this.#file).size : 0;
    try {
      writeAll(this.#file, lines);
      if (this.#policy === "each") fsyncSync(this.#file);
    } catch (error) {
      if (isEachWhole) this.#cutTo(before);
      else this.#failure = error;
      throw error;
    }
    if (this.#policy !== "behind") return;
    this.#isDirty = true;
    if (!this.#isSyncing) this.#syncBehind();
  }

  /**
   * Closes the file, whose lines are on the disk by then unless the policy is `never`. A second
   * time does nothing.
   * @throws what the file system does, now or since the last lines; the file is closed all the
   * same.
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      if (this.#policy !== "behind" && this.#policy !== "closing") return;
      if (this.#failure !== undefined) throw this.#failure;
      // A terminal or a device has no disk.
      if (fstatSync(this.#file).isFile()) fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }

  /** Closes the file as it is. */
  abandon(): void {
    if (!this.#isClosed) closeSync(this.#file);
    this.#isClosed = true;
  }

  #cutTo(size: number): void {
    try {
      ftruncateSync(this.#file, size);
    } catch (error) {
      // The next line would stand in the half of this one.
      this.#failure = error;
    }
  }

  #syncBehind(): void {
    this.#isDirty = false;
    this.#isSyncing = true;
    fsync(this.#file, (error) => {
      this.#isSyncing = false;
      // After `close` the descriptor may be another file's.
      if (this.#isClosed) return;
      if (error !== null) this.#failure = error;
      else if (this.#isDirty) this.#syncBehind();
    });
  }
}

const LINE_FEED = 0x0a;
/** Bytes of a file at a time. */
const PIECE_BYTES = 1024 * 1024;
/** Bytes of a file's end that are read first: most lines are shorter. */
const END_BYTES = 65_536;

/**
 * The whole lines of a file, one after the other, since a file may be longer than any string.
 * @throws what the file system does.
 */
export function* readWholeLines(path: string): Generator<string, void> {
  const file = openPlainFile(path, "r");
  try {
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    let begun: Buffer[] = [];
    for (;;) {
      const read = piece.subarray(0, readSync(file, piece, 0, PIECE_BYTES, null));
      if (read.length === 0) return;
      let from = 0;
      for (let end = read.indexOf(LINE_FEED); end !== -1; end = read.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...begun, read.subarray(from, end)]).toString("utf8");
        begun = [];
        from = end + 1;
      }
      begun.push(Buffer.from(read.subarray(from)));
    }
  } finally {
    closeSync(file);
  }
}

/**
 * The last whole line of a file; an empty text where there is none.
 * @throws what the file system does.
 */
export function readLastLine(path: string): string {
  const file = openPlainFile(path, "r");
  try {
    const { size } = fstatSync(file);
    const end = size - lineBefore(file, size).length;
    return end === 0 ? "" : lineBefore(file, end - 1).toString("utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * The last lines of a file, of at most `maxBytes`; the last one may be cut short.
 * @throws what the file system does.
 */
export function readLastLines(path: string, maxBytes: number): string {
  const file = openPlainFile(path, "r");
  try {
    return takeLastLines(bytesBefore(file, fstatSync(file).size, maxBytes + 1), maxBytes);
  } finally {
    closeSync(file);
  }
}

/** The end of a text, of at most `maxBytes`, without a line that this cuts the beginning off. */
export function takeLastLines(bytes: Buffer, maxBytes: number): string {
  if (bytes.length <= maxBytes) return bytes.toString("utf8");
  const end = bytes.subarray(bytes.length - maxBytes - 1);
  const feed = end.indexOf(LINE_FEED);
  return feed === -1 ? "" : end.subarray(feed + 1).toString("utf8");
}

/**
 * The first free name for a log that is to make room for another: `PATH.1`, `PATH.2`, the highest
 * number the newest.
 */
export function rotatedPath(path: string): string {
  for (let number = 1; ; number++) {
    const rotated = `${path}.${number}`;
    if (readPathKind(rotated) === undefined) return rotated;
  }
}

/**
 * Moves a log out of the way, or copies it where it cannot be moved: a file that is mounted by
 * itself, as into a container.
 * @throws what the file system does.
 */
export function rotate(path: string, rotated: string): void {
  try {
    renameSync(path, rotated);
  } catch {
    copyFileSync(path, rotated, constants.COPYFILE_EXCL);
  }
}

/** Has a file end with a whole line. */
function endLastLine(file: number, unended: UnendedLine): void {
  const { size } = fstatSync(file);
  const line = lineBefore(file, size);
  if (line.length === 0) return;
  if (unended === "keep-json" && isJson(line.toString("utf8"))) writeAll(file, "\n");
  else ftruncateSync(file, size - line.length);
}

/**
 * The bytes of a file between the last line feed before a place and that place: a log of months is
 * longer than one read may be.
 */
function lineBefore(file: number, end: number): Buffer {
  for (let most = END_BYTES; ; most *= 2) {
    const bytes = bytesBefore(file, end, most);
    const feed = bytes.lastIndexOf(LINE_FEED);
    if (feed !== -1 || most >= end) return bytes.subarray(feed + 1);
  }
}

/** The bytes of a file before a place, `most` of them where it has as many. */
function bytesBefore(file: number, end: number, most: number): Buffer {
  const bytes = Buffer.alloc(Math.min(end, most));
  let read = 0;
  for (let more = 1; more > 0 && read < bytes.length; read += more)
    more = readSync(file, bytes, read, bytes.length - read, end - bytes.length + read);
  return bytes.subarray(0, read);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
