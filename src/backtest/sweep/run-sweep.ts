import { createHash } from "node:crypto";
import { join } from "node:path";
import { ConfigError, RunError } from "../../core/errors.js";
import { replaceFile } from "../../core/files/atomic-file.js";
import { instantText } from "../../history/day.js";
import { GridError } from "../../history/history-errors.js";
import type { Log } from "../../monitoring/log.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { DataFile } from "../report/run-meta.js";
import { wrapDiskError } from "../report/wrap-disk-error.js";
import { requireCommonTime } from "../run/opening/common-time.js";
import { historyKey, type OpenedHistory, openHistory } from "../run/opening/open-history.js";
import { mayHaveRecords } from "../run/opening/opened-market.js";
import { requireReported } from "../run/require-reported.js";
import type { Point } from "./generate-points.js";
import { hashLatencyFiles, type InputChecksums, selectInputs } from "./jobs/input-files.js";
import type { Job, JobResult } from "./jobs/job-player.js";
import type { HistoryContents, JobBatch, JobRunner } from "./jobs/job-runner.js";
import { openShared, restrictToWindow } from "./jobs/open-shared.js";
import { checkStrategies } from "./jobs/sweep-strategies.js";
import { requireUnchanged } from "./jobs/unchanged-history.js";
import {
  bestPoint,
  jobId,
  rankedPoints,
  walkedForward,
  windowText,
} from "./results/rank-points.js";
import {
  refusedGrid,
  refusedResult,
  refusedSize,
  requireAcceptedPoint,
} from "./results/refused-points.js";
import { ResultsFile } from "./results/results-file.js";
import { dropOtherBest, SWEEP_FILES } from "./results/sweep-folder.js";
import { SWEEP_FORMAT, type SweepResult, sweepJsonParts } from "./results/sweep-json.js";
import { sweepPage } from "./results/sweep-page.js";
import { pointError, type SweepConfig } from "./sweep-config.js";
import { makeSplits, prependWarmup, type Split, type SweepWindow } from "./windows.js";

