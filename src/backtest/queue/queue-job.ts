import { basename } from "node:path";
import { isStrategyFile } from "../../bot/config/config.js";
import { sha256Of } from "../../history/durable-file.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { DataFile } from "../report/run-meta.js";
import type { Job, JobResult } from "../sweep/play-job.js";
import type { SweepWindow } from "../sweep/windows.js";
import { tagged, untagged } from "./tagged-json.js";

/** A job as it lies in the queue: everything but the history, which a worker has itself. */
export interface QueueJob {
  /** Of this package: another one may compute another figure. */
  readonly version: string;
  readonly id: string;
  readonly window: SweepWindow;
  /** The configuration as JSON text. */
  readonly config: string;
  /** What the history must be: market, kind, file and checksum, in order. */
  readonly history: readonly string[];
  /** Checksums of other files that the run reads, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What a worker answers. */
export type QueueResult = JobResult;

/** A job for the queue. */
export function queueJob(
  version: string,
  window: SweepWindow,
  { id, config }: Job,
  history: readonly string[],
  files: QueueJob["files"],
): QueueJob {
  return { version, id, window, config: JSON.stringify(config, tagged), history, files };
}

/** The job's configuration. @param store where this machine's history lies. */
export function configOf({ config }: QueueJob, store: string): BacktestConfig {
  const read = JSON.parse(config, untagged) as BacktestConfig;
  return { ...read, history: { ...read.history, store } };
}

/** What of the store is read, in words that are the same on every machine. */
export function historyLines(files: readonly DataFile[]): string[] {
  return files.map(({ marketId, kind, file, sha256 }) => `${marketId} ${kind} ${basename(file)} ${sha256}`);
}

/** The files that a configuration names beside the history. */
export function filesOf({ bot, fills }: BacktestConfig): string[] {
  const strategies = Object.values(bot.markets).flatMap(({ strategy }) =>
    strategy !== undefined && isStrategyFile(strategy) ? [strategy] : [],
  );
  return [...new Set([...strategies, ...(fills.latencyFile === undefined ? [] : [fills.latencyFile])])];
}

/** Their checksums. @param known those that were taken before, which are added to. @throws Error of the system when one cannot be read */
export async function checksumsOf(paths: readonly string[], known: Map<string, string>): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const path of paths) {
    const sum = known.get(path) ?? (await sha256Of(path));
    known.set(path, sum);
    sums[path] = sum;
  }
  return sums;
}
