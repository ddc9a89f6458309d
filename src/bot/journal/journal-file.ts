import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
} from "node:fs";
import { ConfigError, RunError } from "../../core/errors.js";
import { AppendOnlyFile, rotate, rotatedPath } from "../../core/files/durable-log.js";
import { readPathKind } from "../../core/files/path-kind.js";
import { NotPlainFileError, openPlainFile } from "../../core/files/plain-files.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { JournalSink } from "./journal.js";

const { O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;
/** Most characters that wait for the disk. */
const MOST_WAITING = 256 * 1024;
const FLUSH_EVERY_MS = 1_000;

/** Converts a piece of whole lines before it is written to the disk. */
type Packing = (lines: Buffer) => Buffer;

const asTheyAre: Packing = (lines) => lines;

/**
 * A journal on disk, readable by its owner alone. Lines are buffered and written when there are
 * many, each second, and on closing: a `kill -9` loses the last second. Overwrites an existing
 * file: call {@link renameEarlierJournal} first.
 */
export class JournalFile implements JournalSink {
  readonly path: string;
  readonly #clock: Clock;
  readonly #pack: Packing;
  #file: AppendOnlyFile | undefined;
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
      // Non-blocking: a pipe without a reader, or whose reader stops, would block the bot.
      const file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o600);
      this.#file = new AppendOnlyFile(file, "closing");
      const found = fstatSync(file);
      if (found.isFIFO()) throw new NotPlainFileError(path, "a named pipe");
      if (found.isFile()) fchmodSync(file, 0o600);
    } catch (cause) {
      throw this.#cannotWrite(cause);
    }
  }

  /**
   * @throws RunError if this or an earlier line could not be written: a journal with a gap cannot
   * be replayed.
   */
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

  /** Hands every line to the operating system. @throws RunError if it does not accept them. */
  flush(): void {
    if (this.#failed !== undefined) throw this.#failed;
    if (this.#file === undefined || this.#waiting.length === 0) return;
    const bytes = this.#pack(Buffer.from(`${this.#waiting.join("\n")}\n`, "utf8"));
    this.#waiting = [];
    this.#waitingLength = 0;
    try {
      this.#file.append(bytes);
    } catch (cause) {
      this.#failed = this.#cannotWrite(cause);
      throw this.#failed;
    }
  }

  /**
   * Writes the buffered lines to the disk itself and closes the file; a second call does nothing.
   * @throws RunError if it cannot be written.
   */
  close(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    try {
      this.flush();
      file.close();
    } catch (cause) {
      throw cause instanceof RunError ? cause : this.#cannotWrite(cause);
    } finally {
      this.#file = undefined;
      file.abandon();
    }
  }

  /** A timer has no caller to throw to: the next write or close throws the error. */
  #flushInTime(): void {
    this.#timer = undefined;
    try {
      this.flush();
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
    }
  }

  #cannotWrite(cause: unknown): RunError {
    return new RunError(`cannot write the journal (${codeOf(cause)})`, {
      field: "journal",
      value: this.path,
      expected: "a file that this user may write, on a disk with room",
      cause,
    });
  }
}

/** First characters of every journal. */
const BEGINNING = '{"journal":';

/**
 * Moves the journal that an earlier run left at a path to the first free name after it,
 * `run.journal.1` and so on. A restart by the same command must not delete the record of how the
 * last run ended.
 * @returns its new path; undefined if there is no journal: nothing, an empty file, a pipe.
 * @throws ConfigError for a file that is not a journal, which may be anything, even a keystore, and
 * for a journal that cannot be moved; file system errors.
 */
export function renameEarlierJournal(path: string): string | undefined {
  if (readPathKind(path) !== "file") return undefined;
  const beginning = beginningOf(path);
  if (beginning === "") return undefined;
  if (beginning !== BEGINNING) {
    throw new ConfigError("already exists, and is not a journal", {
      field: "--journal",
      value: path,
      expected: "the path of a new file, or of an earlier run's journal, which is kept beside it",
    });
  }
  // A link continues to lead to the directory that its owner chose for the journals.
  const journal = realpathSync(path);
  const kept = rotatedPath(journal);
  try {
    rotate(journal, kept);
  } catch (cause) {
    throw new ConfigError(
      `is a journal of an earlier run, and cannot be renamed to ${kept} (${codeOf(cause)})`,
      {
        field: "--journal",
        value: journal,
        expected:
          "the path of a new file, or of a journal in a folder with room where this user may make another",
        cause,
      },
    );
  }
  return kept;
}

function beginningOf(path: string): string {
  const file = openPlainFile(path, "r");
  try {
    const bytes = Buffer.alloc(BEGINNING.length);
    return bytes.toString("latin1", 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}
