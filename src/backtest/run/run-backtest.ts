import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Decimal } from "decimal.js";
import { type BotConfig, isStrategyFile } from "../../bot/config/config.js";
import type { StrategyFile } from "../../bot/journal/journal.js";
import type { Notice } from "../../bot/notice.js";
import { RunError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { DAY_MS } from "../../history/day.js";
import { intervalMsOf } from "../../history/kinds.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import { shownFiles } from "../config/shown-files.js";
import type { FillModels } from "../engine/fill-models.js";
import type { MarketHistory } from "../engine/market-history.js";
import { ReplayRun } from "../engine/replay-run.js";
import type { FeedMaker } from "../feed/feed-of.js";
import { Refusals } from "../record/refusals.js";
import type { RunObserver } from "../record/run-observer.js";
import { RunRecorder } from "../record/run-recorder.js";
import { makeReport } from "../report/make-report.js";
import type { Report } from "../report/report-schema.js";
import { type ReportPaths, ReportWriter } from "../report/report-writer.js";
import type { AlternativeRun, InputFile, RunMeta, RunOutcome } from "../report/run-meta.js";
import { openHistory, type PlayedHistory } from "./open-history.js";
import { playHistory } from "./play-history.js";
import { finerTickThanRecorded } from "./recorded-tick.js";
import { instrumentsOf, replayOptions, type Strategies } from "./replay-options.js";
import { shownModels } from "./shown-models.js";

/** What a history is played with. */
export interface PlayedBy {
  readonly strategies: Strategies;
  /** Those among them that are files, with their checksums: for who reads the report. */
  readonly strategyFiles?: Readonly<Record<MarketId, StrategyFile>>;
  /** Of this package. */
  readonly version: string;
  /** Told now and then how far the run is; false ends it. */
  readonly onProgress?: (atUs: number) => boolean;
  /** Everything that the bot tells, with the instant on its clock, microseconds. */
  readonly onNotice?: (notice: Notice, atUs: number) => void;
  /** As a replay takes them: an instant after which nothing is there, and how the bot hears a market. */
  readonly cutUs?: number;
  readonly feedOf?: FeedMaker;
}

/** What a backtest is run with, besides its file. */
export interface BacktestRun extends PlayedBy {
  /** Where the report shall lie. */
  readonly directory: string;
  /** Whether a report that lies there may be replaced. */
  readonly replace: boolean;
  /** Told as columns of a day are made, which takes seconds the first time. */
  readonly onMake?: (market: string, day: string) => void;
}

/** What came of it. */
export interface BacktestResult extends ReportPaths {
  /** What the store lacks of the span, in words. */
  readonly gaps: readonly string[];
  /** What makes the run less believable than it looks, in words; the report has it among its notes. */
  readonly doubts: readonly string[];
}

const SAMPLE_MS = 1_000;

/**
 * Runs a backtest and writes its report. Candles are run along both paths, each with a report of its own in the making: the worse one's is kept,
 * with the other's headline in it.
 * @throws ConfigError for what the files get wrong or the store lacks; RunError and HistoryError
 */
export async function runBacktest(config: BacktestConfig, run: BacktestRun): Promise<BacktestResult> {
  const history = await openHistory(config, run.onMake);
  const { path } = config.fills;
  const paths = path !== "worse" ? [path] : history.grade === "klines" ? BOTH_PATHS : BOTH_PATHS.slice(0, 1);
  const runs: PlayedPath[] = [];
  try {
    for (const way of paths) if (!runs.some(isStopped)) runs.push(await playedOn(config, run, history, way));
    const { writer, outcome, doubts } = chosenOf(runs, paths.length);
    return { ...writer.finish(outcome), gaps: history.gaps, doubts };
  } finally {
    for (const { writer } of runs) writer.abandon();
  }
}

/** Plays a backtest's history once, and sums it up without writing anything. @param path of candles: the order of a bar's extremes. */
export async function reportOf(config: BacktestConfig, run: PlayedBy, history: PlayedHistory, path: FillModels["path"]): Promise<Report> {
  const meta = metaOf(config, run, history);
  const recorder = new RunRecorder({
    startUs: meta.startUs,
    instruments: meta.instruments,
    adverseSelectionMs: config.adverseSelectionMs,
  });
  const { outcome } = await played(config, run, history, path, recorder);
  return makeReport(meta, recorder, recorder.end(outcome.endUs), outcome);
}

/** Both orders of a bar's extremes. */
const BOTH_PATHS = ["ohlc", "olhc"] as const;

/** A run that is over. */
interface Played {
  readonly outcome: RunOutcome;
  readonly doubts: readonly string[];
}

/** The same, with its report still in the making. */
interface PlayedPath extends Played {
  readonly path: FillModels["path"];
  readonly writer: ReportWriter;
}

async function playedOn(config: BacktestConfig, run: BacktestRun, history: PlayedHistory, path: FillModels["path"]): Promise<PlayedPath> {
  const writer = new ReportWriter(run.directory, metaOf(config, run, history), { replace: run.replace });
  try {
    return { path, writer, ...(await played(config, run, history, path, writer.observer)) };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** The run that is reported: of both paths the one that earned less, as far as both were played to their end. */
function chosenOf(runs: readonly PlayedPath[], paths: number): PlayedPath {
  const [first, second] = runs;
  if (first === undefined) throw new RunError("nothing was played", { field: "fills.path", expected: "a path" });
  if (paths === 1) return first;
  if (second === undefined || isStopped(second)) {
    const reason = `it was interrupted before both paths through the candles were played: this is ${nameOf(first)} alone`;
    return { ...first, outcome: { ...first.outcome, ended: "stopped", reason } };
  }
  const [high, low] = [headline(first), headline(second)];
  const isFirstWorse = new Decimal(high.profit).lte(low.profit);
  const [worse, better] = isFirstWorse ? [first, low] : [second, high];
  return { ...worse, outcome: { ...worse.outcome, alternatives: [better] } };
}

function isStopped({ outcome }: PlayedPath): boolean {
  return outcome.ended === "stopped";
}

function headline(played: PlayedPath): AlternativeRun {
  const { profit, drawdown, fills } = played.writer.report(played.outcome);
  return { name: nameOf(played), profit: profit.total, maxDrawdown: drawdown.max, fills: fills.all.fills };
}

function nameOf({ path }: PlayedPath): string {
  return path === "ohlc" ? "the high before the low in every candle" : "the low before the high in every candle";
}

/** Plays the history through a run that tells `observer`. */
async function played(
  config: BacktestConfig,
  run: PlayedBy,
  history: PlayedHistory,
  path: FillModels["path"],
  observer: RunObserver,
): Promise<Played> {
  const options = replayOptions(config);
  for (const gap of history.gaps) observer.note(history.startUs, "warn", `the history lacks ${gap}`);
  const refusals = new Refusals();
  let doubts: readonly string[] = [];
  let isInterrupted = false;
  const replay = await playHistory(history, {
    begin: (markets) => {
      doubts = doubtsOf(markets);
      for (const doubt of doubts) observer.note(history.startUs, "warn", doubt);
      return new ReplayRun({
        ...options,
        fills: { ...options.fills, path },
        strategies: run.strategies,
        markets,
        observer,
        sampleUs: sampleMsOf(config, history) * 1000,
        startUs: history.startUs,
        onNotice: (notice, atUs) => {
          refusals.hear(notice, atUs);
          run.onNotice?.(notice, atUs);
        },
        ...(run.cutUs === undefined ? {} : { cutUs: run.cutUs }),
        ...(run.feedOf === undefined ? {} : { feedOf: run.feedOf }),
      });
    },
    toUs: history.endUs,
    awaits: Object.keys(config.history.markets).some((marketId) => isStrategyFile(config.bot.markets[marketId].strategy ?? "")),
    onProgress: (atUs) => {
      isInterrupted = run.onProgress?.(atUs) === false;
      return !isInterrupted;
    },
  });
  const { haltedWhy } = replay;
  const whole = { endUs: replay.finish(), refusals: refusals.list };
  const over = (ended: Pick<RunOutcome, "ended" | "reason">): Played => ({ outcome: { ...whole, ...ended }, doubts });
  if (replay.venue.isLiquidated) return over({ ended: "liquidated", reason: "the account did not cover its maintenance margin" });
  if (haltedWhy !== undefined && !isInterrupted) return over({ ended: "halted", reason: haltedWhy });
  return over(isInterrupted ? { ended: "stopped", reason: "it was interrupted" } : { ended: "end-of-history" });
}

function doubtsOf(markets: ReadonlyMap<MarketId, MarketHistory>): string[] {
  return [...markets].flatMap(([marketId, history]) => {
    const finer = finerTickThanRecorded(history);
    return finer === undefined ? [] : [`${marketId}: ${finer}`];
  });
}

function metaOf(config: BacktestConfig, run: PlayedBy, history: PlayedHistory): RunMeta {
  const { bot, name, seed, asset, adverseSelectionMs, warmupMs } = config;
  const { grade, interval } = history;
  const sampleMs = sampleMsOf(config, history);
  return {
    name,
    version: run.version,
    seed: String(seed),
    grade,
    startUs: history.startUs + warmupMs * 1000,
    asset,
    instruments: instrumentsOf(config),
    strategies: new Map(Object.keys(config.history.markets).map((marketId) => [marketId, shownStrategy(bot, marketId)])),
    configuration: shownFiles(config, { grade, interval, sampleMs }),
    data: history.files,
    gaps: history.gaps,
    inputs: inputsOf(config, run),
    sampleMs,
    adverseSelectionMs,
    models: shownModels(config, history),
  };
}

function inputsOf({ fills }: BacktestConfig, { strategyFiles = {} }: PlayedBy): InputFile[] {
  const strategies = new Map(Object.values(strategyFiles).map(({ name, sha256 }) => [name, sha256]));
  const { latencyFile } = fills;
  return [
    ...[...strategies].map(([path, sha256]) => ({ name: basename(path), sha256 })),
    ...(latencyFile === undefined
      ? []
      : [{ name: basename(latencyFile), sha256: createHash("sha256").update(readFileSync(latencyFile)).digest("hex") }]),
  ];
}

/** Of a file its name: where it lies is nobody's business. */
function shownStrategy({ markets }: BotConfig, marketId: MarketId): string {
  const strategy = markets[marketId].strategy ?? "";
  return isStrategyFile(strategy) ? basename(strategy) : strategy;
}

function sampleMsOf({ sampleMs }: BacktestConfig, { grade, interval }: PlayedHistory): number {
  if (sampleMs !== undefined) return sampleMs;
  if (grade !== "klines") return SAMPLE_MS;
  const intervalMs = intervalMsOf(interval ?? "") ?? DAY_MS;
  return DAY_MS % intervalMs === 0 ? intervalMs : DAY_MS;
}