/** Options of a sweep, besides its file. */
export interface RunSweepOptions {
  readonly directory: string;
  /** True if the results of another sweep there may be replaced. */
  readonly replace: boolean;
  readonly runner: JobRunner;
  /** Version of this package. */
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called when the columns of a day are built, which takes seconds the first time. */
  readonly onMake?: (market: string, day: string) => void;
  /** Called with the number of jobs that are done, and of all. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** The result of a sweep. */
export interface SweepOutcome {
  readonly result: SweepResult;
  /** Checksums of the files that its runs have read beside the history. */
  readonly inputs: InputChecksums;
  readonly json: string;
  readonly html: string;
}

/**
 * Runs the rest of a sweep and writes its results. The same files give the same bytes, on any
 * number of workers and after any number of kills.
 * @returns undefined when it was interrupted: finished jobs are kept, and the next run continues.
 * @throws ConfigError for errors of the files or content of the folder; RunError, HistoryError
 */
export async function runSweep(
  sweep: SweepConfig,
  run: RunSweepOptions,
): Promise<SweepOutcome | undefined> {
  const opened = await openHistory(sweep.backtest, run.onMake);
  const { grade, interval, files, gaps, startUs, endUs } = opened;
  const { fromUs, toUs } = sweep.backtest.history;
  const whole = { fromUs, toUs };
  const splits =
    sweep.walkForward === undefined
      ? undefined
      : makeSplits({ fromUs: startUs, toUs: endUs }, sweep.walkForward);
  requireAllReported(sweep, opened);
  requireRecorded(splits ?? [], opened, sweep.configs);
  const inputs = {
    ...(await checkStrategies(sweep, run.log)),
    ...(await hashLatencyFiles(sweep.configs)),
  };
  const print = fingerprintOf(sweep, run.version, opened, inputs);
  const results = new ResultsFile(run.directory, print, run.replace);
  try {
    const windows = splits?.map(({ train }) => train) ?? [{ name: "whole", ...whole }];
    const fixed = (config: BacktestConfig): BacktestConfig => ({
      ...config,
      history: { ...config.history, grade, ...(interval === undefined ? {} : { interval }) },
    });
    const work = new SweepWork(
      sweep,
      run,
      { print, results, fixed, files, inputs },
      windows.length * sweep.points.length + (splits?.length ?? 0),
    );
    for (const [at, window] of windows.entries()) {
      if (!(await work.run(window, sweep.points))) return undefined;
      const split = splits?.[at];
      if (split === undefined) continue;
      const best = bestPoint(window, sweep.points, results.done, sweep.objective);
      const { warmupMs } = sweep.configs[best.index] as BacktestConfig;
      if (!(await work.run(prependWarmup(split.test, warmupMs, startUs), [best]))) return undefined;
    }
    const points = rankedPoints(sweep.points, windows, results.done, sweep.objective);
    const { method } = sweep;
    const last = windows.at(-1) as SweepWindow;
    const result: SweepResult = {
      format: SWEEP_FORMAT,
      name: sweep.name,
      version: run.version,
      fingerprint: print,
      grade,
      isIndicative: grade === "klines",
      method: {
        kind: method.kind,
        seed: "seed" in method && method.seed !== undefined ? String(method.seed) : null,
      },
      objective: sweep.objective,
      parameters: sweep.parameters.map((parameter) =>
        parameter.kind === "list"
          ? { path: parameter.path, scale: "list", values: [...parameter.values] }
          : {
              path: parameter.path,
              scale: parameter.scale,
              values: [parameter.min, parameter.max],
            },
      ),
      windows: (splits === undefined
        ? [{ name: "whole", fromUs: startUs, toUs: endUs }]
        : windows
      ).map(windowText),
      points,
      best: bestPoint(last, sweep.points, results.done, sweep.objective).index,
      walkForward:
        splits === undefined
          ? null
          : walkedForward(splits, sweep.points, results.done, sweep.objective),
      data: files.map(({ marketId, kind, file, rows, sha256 }) => ({
        marketId,
        kind,
        file,
        rows,
        sha256,
      })),
      gaps: [...gaps],
    };
    return { ...written(run.directory, result), inputs };
  } finally {
    results.close();
  }
}

interface SweepWorkDeps {
  readonly print: string;
  readonly results: ResultsFile;
  /** Sets the grade of a configuration to that of the whole history. */
  readonly fixed: (config: BacktestConfig) => BacktestConfig;
  /** Of the whole history. */
  readonly files: readonly DataFile[];
  readonly inputs: InputChecksums;
}

/** The jobs of a sweep, window by window. */
class SweepWork {
  readonly #sweep: SweepConfig;
  readonly #run: RunSweepOptions;
  readonly #parts: SweepWorkDeps;
  readonly #all: number;

  constructor(sweep: SweepConfig, run: RunSweepOptions, parts: SweepWorkDeps, all: number) {
    this.#sweep = sweep;
    this.#run = run;
    this.#parts = parts;
    this.#all = all;
  }

