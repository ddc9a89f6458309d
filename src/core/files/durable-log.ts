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
 * Time at which a log's lines are synced to disk and survive a power failure. Under every policy, a
 * line that `append` returned from is with the operating system, so it survives a crash of the
 * process.
 *
 * - `each`: before `append` returns.
 * - `behind`: a moment later, in the background, and when `close` returns.
 * - `closing`: when `close` returns.
 * - `never`: when the system decides.
 */
export type SyncPolicy = "each" | "behind" | "closing" | "never";

/**
 * Treatment of a last line without a line feed when a log is opened: `drop` removes it, because its
 * writer never got a confirmation; `keep-json` completes it if it is valid JSON.
 */
type UnendedLine = "drop" | "keep-json";

/**
 * A file of lines that only grows. The caller ensures that only one process uses it.
 *
 * If the disk rejects a line of a log with policy `each` or `behind`, the written part is removed,
 * and the next line may follow once there is room. A log of the other policies must be complete: it
 * keeps the part and accepts no more lines.
 */
export class AppendOnlyFile {
  readonly #file: number;
  readonly #policy: SyncPolicy;
  /** Some lines are not covered by a sync in progress. */
  #isDirty = false;
  #isSyncing = false;
  #isClosed = false;
  #failure: unknown;

  /** @param file the descriptor of a file open for writing; this object owns it from now on. */
  constructor(file: number, policy: SyncPolicy) {
    this.#file = file;
    this.#policy = policy;
  }

  /**
   * Opens a file to append after its last whole line, or creates it, mode 0600.
   * @throws NotPlainFileError, or errors of the file system.
   */
  static open(path: string, policy: SyncPolicy, unended: UnendedLine = "drop"): AppendOnlyFile {
    const file = openPlainFile(path, "a+", 0o600);
    try {
      endLastLine(file, unended);
      if (policy === "each") {
        fsyncSync(file);
        // A file's name is on disk once its folder is synced.
        syncPath(dirname(path));
      }
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return new AppendOnlyFile(file, policy);
  }

  /** The reason why nothing can be appended any more; undefined while it can. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * @param lines one or more, each with its line feed.
   * @throws errors of the file system: now, or from the lines before; RunError when it is closed.
   */
  append(lines: string | Buffer): void {
    if (this.#failure !== undefined) throw this.#failure;
    // The descriptor may belong to another file by now.
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
   * Closes the file; its lines are on disk then, unless the policy is `never`. A second call does
   * nothing.
   * @throws errors of the file system, now or from the last lines; the file is closed anyway.
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

  /** Closes the file without a sync. */
  abandon(): void {
    if (!this.#isClosed) closeSync(this.#file);
    this.#isClosed = true;
  }

  #cutTo(size: number): void {
    try {
      ftruncateSync(this.#file, size);
    } catch (error) {
      // The next line would be appended to half of this one.
      this.#failure = error;
    }
  }

  #syncBehind(): void {
    this.#isDirty = false;
    this.#isSyncing = true;
    fsync(this.#file, (error) => {
      this.#isSyncing = false;
      // After `close` the descriptor may belong to another file.
      if (this.#isClosed) return;
      if (error !== null) this.#failure = error;
      else if (this.#isDirty) this.#syncBehind();
    });
  }
}

const LINE_FEED = 0x0a;
/** Bytes per read. */
const PIECE_BYTES = 1024 * 1024;
/** Bytes of a file's end that are read first: most lines are shorter. */
const END_BYTES = 65_536;

/**
 * Reads the whole lines of a file one by one, because a file may be longer than any string.
 * @throws errors of the file system.
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
 * Reads the last whole line of a file; an empty text if there is none.
 * @throws errors of the file system.
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
 * Reads the last lines of a file, at most `maxBytes`; the last one may be cut short.
 * @throws errors of the file system.
 */
export function readLastLines(path: string, maxBytes: number): string {
  const file = openPlainFile(path, "r");
  try {
    return takeLastLines(bytesBefore(file, fstatSync(file).size, maxBytes + 1), maxBytes);
  } finally {
    closeSync(file);
  }
}

/** Returns the end of a text, at most `maxBytes`, without a line whose start that cuts off. */
export function takeLastLines(bytes: Buffer, maxBytes: number): string {
  if (bytes.length <= maxBytes) return bytes.toString("utf8");
  const end = bytes.subarray(bytes.length - maxBytes - 1);
  const feed = end.indexOf(LINE_FEED);
  return feed === -1 ? "" : end.subarray(feed + 1).toString("utf8");
}

/**
 * Returns the first free name for rotating a log: `PATH.1`, `PATH.2`, the highest number the
 * newest.
 */
export function rotatedPath(path: string): string {
  for (let number = 1; ; number++) {
    const rotated = `${path}.${number}`;
    if (readPathKind(rotated) === undefined) return rotated;
  }
}

/**
 * Moves a log to a new name, or copies it if it cannot be moved: a file may be a mount of its own,
 * as in a container.
 * @throws errors of the file system.
 */
export function rotate(path: string, rotated: string): void {
  try {
    renameSync(path, rotated);
  } catch {
    copyFileSync(path, rotated, constants.COPYFILE_EXCL);
  }
}

/** Makes a file end with a whole line. */
function endLastLine(file: number, unended: UnendedLine): void {
  const { size } = fstatSync(file);
  const line = lineBefore(file, size);
  if (line.length === 0) return;
  if (unended === "keep-json" && isJson(line.toString("utf8"))) writeAll(file, "\n");
  else ftruncateSync(file, size - line.length);
}

/**
 * Returns the bytes between the last line feed before a position and that position: a log of months
 * is longer than one read allows.
 */
function lineBefore(file: number, end: number): Buffer {
  for (let most = END_BYTES; ; most *= 2) {
    const bytes = bytesBefore(file, end, most);
    const feed = bytes.lastIndexOf(LINE_FEED);
    if (feed !== -1 || most >= end) return bytes.subarray(feed + 1);
  }
}

/** Returns up to `most` bytes of a file before a position. */
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
