import { join } from "node:path";
import { ConfigError, RunError } from "../../../core/errors.js";
import { AppendOnlyFile, readWholeLines } from "../../../core/files/durable-log.js";
import { makeFolder } from "../../../core/files/make-folder.js";
import { readPathKind } from "../../../core/files/path-kind.js";
import { StoreLock } from "../../../history/store/store-lock.js";
import { wrapDiskError } from "../../report/wrap-disk-error.js";
import type { JobResult } from "../jobs/job-player.js";
import { dropResults, refuseForeignFolder, SWEEP_FILES } from "./sweep-folder.js";

const FORMAT = "marketwright-sweep-results/2";

interface Line extends JobResult {
  readonly job: string;
}

/**
 * The results of a sweep's jobs, each on the disk before anything else happens. A sweep that is
 * killed continues where it stopped. A line that a kill left unfinished is removed. A job counts
 * once, however often it is reported.
 */
export class ResultsFile {
  readonly #results = new Map<string, JobResult>();
  readonly #path: string;
  readonly #file: AppendOnlyFile;
  readonly #lock: StoreLock;

  /**
   * @param fingerprint of everything that a result depends on.
   * @param replace true if the results of another sweep may be replaced.
   * @throws ConfigError when the folder holds something else; RunError when another process works
   * in it, or a line is broken
   */
  constructor(directory: string, fingerprint: string, replace: boolean) {
    refuseForeignFolder(directory, replace);
    makeFolder(directory);
    this.#lock = wrapDiskError(directory, () =>
      StoreLock.take(directory, "one sweep in a folder at a time: wait for it, or end it"),
    );
    try {
      const path = join(directory, SWEEP_FILES.results);
      this.#path = path;
      if (replace && !isOf(path, fingerprint)) dropResults(directory);
      const isBegun = this.#read(path, fingerprint, directory);
      this.#file = wrapDiskError(path, () => AppendOnlyFile.open(path, "each"));
      if (!isBegun) this.#write({ format: FORMAT, fingerprint });
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  /** Every job that is done, by its id. */
  get done(): ReadonlyMap<string, JobResult> {
    return this.#results;
  }

  /**
   * Adds a job's result; it is on the disk when this returns. A known result is not counted again.
   */
  add(job: string, result: JobResult): void {
    if (this.#results.has(job)) return;
    this.#write({ job, ...result } satisfies Line);
    this.#results.set(job, result);
  }

  close(): void {
    this.#file.close();
    this.#lock.release();
  }

  #write(line: object): void {
    wrapDiskError(this.#path, () => this.#file.append(`${JSON.stringify(line)}\n`));
  }

  /**
   * Reads the complete lines.
   * @returns false where there were none
   */
  #read(path: string, fingerprint: string, directory: string): boolean {
    if (readPathKind(path) === undefined) return false;
    let at = 0;
    for (const line of readWholeLines(path)) {
      at += 1;
      if (at === 1) requireOurs(parsed(line, path, at), fingerprint, directory);
      else this.#take(parsed(line, path, at) as Line, path, at);
    }
    return at > 0;
  }

  #take({ job, ...result }: Line, path: string, at: number): void {
    const { figures, ended, doubts } = result;
    if (
      typeof job !== "string" ||
      typeof figures !== "object" ||
      figures === null ||
      typeof ended !== "string" ||
      !Array.isArray(doubts)
    )
      throw broken(path, at);
    if (!this.#results.has(job)) this.#results.set(job, result);
  }
}

/** @throws ConfigError for the first line of another sweep's results */
function requireOurs(
  { format, fingerprint: theirs }: { readonly format?: unknown; readonly fingerprint?: unknown },
  fingerprint: string,
  directory: string,
): void {
  if (format === FORMAT && theirs === fingerprint) return;
  throw new ConfigError(
    "holds the results of another sweep: the files, the history or this program have changed since",
    {
      field: "--out",
      value: directory,
      expected: "another folder, or --replace to start again",
    },
  );
}

function isOf(path: string, fingerprint: string): boolean {
  if (readPathKind(path) === undefined) return false;
  const [header] = readWholeLines(path);
  return header === JSON.stringify({ format: FORMAT, fingerprint });
}

function parsed(line: string, path: string, at: number): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw broken(path, at);
}

function broken(path: string, at: number): RunError {
  return new RunError("is broken", {
    field: `${path} line ${at}`,
    expected: "one result on each line; --replace starts again",
  });
}