  /** Runs points on a window, except those that are done. Returns false when it was interrupted. */
  async run(window: SweepWindow, points: readonly Point[]): Promise<boolean> {
    const { runner, signal, onProgress } = this.#run;
    const { print, results, fixed, files, inputs } = this.#parts;
    const jobs = points
      .filter((point) => !results.done.has(jobId(window, point)))
      .map((point): Job => {
        const config = restrictToWindow(
          fixed(this.#sweep.configs[point.index] as BacktestConfig),
          window,
        );
        return { id: jobId(window, point), config, inputs: selectInputs(config, inputs) };
      });
    const tell = (): void => onProgress?.(results.done.size, this.#all);
    tell();
    const taken = jobs.filter(({ id, config }) => {
      const reason = refusedSize(config);
      if (reason !== undefined) results.add(id, refusedResult(reason));
      return reason === undefined;
    });
    for (const alike of jobsByHistory(taken)) {
      const [{ config }] = alike;
      const batch: JobBatch = {
        sweep: print,
        window,
        jobs: alike,
        open: async () => {
          const opened = await openShared(config, window);
          requireUnchanged(opened.files, files);
          return opened;
        },
        contents: async () => {
          const opened = await openHistory(config);
          requireUnchanged(opened.files, files);
          return opened;
        },
      };
      const onResult = (job: Job, result: JobResult): void => {
        results.add(job.id, result);
        tell();
      };
      try {
        await runner.run(batch, onResult, signal);
      } catch (error) {
        if (!(error instanceof GridError)) throw error;
        for (const job of alike) onResult(job, refusedResult(refusedGrid(error, config)));
      }
      if (signal.aborted) break;
    }
    const missing = jobs.find(({ id }) => !results.done.has(id));
    if (missing === undefined) {
      requireAcceptedPoint(window, points, results.done);
      return true;
    }
    if (signal.aborted) return false;
    throw new RunError("has no result", {
      field: missing.id,
      expected: "a result of every job",
    });
  }
}

/**
 * Groups jobs that share one opened history: where the grid of prices is varied, each grid has
 * columns of its own.
 */
function jobsByHistory(jobs: readonly Job[]): [Job, ...Job[]][] {
  const groups = new Map<string, [Job, ...Job[]]>();
  for (const job of jobs) {
    const key = historyKey(job.config);
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, [job]);
    else alike.push(job);
  }
  return [...groups.values()];
}

/**
 * Checked before any run.
 * @throws ConfigError naming a point whose warm-up leaves nothing of the history, or of a train
 * window
 */
function requireAllReported(
  { configs, points, walkForward }: SweepConfig,
  { startUs, endUs }: Parameters<typeof requireReported>[1],
): void {
  const shortest = {
    startUs,
    endUs: walkForward === undefined ? endUs : startUs + walkForward.trainMs * 1000,
  };
  for (const [at, { warmupMs }] of configs.entries()) {
    try {
      requireReported(warmupMs, shortest);
    } catch (cause) {
      throw cause instanceof ConfigError ? pointError(cause, points[at] as Point) : cause;
    }
  }
}

/**
 * Checked before any run.
 * @throws ConfigError naming a market without a record in a window, or two without a common time in
 * it
 */
function requireRecorded(
  splits: readonly Split[],
  { markets, startUs }: OpenedHistory,
  configs: readonly BacktestConfig[],
): void {
  const warmupMs = Math.max(...configs.map((config) => config.warmupMs));
  for (const { name, fromUs, toUs } of splits.flatMap(({ train, test }) => [
    train,
    prependWarmup(test, warmupMs, startUs),
  ])) {
    const silent = markets.find((market) => !mayHaveRecords(market, { fromUs, toUs }));
    if (silent === undefined) {
      requireCommonTime(markets, { fromUs, toUs }, ` in ${name}`);
      continue;
    }
    throw new ConfigError("has no data in a window", {
      field: `history.markets.${silent.marketId}`,
      value: `${name}, ${instantText(Math.floor(fromUs / 1000))} to ${instantText(Math.floor(toUs / 1000))}`,
      expected:
        "windows with data of every market: change history.from and history.to, or the lengths of the windows",
    });
  }
}

/** Everything that the figures depend on; not the ranking, and not the number of workers. */
function fingerprintOf(
  sweep: SweepConfig,
  version: string,
  { files, gaps }: HistoryContents,
  inputs: InputChecksums,
): string {
  const { backtest, parameters, method, walkForward } = sweep;
  const { path: _, name: __, bot, ...rest } = backtest;
  const { path: ___, ...shownBot } = bot;
  const { store: ____, ...history } = rest.history;
  const whole = {
    version,
    ...rest,
    history,
    bot: shownBot,
    inputs,
    parameters,
    method,
    walkForward: walkForward ?? null,
  };
  const text = JSON.stringify(
    [whole, files.map(({ sha256 }) => sha256), gaps],
    (_key, held: unknown) => (typeof held === "bigint" ? `${held}n` : held),
  );
  return createHash("sha256").update(text).digest("hex");
}

function written(directory: string, result: SweepResult): Omit<SweepOutcome, "inputs"> {
  dropOtherBest(directory, result.best);
  const [json, html] = [join(directory, SWEEP_FILES.json), join(directory, SWEEP_FILES.html)];
  wrapDiskError(json, () => replaceFile(json, sweepJsonParts(result)));
  wrapDiskError(html, () => replaceFile(html, sweepPage(result)));
  return { result, json, html };
}
