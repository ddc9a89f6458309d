import { rmSync } from "node:fs";
import { join } from "node:path";
import type { BacktestConfig } from "../../backtest/config/backtest-config.js";
import { InterruptedRunError } from "../../backtest/report/interrupted-run-error.js";
import type { Report } from "../../backtest/report/report-schema.js";
import { disableParallelGc } from "../../backtest/run/disable-parallel-gc.js";
import { runBacktest } from "../../backtest/run/run-backtest.js";
import {
  hashLatencyFiles,
  requireInputs,
  strategyChecksums,
} from "../../backtest/sweep/jobs/input-files.js";
import type { JobRunner } from "../../backtest/sweep/jobs/job-runner.js";
import { ThreadPool } from "../../backtest/sweep/jobs/thread-pool.js";
import { requireUnchanged } from "../../backtest/sweep/jobs/unchanged-history.js";
import { endText } from "../../backtest/sweep/results/end-text.js";
import { FIGURES } from "../../backtest/sweep/results/figures.js";
import { BEST_FOLDER } from "../../backtest/sweep/results/sweep-folder.js";
import { sweepJsonParts } from "../../backtest/sweep/results/sweep-json.js";
import { strategyErrors, sweepWarnings } from "../../backtest/sweep/results/sweep-warnings.js";
import { warningMark } from "../../backtest/sweep/results/warning-text.js";
import { runSweep, type SweepOutcome } from "../../backtest/sweep/run-sweep.js";
import { loadSweepConfig, pointText, type SweepConfig } from "../../backtest/sweep/sweep-config.js";
import { bindStrategies, loadStrategies, strategyFiles } from "../../bot/run/market-strategies.js";
import { logStrategyFailure } from "../../bot/strategy/log-strategy-failure.js";
import { loadOptional, requireInstalled } from "../../core/optional-part.js";
import { packageVersion } from "../../core/package-version.js";
import { type Log, openLog } from "../../monitoring/log.js";
import type { CliContext } from "../cli-context.js";
import { ReportedFailure } from "../process/exit.js";
import { table } from "../process/output.js";
import { programVersion } from "../process/program-version.js";
import { failOnUncaughtStrategyErrors } from "../process/uncaught-strategy-errors.js";
import { type QueueOptions, readQueueAddress } from "../queue-option.js";

export interface SweepCommandOptions extends QueueOptions {
  readonly out: string;
  readonly replace?: boolean;
  readonly reportBest?: boolean;
  readonly json?: boolean;
}

/** Runs a sweep, or continues an interrupted one. */
export async function sweepCommand(
  context: CliContext,
  file: string,
  options: SweepCommandOptions,
): Promise<void> {
  await failOnUncaughtStrategyErrors(context, (check) => sweep(context, file, options, check));
}

/** @param check throws the strategies' uncaught errors in this thread. */
async function sweep(
  context: CliContext,
  file: string,
  { out, replace = false, reportBest = false, json = false, ...named }: SweepCommandOptions,
  check: () => void,
): Promise<void> {
  const queue = readQueueAddress(named, context);
  if (queue !== undefined) requireInstalled(["@duckdb/node-api", "bullmq", "ioredis"]);
  await loadOptional("@duckdb/node-api");
  const config = loadSweepConfig(file, context.env);
  const log = openLog({ level: config.backtest.bot.logLevel, clock: context.runtime.clock });
  const abort = new AbortController();
  context.interrupted().then(() => abort.abort());
  disableParallelGc();
  const runner = await runnerOf(config, queue, context);
  const bar = progress(context);
  try {
    const outcome = await runSweep(config, {
      directory: out,
      replace,
      runner,
      version: programVersion(),
      log,
      signal: abort.signal,
      onMake: (market, day) => bar(`making columns of ${market} ${day}`),
      onProgress: (done, all) => {
        check();
        bar(`${gauge(done / all)} ${done} of ${all} runs`);
      },
    });
    bar("");
    const isOn = (): boolean => {
      check();
      return !abort.signal.aborted;
    };
    const best =
      outcome === undefined || !reportBest
        ? undefined
        : await reportBestOf(config, outcome, join(out, BEST_FOLDER), log, isOn);
    if (outcome === undefined || (reportBest && best === undefined)) {
      context.stderr.write(
        `Interrupted. The finished runs are in ${out}; the same command continues from there.\n`,
      );
      throw new ReportedFailure();
    }
    if (!json) context.stdout.write(resultText(outcome));
    else for (const part of sweepJsonParts(outcome.result, 2)) context.stdout.write(part);
    for (const doubt of sweepWarnings(outcome.result)) context.stderr.write(`${doubt}\n`);
    const failed = best?.strategyErrors ?? [];
    for (const { marketId, at, why } of failed)
      context.stderr.write(
        `The strategy of ${marketId} failed at ${at} in the report of the best point: ${why}\n`,
      );
    for (const gap of outcome.result.gaps) context.stderr.write(`The history has a gap: ${gap}\n`);
    if (strategyErrors(outcome.result).length > 0 || failed.length > 0) throw new ReportedFailure();
  } finally {
    bar("");
    await runner.close();
  }
}

