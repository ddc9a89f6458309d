import { basename } from "node:path";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { InputChecksums } from "../sweep/jobs/input-files.js";
import type { Job, JobResult } from "../sweep/jobs/job-player.js";
import type { HistoryContents } from "../sweep/jobs/job-runner.js";
import type { SweepWindow } from "../sweep/windows.js";
import { tagBigints, untagBigints } from "./tagged-json.js";

/** A job as it lies in the queue: everything but the history, which a worker has itself. */
export interface QueueJob {
  /** Of this package: another one may compute another figure. */
  readonly version: string;
  readonly id: string;
  readonly window: SweepWindow;
  /** The configuration as JSON text. */
  readonly config: string;
  /** What the history must be: market, kind, file and checksum, in order, and its gaps. */
  readonly history: readonly string[];
  /** What else the run reads. */
  readonly files: InputChecksums;
}

/** What a worker answers. */
export type QueueResult = JobResult;

/** A job for the queue. */
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

/** The job as it is run here. @param store where this machine's history lies. */
export function toJob({ id, config, files }: QueueJob, store: string): Job {
  const read = JSON.parse(config, untagBigints) as BacktestConfig;
  return { id, config: { ...read, history: { ...read.history, store } }, inputs: files };
}

/** What of the store is read, and what it lacks, in words that are the same on every machine. */
export function historyLines({ files, gaps }: HistoryContents): string[] {
  return [
    ...files.map(
      ({ marketId, kind, file, sha256 }) => `${marketId} ${kind} ${basename(file)} ${sha256}`,
    ),
    ...gaps.map((gap) => `gap ${gap}`),
  ];
}
