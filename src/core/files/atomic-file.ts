import { closeSync, fsync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** How a file is replaced. */
interface ReplaceOptions {
  /**
   * The path of the new text until it takes the old one's place: no other writer's. Default: the
   * file's with `.next`.
   */
  readonly beside?: string;
  /**
   * Whether the text is on the disk before it takes the old one's place, and its name when the call
   * returns. Default: true. Otherwise no end of the process loses the text, but a loss of power may
   * leave an older one, or an empty one.
   */
  readonly sync?: boolean;
}

/**
 * Puts a text at a path, whole or not at all, whenever the process or the machine ends; in parts
 * where it may be longer than a string can be. The file is its owner's alone. Where it fails, the
 * old text stays and nothing is left beside it.
 * @throws what the file system does.
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
 * Makes a file with a text in it, whole or not at all, readable by its owner alone.
 * @throws what the file system does: EEXIST where something is at the path, which stays as it is.
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
 * A text that takes an older one's place as soon as the disk has it, while the caller goes on: a
 * disk takes milliseconds for that and, where it is busy, seconds. Whatever ends, the process or
 * the machine, leaves the older text or this one, each whole. Of the texts that come while one is
 * on its way, only the last follows.
 */
export class AsyncAtomicFile {
  readonly #path: string;
  readonly #beside: string;
  /** The newest text that is not in place. */
  #newest: string | undefined;
  #isUnderWay = false;
  #isCancelled = false;
  #failure: unknown;

  /** @param beside the file that a text is in until it takes its place: no other writer's. */
  constructor(path: string, beside: string) {
    this.#path = path;
    this.#beside = beside;
  }

  /** @throws what the file system does: now, or since the text before. */
  replace(text: string): void {
    this.#newest = text;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    if (!this.#isUnderWay) this.#begin(text);
  }

  /** The newest text that has not taken its place; undefined where none is left. */
  get pending(): string | undefined {
    return this.#newest;
  }

  /** From now on no text takes its place. */
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
        // After a cancel the file beside is gone, or another writer's.
        if (!this.#isCancelled) this.#place(text, error);
      } catch (cause) {
        this.#failure = cause;
      }
    });
  }

  /** The disk has the text, or `error` says why not. */
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
 * Writes all of it, however many calls that takes: a disk that fills takes a part of a write.
 * @throws what the file system does.
 */
export function writeAll(file: number, text: string | Buffer): void {
  const bytes = typeof text === "string" ? Buffer.from(text, "utf8") : text;
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/**
 * Brings to the disk what was written to a file, or the names in a folder.
 * @throws what the file system does.
 */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames a file, and brings its new name to the disk. @throws what the file system does. */
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

/** Removes what could not be written, if that can be done: the caller throws why it could not. */
function discardFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is removed before the next one is written.
  }
}
