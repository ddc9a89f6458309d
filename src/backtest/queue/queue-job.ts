import { basename } from "node:path";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { InputChecksums } from "../sweep/jobs/input-files.js";
import type { Job, JobResult } from "../sweep/jobs/job-player.js";
import type { HistoryContents } from "../sweep/jobs/job-runner.js";
import type { SweepWindow } from "../sweep/windows.js";
import { tagBigints, untagBigints } from "./tagged-json.js";

/** A job as stored in the queue: everything but the history, which a worker has itself. */
export interface QueueJob {
  /** Version of this package: another one may compute other figures. */
  readonly version: string;
  readonly id: string;
  readonly window: SweepWindow;
  /** The configuration as JSON text. */
  readonly config: string;
  /** The required history: market, kind, file and checksum, in order, and its gaps. */
  readonly history: readonly string[];
  /** Other files that the run reads. */
  readonly files: InputChecksums;
}

/** The answer of a worker. */
export type QueueResult = JobResult;

/** Creates a job for the queue. */
export function queueJob(
  version: string,
  window: SweepWindow,
  { id, config, inputs }: Job,
  history: readonly string[],
): QueueJob {
  return {
    version,
    id,
    window,
    config: JSON.stringify(config, tagBigints),
    history,
    files: inputs,
  };
}

/**
 * The job as it runs on this machine.
 * @param store where this machine's history is.
 */
export function toJob({ id, config, files }: QueueJob, store: string): Job {
  const read = JSON.parse(config, untagBigints) as BacktestConfig;
  return { id, config: { ...read, history: { ...read.history, store } }, inputs: files };
}

/**
 * The files that are read from the store, and its gaps, in a text that is the same on every
 * machine.
 */
export function historyLines({ files, gaps }: HistoryContents): string[] {
  return [
    ...files.map(
      ({ marketId, kind, file, sha256 }) => `${marketId} ${kind} ${basename(file)} ${sha256}`,
    ),
    ...gaps.map((gap) => `gap ${gap}`),
  ];
}
