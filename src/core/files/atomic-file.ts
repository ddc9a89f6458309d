import { closeSync, fsync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Options for replacing a file. */
interface ReplaceOptions {
  /**
   * Temporary path of the new text, used by no other writer. Default: the file's path with `.next`.
   */
  readonly beside?: string;
  /**
   * If true, the text is on disk before it replaces the old one, and its name when the call
   * returns. Default: true. Otherwise the text survives a crash of the process, but a power failure
   * may leave an older text, or an empty one.
   */
  readonly sync?: boolean;
}

/**
 * Replaces a file's text atomically, whenever the process or the machine stops. The text may be in
 * parts, if it is longer than a string can be. Only the owner may read the file. On failure the old
 * text stays, and no temporary file remains.
 * @throws errors of the file system.
 */
export function replaceFile(
  path: string,
  text: string | Iterable<string>,
  { beside = `${path}.next`, sync = true }: ReplaceOptions = {},
): void {
  rmSync(beside, { force: true });
  writeNewFile(beside, text, sync);
  try {
    renameSync(beside, path);
  } catch (error) {
    discardFile(beside);
    throw error;
  }
  if (sync) syncPath(dirname(path));
}

/**
 * Creates a file with its text atomically, readable only by its owner.
 * @throws errors of the file system: EEXIST if the path exists, which stays unchanged.
 */
export function writeNewFile(path: string, text: string | Iterable<string>, sync = true): void {
  const file = createFile(path, text);
  try {
    if (sync) fsyncSync(file);
  } catch (error) {
    discardFile(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Replaces a file's text asynchronously: a disk takes milliseconds and, under load, seconds. A
 * crash leaves either the older text or the new one, each whole. Of several texts that arrive
 * during a write, only the last is written.
 */
export class AsyncAtomicFile {
  readonly #path: string;
  readonly #beside: string;
  /** The newest text that is not in place yet. */
  #newest: string | undefined;
  #isUnderWay = false;
  #isCancelled = false;
  #failure: unknown;

  /** @param beside temporary path of a text, used by no other writer. */
  constructor(path: string, beside: string) {
    this.#path = path;
    this.#beside = beside;
  }

  /** @throws errors of the file system: now, or from the text before. */
  replace(text: string): void {
    this.#newest = text;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    if (!this.#isUnderWay) this.#begin(text);
  }

  /** The newest text that is not in place yet; undefined if there is none. */
  get pending(): string | undefined {
    return this.#newest;
  }

  /** Stops further replacements. */
  cancel(): void {
    this.#isCancelled = true;
    discardFile(this.#beside);
  }

  #begin(text: string): void {
    rmSync(this.#beside, { force: true });
    const file = createFile(this.#beside, text);
    this.#isUnderWay = true;
    fsync(file, (error) => {
      this.#isUnderWay = false;
      try {
        closeSync(file);
        // After a cancel the temporary file is removed, or another writer's.
        if (!this.#isCancelled) this.#place(text, error);
      } catch (cause) {
        this.#failure = cause;
      }
    });
  }

  /** The text is on disk, or `error` gives the failure. */
  #place(text: string, error: Error | null): void {
    try {
      if (error !== null) throw error;
      renameSync(this.#beside, this.#path);
    } catch (cause) {
      discardFile(this.#beside);
      throw cause;
    }
    if (this.#newest === text) this.#newest = undefined;
    else if (this.#newest !== undefined) this.#begin(this.#newest);
  }
}

/**
 * Writes all bytes, in as many calls as needed: a disk that fills up accepts part of a write.
 * @throws errors of the file system.
 */
export function writeAll(file: number, text: string | Buffer): void {
  const bytes = typeof text === "string" ? Buffer.from(text, "utf8") : text;
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/**
 * Syncs a file's content, or the names in a folder, to disk.
 * @throws errors of the file system.
 */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames a file, and syncs its new name to disk. @throws errors of the file system. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncPath(dirname(to));
}

/** @returns the descriptor of a new file with the text in it. */
function createFile(path: string, text: string | Iterable<string>): number {
  const file = openSync(path, "wx", 0o600);
  try {
    for (const part of typeof text === "string" ? [text] : text) writeAll(file, part);
    return file;
  } catch (error) {
    closeSync(file);
    discardFile(path);
    throw error;
  }
}

/** Removes a file that could not be written, if possible: the caller throws the original error. */
function discardFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next write removes it first.
  }
}