async function runnerOf(
  sweep: SweepConfig,
  queue: string | undefined,
  { stderr }: CliContext,
): Promise<JobRunner> {
  if (queue === undefined)
    return new ThreadPool({ workers: sweep.workers, version: programVersion() });
  const { QueueRunner } = await import("../../backtest/queue/queue-runner.js");
  return QueueRunner.open(queue, programVersion(), {
    onAvailability: (what) => stderr.write(`${what}\n`),
  });
}

/**
 * Writes the report of the best point, and returns its path; undefined when it was interrupted,
 * because a partial replay is not a report. @throws ConfigError if its inputs have changed since
 * the sweep started
 */
async function reportBestOf(
  sweep: SweepConfig,
  { result, inputs }: SweepOutcome,
  directory: string,
  log: Log,
  isOn: () => boolean,
): Promise<Report | undefined> {
  const config = sweep.configs[result.best] as BacktestConfig;
  const loaded = await loadStrategies(config.bot, log);
  const files = strategyFiles(loaded);
  requireInputs(inputs, { ...strategyChecksums(files), ...(await hashLatencyFiles([config])) });
  const played = await runBacktest(config, {
    strategies: bindStrategies(config.bot, loaded),
    strategyFiles: files,
    directory,
    replace: true,
    version: packageVersion(),
    onBotEvent: (notice) => logStrategyFailure(log, notice, { job: BEST_FOLDER }),
    onProgress: isOn,
  }).catch((error: unknown) => {
    if (error instanceof InterruptedRunError) return undefined;
    throw error;
  });
  if (played === undefined) return undefined;
  const { report } = played;
  const drop = (): void => rmSync(directory, { recursive: true, force: true });
  if (report.ended === "stopped") {
    drop();
    return undefined;
  }
  try {
    requireUnchanged(report.data, result.data);
  } catch (error) {
    drop();
    throw error;
  }
  return report;
}

const BAR_CELLS = 30;

function gauge(share: number): string {
  const filled = Math.round(share * BAR_CELLS);
  return `${"#".repeat(filled)}${".".repeat(BAR_CELLS - filled)}`;
}

/** Overwrites one line of a terminal. */
function progress({ stderr }: CliContext): (text: string) => void {
  return (text) => {
    if (stderr.isTTY === true) stderr.write(`\r\x1b[K${text}`);
  };
}

const MOST_ROWS = 20;

function resultText({ result, json, html }: SweepOutcome): string {
  const { points, objective, walkForward, windows } = result;
  const { figure, goal } = objective;
  const ranked = [...points].sort((a, b) => a.rank - b.rank).slice(0, MOST_ROWS);
  const paths = result.parameters.map(({ path }) => path);
  const shown = [...new Set([figure, "profit", "maxDrawdown", "fills"] as const)];
  const one = windows.length === 1;
  const isEarly = ranked.some(({ runs }) => endText(runs) !== "");
  const hasAnyWarnings = ranked.some(({ runs }) => warningMark(runs) !== "");
  const heads = [
    "rank",
    "point",
    ...paths,
    ...(one ? shown : [`mean ${figure}`]),
    ...(hasAnyWarnings ? ["warnings"] : []),
    ...(isEarly ? ["ended early"] : []),
  ];
  const rows = ranked.map(({ rank, index, values, objective: value, runs }) => [
    String(rank),
    String(index),
    ...paths.map((path) => String(values[path])),
    ...(one ? shown.map((name) => text(runs[0]?.figures[name])) : [text(value)]),
    ...(hasAnyWarnings ? [warningMark(runs)] : []),
    ...(isEarly ? [endText(runs)] : []),
  ]);
  const more =
    points.length > MOST_ROWS ? `(the best ${MOST_ROWS} of ${points.length} points)\n` : "";
  const splits = walkForward?.splits.map(({ train, test, best, values, trained, tested }) => {
    return `${train.name} from ${train.from}: point ${best} (${pointText(values)}), ${figure} ${text(trained.figures[figure])}; on ${test.from} to ${test.to}: ${text(tested.figures[figure])}, profit ${text(tested.figures.profit)}${tested.ended === "end-of-history" ? "" : ` (${tested.ended})`}${tested.doubts.length === 0 ? "" : " (may be too optimistic)"}\n`;
  });
  const tested =
    walkForward === null
      ? ""
      : `${(splits ?? []).join("")}profit on all ${walkForward.splits.length} test windows ${walkForward.tested.profit}, above zero in ${walkForward.tested.positive}; positions at the end of a window count at the mark price, without the cost of closing them\n`;
  return `${goal} ${FIGURES[figure].words}\n${table([heads, ...rows])}${more}${tested}page    ${html}\nfigures ${json}\n`;
}

function text(value: string | number | null | undefined): string {
  return value === null || value === undefined
    ? "none"
    : String(typeof value === "number" ? Number(value.toPrecision(6)) : value);
}
