import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { BotConfig } from "../../bot/config/config.js";
import { isOwnStrategy, isStrategyFile } from "../../bot/config/strategy-name.js";
import type { Bot } from "../../bot/engine/bot.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { StrategyFile } from "../../bot/journal/journal.js";
import { DAY_MS, type MarketId } from "../../core/units.js";
import { intervalToMs } from "../../history/kinds.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import { renderResolvedFiles } from "../config/render-resolved-files.js";
import type { FillOptions } from "../engine/fill-options.js";
import type { ReferenceFactory } from "../engine/reference-replay.js";
import { describeLeftOutHedges } from "../engine/replay-config.js";
import { MARKS_OF_A_BAR, ReplayRun } from "../engine/replay-run.js";
import type { FeedFactory } from "../feed/create-feed.js";
import type { RunObserver } from "../record/run-observer.js";
import { RunRecorder } from "../record/run-recorder.js";
import { makeReport } from "../report/make-report.js";
import type { Report } from "../report/report-schema.js";
import type { InputFile, RunMeta, RunOutcome } from "../report/run-meta.js";
import { describeModels } from "./describe-models.js";
import { describeImplausibleFees, describeLargeShares } from "./implausible-results.js";
import { littleCommonTime } from "./opening/common-time.js";
import { latencyFileBytes } from "./opening/latency-file.js";
import { observePlayback, RecordedGridCheck } from "./opening/recorded-grid-check.js";
import { playHistory } from "./play-history.js";
import type { PlayedHistory } from "./played-history.js";
import { replayedInstruments, replayOptions, type Strategies } from "./replay-options.js";
import { requireReported } from "./require-reported.js";

/** The effect of `partialFills: false`, which no real market has. */
const WHOLE_FILLS =
  "fills.partialFills is false: a single lot fills the whole order, and takers get any amount at the best price, whatever the book shows there";

/** Options for playing a history. */
export interface PlayPathOptions {
  readonly strategies: Strategies;
  /** The strategies that are files, with their checksums, for the report. */
  readonly strategyFiles?: Readonly<Record<MarketId, StrategyFile>>;
  /** Version of this package. */
  readonly version: string;
  /** Called periodically with progress; return false to stop. */
  readonly onProgress?: (atUs: number) => boolean;
  /**
   * Called with every event of the bot, its time on the bot's clock in microseconds, and the bot,
   * which the events of its creation lack.
   */
  readonly onBotEvent?: (notice: BotEvent, atUs: number, bot?: Bot) => void;
  /**
   * Options of the replay: a cutoff after which there is no data, and how the bot receives a
   * market's data and a source's prices.
   */
  readonly cutUs?: number;
  readonly createFeed?: FeedFactory;
  readonly createReference?: ReferenceFactory;
}

const SAMPLE_MS = 1_000;

/**
 * Plays a backtest's history once, and summarises it without writing anything.
 * @param path for candles: the order of a bar's extremes.
 */
export async function playReport(
  config: BacktestConfig,
  run: PlayPathOptions,
  history: PlayedHistory,
  path: FillOptions["path"],
): Promise<Report> {
  const meta = buildRunMeta(config, run, history);
  const recorder = new RunRecorder({
    startUs: meta.startUs,
    instruments: meta.instruments,
    adverseSelectionMs: config.adverseSelectionMs,
  });
  const outcome = await playPath(config, run, history, path, recorder);
  return makeReport(meta, recorder, recorder.end(outcome.endUs, outcome.historyEndUs), outcome);
}

