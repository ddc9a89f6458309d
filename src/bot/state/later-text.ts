import { closeSync, fsync, openSync, renameSync, rmSync } from "node:fs";
import { discardFile } from "./discard-file.js";
import { writeAll } from "./growing-file.js";

/**
 * A text that takes an older one's place as soon as the disk has it, behind the caller's back: a disk takes milliseconds for that and, where it is
 * busy, seconds. Whatever ends, the process or the machine, leaves the older text or this one, each whole. Of those that come while one is on its
 * way the last alone follows.
 */
export class LaterText {
  readonly #path: string;
  readonly #beside: string;
  /** The newest one that is not in place. */
  #newest: string | undefined;
  #isUnderWay = false;
  #isTakenBack = false;
  #failure: unknown;

  /** @param beside the file that a text is in until it takes its place: no other writer's. */
  constructor(path: string, beside: string) {
    this.#path = path;
    this.#beside = beside;
  }

  /** @throws what the file system does: now, or since the text before. */
  put(text: string): void {
    this.#newest = text;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    if (!this.#isUnderWay) this.#begin(text);
  }

  /** The newest text that has not taken its place; undefined where none is left. */
  get waiting(): string | undefined {
    return this.#newest;
  }

  /** None takes its place any more. */
  takeBack(): void {
    this.#isTakenBack = true;
    discardFile(this.#beside);
  }

  #begin(text: string): void {
    rmSync(this.#beside, { force: true });
    const file = openSync(this.#beside, "wx", 0o600);
    try {
      writeAll(file, text);
    } catch (error) {
      closeSync(file);
      discardFile(this.#beside);
      throw error;
    }
    this.#isUnderWay = true;
    fsync(file, (error) => {
      this.#isUnderWay = false;
      try {
        closeSync(file);
        // The file beside is gone, or another one's by now.
        if (!this.#isTakenBack) this.#place(text, error);
      } catch (cause) {
        this.#failure = cause;
      }
    });
  }

  /** The disk has the text, or this is why not. */
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
