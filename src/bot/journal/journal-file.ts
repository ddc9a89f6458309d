import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  writeSync,
} from "node:fs";
import { RunError } from "../../core/errors.js";
import { NotPlainFile } from "../../core/files/plain-files.js";
import type { Clock, Timer } from "../../core/runtime/seam.js";
import type { JournalSink } from "./journal.js";

const { O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;
/** Characters that wait for the disk at most. */
const MOST_WAITING = 256 * 1024;
const FLUSH_EVERY_MS = 1_000;

/** What becomes of a piece of whole lines on its way to the disk. */
export type Packing = (lines: Buffer) => Buffer;

const asTheyAre: Packing = (lines) => lines;

/**
 * A journal on disk, readable by its owner alone. Lines are gathered and written when there are many, each second, and
 * on closing: what a `kill -9` loses is the last second. A file that was there before is overwritten: {@link keepEarlierJournal} comes first.
 */
export class JournalFile implements JournalSink {
  readonly path: string;
  readonly #clock: Clock;
  readonly #pack: Packing;
  #file: number | undefined;
  #waiting: string[] = [];
  #waitingLength = 0;
  #timer: Timer | undefined;
  #failed: RunError | undefined;

  /** @throws RunError when the file cannot be opened for writing. */
  constructor(path: string, clock: Clock, pack: Packing = asTheyAre) {
    this.path = path;
    this.#clock = clock;
    this.#pack = pack;
    try {
      // Without waiting: a pipe that nobody reads, or whose reader stops, would hold the bot.
      this.#file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o600);
      const found = fstatSync(this.#file);
      if (found.isFIFO()) throw new NotPlainFile(path, "a named pipe");
      if (found.isFile()) fchmodSync(this.#file, 0o600);
    } catch (cause) {
      throw this.#cannotWrite(cause);
    }
  }

  /** @throws RunError when this or an earlier line could not be written: a journal with a hole cannot be replayed. */
  write(line: string): void {
    if (this.#failed !== undefined) throw this.#failed;
    if (this.#file === undefined)
      throw new RunError("the journal is closed", {
        field: "journal",
        value: this.path,
        expected: "an open journal",
      });
    this.#waiting.push(line);
    this.#waitingLength += line.length + 1;
    if (this.#waitingLength >= MOST_WAITING) this.flush();
    this.#timer ??= this.#clock.setTimer(FLUSH_EVERY_MS, () => this.#flushInTime());
  }

  /** Hands every line to the operating system. @throws RunError when it does not take them. */
  flush(): void {
    if (this.#failed !== undefined) throw this.#failed;
    if (this.#file === undefined || this.#waiting.length === 0) return;
    const bytes = this.#pack(Buffer.from(`${this.#waiting.join("\n")}\n`, "utf8"));
    this.#waiting = [];
    this.#waitingLength = 0;
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(this.#file, bytes, written);
    } catch (cause) {
      this.#failed = this.#cannotWrite(cause);
      throw this.#failed;
    }
  }

  /** Writes what waits, to the disk itself, and closes the file; a second time does nothing. @throws RunError when it cannot be written. */
  close(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    try {
      this.flush();
      if (fstatSync(file).isFile()) fsyncSync(file);
    } catch (cause) {
      throw cause instanceof RunError ? cause : this.#cannotWrite(cause);
    } finally {
      this.#file = undefined;
      closeSync(file);
    }
  }

  /** A timer has nobody to throw to: whoever writes next, or closes, hears of it. */
  #flushInTime(): void {
    this.#timer = undefined;
    try {
      this.flush();
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
    }
  }

  #cannotWrite(cause: unknown): RunError {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    return new RunError(`cannot write the journal (${code})`, {
      field: "journal",
      value: this.path,
      expected: "a file that this user may write, on a disk with room",
      cause,
    });
  }
}