/** Plays the history through a run that reports to `observer`. */
export async function playPath(
  config: BacktestConfig,
  run: PlayPathOptions,
  history: PlayedHistory,
  path: FillOptions["path"],
  observer: RunObserver,
): Promise<RunOutcome> {
  const options = replayOptions(config);
  for (const gap of history.gaps)
    observer.note(history.startUs, "warn", `the history lacks ${gap}`);
  const ticks = new Map(history.markets.map(({ marketId }) => [marketId, new RecordedGridCheck()]));
  let isInterrupted = false;
  const watched = observePlayback(history, (marketId) => ticks.get(marketId) as RecordedGridCheck);
  const replay = await playHistory(watched, {
    begin: (markets, references) =>
      new ReplayRun({
        ...options,
        fills: { ...options.fills, path },
        strategies: run.strategies,
        markets,
        references,
        observer,
        sampleUs: sampleMsOf(config, history) * 1000,
        startUs: history.startUs,
        ...(run.onBotEvent === undefined ? {} : { onBotEvent: run.onBotEvent }),
        cutUs: run.cutUs,
        createFeed: run.createFeed,
        createReference: run.createReference,
      }),
    toUs: history.endUs,
    awaits: Object.keys(config.history.markets).some((marketId) =>
      isOwnStrategy(config.bot.markets[marketId].strategy ?? ""),
    ),
    onProgress: (atUs) => {
      isInterrupted = run.onProgress?.(atUs) === false;
      return !isInterrupted;
    },
  });
  const { haltReason, positionsSinceHalt, nowUs: historyEndUs, strategyErrors } = replay;
  const worthless = [
    ...littleCommonTime(history.markets, { fromUs: history.startUs, toUs: history.endUs }),
    ...replay.worthless,
  ];
  const endUs = replay.finish();
  const finer = [...ticks].flatMap(([marketId, tick]) =>
    tick.warnings.map((doubt) => `${marketId}: ${doubt}`),
  );
  const whole = history.grade === "books" && !options.fills.partialFills ? [WHOLE_FILLS] : [];
  const doubts = [
    ...describeImplausibleFees(config),
    ...describeLeftOutHedges(config.bot, Object.keys(config.history.markets)),
    ...(history.warnings ?? []),
    ...finer,
    ...whole,
    ...describeLargeShares(history.grade, replay.venue.markets.values()),
  ];
  for (const text of [...worthless, ...doubts]) observer.note(endUs, "warn", text);
  const over = (ended: Pick<RunOutcome, "ended" | "reason">): RunOutcome => ({
    endUs,
    historyEndUs,
    refusals: replay.refusals,
    worthless,
    strategyErrors,
    doubts,
    rungs: replay.rungs,
    ...ended,
  });
  if (replay.venue.isLiquidated)
    return over({
      ended: "liquidated",
      reason: "the account's equity fell below its maintenance margin",
    });
  if (haltReason !== undefined && !isInterrupted) {
    return over({
      ended: "halted",
      reason:
        positionsSinceHalt === undefined ? haltReason : `${haltReason}; ${positionsSinceHalt}`,
    });
  }
  return over(
    isInterrupted
      ? { ended: "stopped", reason: "the run was interrupted" }
      : { ended: "end-of-history" },
  );
}

/**
 * Collects the facts about a run that are known before it begins.
 * @throws ConfigError where the warm-up leaves nothing to report
 */
export function buildRunMeta(
  config: BacktestConfig,
  run: PlayPathOptions,
  history: PlayedHistory,
): RunMeta {
  const { bot, name, seed, asset, adverseSelectionMs, warmupMs } = config;
  const { grade, interval } = history;
  const sampleMs = sampleMsOf(config, history);
  requireReported(warmupMs, history);
  return {
    name,
    version: run.version,
    seed: String(seed),
    grade,
    startUs: history.startUs + warmupMs * 1000,
    asset,
    instruments: replayedInstruments(config),
    strategies: new Map(
      Object.keys(config.history.markets).map((marketId) => [
        marketId,
        shownStrategy(bot, marketId),
      ]),
    ),
    configuration: renderResolvedFiles(config, { grade, interval, sampleMs }),
    data: history.files,
    gaps: history.gaps,
    inputs: inputsOf(config, run),
    sampleMs,
    adverseSelectionMs,
    models: describeModels(config, history),
  };
}

function inputsOf({ fills }: BacktestConfig, { strategyFiles = {} }: PlayPathOptions): InputFile[] {
  const strategies = new Map(
    Object.values(strategyFiles).map((file) => [shownInput(file), file.sha256]),
  );
  const { latencyFile } = fills;
  return [
    ...[...strategies].map(([name, sha256]) => ({ name, sha256 })),
    ...(latencyFile === undefined
      ? []
      : [
          {
            name: basename(latencyFile),
            sha256: createHash("sha256").update(latencyFileBytes(latencyFile)).digest("hex"),
          },
        ]),
  ];
}

/** A package with its version; a file without its folder, which is private. */
function shownInput({ name, version }: StrategyFile): string {
  return version === undefined ? basename(name) : `${name} ${version}`;
}

/** For a strategy file its name alone: its folder is private. */
function shownStrategy({ markets }: BotConfig, marketId: MarketId): string {
  const strategy = markets[marketId].strategy ?? "";
  return isStrategyFile(strategy) ? basename(strategy) : strategy;
}

function sampleMsOf({ sampleMs }: BacktestConfig, { grade, interval }: PlayedHistory): number {
  if (sampleMs !== undefined) return sampleMs;
  if (grade !== "klines") return SAMPLE_MS;
  // If a candle's open and extremes make marks, the drawdown must include what they would have
  // liquidated.
  const markMs = (intervalToMs(interval ?? "") ?? DAY_MS) / MARKS_OF_A_BAR;
  return DAY_MS % markMs === 0 ? markMs : DAY_MS;
}
