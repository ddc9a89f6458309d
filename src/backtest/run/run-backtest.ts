import { basename } from "node:path";
import { Decimal } from "decimal.js";
import { stringify } from "yaml";
import { isStrategyFile } from "../../bot/config/config.js";
import type { Notice } from "../../bot/notice.js";
import { scaledToDecimal } from "../../core/instrument.js";
import { DAY_MS } from "../../history/day.js";
import { intervalMsOf } from "../../history/kinds.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { FillModels } from "../engine/fill-models.js";
import { replayConfig } from "../engine/replay-config.js";
import { ReplayRun } from "../engine/replay-run.js";
import type { RunObserver } from "../record/run-observer.js";
import { RunRecorder } from "../record/run-recorder.js";
import { makeReport } from "../report/make-report.js";
import type { Report } from "../report/report-schema.js";
import { type ReportPaths, ReportWriter } from "../report/report-writer.js";
import type { AlternativeRun, RunMeta, RunOutcome } from "../report/run-meta.js";
import { openHistory, type PlayedHistory } from "./open-history.js";
import { playHistory } from "./play-history.js";
import { instrumentsOf, replayOptions, type Strategies } from "./replay-options.js";

/** What a history is played with. */
export interface PlayedBy {
  readonly strategies: Strategies;
  /** Of this package. */
  readonly version: string;
  /** The quote asset, for those who read the report. */
  readonly asset?: string;
  /** Told now and then how far the run is; false ends it. */
  readonly onProgress?: (atUs: number) => boolean;
  /** Everything that the bot tells, with the instant on its clock, microseconds. */
  readonly onNotice?: (notice: Notice, atUs: number) => void;
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
}

const SAMPLE_MS = 1_000;

/**
 * Runs a backtest and writes its report. Candles are run along both paths, and the worse is reported, with the other beside it.
 * @throws ConfigError for what the files get wrong or the store lacks; RunError and HistoryError
 */
export async function runBacktest(config: BacktestConfig, run: BacktestRun): Promise<BacktestResult> {
  const history = await openHistory(config, run.onMake);
  const { path } = config.fills;
  if (history.grade !== "klines" || path !== "worse") {
    const chosen = path === "worse" ? "ohlc" : path;
    return { ...(await reported(config, run, history, chosen, [])), gaps: history.gaps };
  }
  const [high, low] = [await tried(config, run, history, "ohlc"), await tried(config, run, history, "olhc")];
  const isHighWorse = new Decimal(high.alternative.profit).lte(low.alternative.profit);
  const [worse, better] = isHighWorse ? ([high, low] as const) : ([low, high] as const);
  return { ...(await reported(config, run, history, worse.path, [better.alternative])), gaps: history.gaps };
}

/** Plays a backtest's history once, and sums it up without writing anything. @param path of candles: the order of a bar's extremes. */
export async function reportOf(config: BacktestConfig, run: PlayedBy, history: PlayedHistory, path: FillModels["path"]): Promise<Report> {
  const meta = metaOf(config, run, history);
  const recorder = new RunRecorder({
    startUs: meta.startUs,
    instruments: meta.instruments,
    adverseSelectionMs: config.adverseSelectionMs,
  });
  const outcome = await played(config, run, history, path, recorder);
  return makeReport(meta, recorder, recorder.end(outcome.endUs), outcome);
}

async function reported(
  config: BacktestConfig,
  run: BacktestRun,
  history: PlayedHistory,
  path: FillModels["path"],
  alternatives: readonly AlternativeRun[],
): Promise<ReportPaths> {
  const writer = new ReportWriter(run.directory, metaOf(config, run, history), { replace: run.replace });
  try {
    const outcome = await played(config, run, history, path, writer.observer);
    return writer.finish(alternatives.length === 0 ? outcome : { ...outcome, alternatives });
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** The headline of a run along one path through the candles. */
async function tried(config: BacktestConfig, run: PlayedBy, history: PlayedHistory, path: "ohlc" | "olhc") {
  const { profit, drawdown, fills } = await reportOf(config, run, history, path);
  const alternative: AlternativeRun = {
    name: path === "ohlc" ? "the high before the low in every candle" : "the low before the high in every candle",
    profit: profit.total,
    maxDrawdown: drawdown.max,
    fills: fills.all.fills,
  };
  return { path, alternative };
}

/** Plays the history through a run that tells `observer`. */
async function played(
  config: BacktestConfig,
  run: PlayedBy,
  history: PlayedHistory,
  path: FillModels["path"],
  observer: RunObserver,
): Promise<RunOutcome> {
  const options = replayOptions(config);
  for (const gap of history.gaps) observer.note(history.startUs, "warn", `the history lacks ${gap}`);
  let isStopped = false;
  const replay = await playHistory(history, {
    begin: (markets) =>
      new ReplayRun({
        ...options,
        fills: { ...options.fills, path },
        strategies: run.strategies,
        markets,
        observer,
        sampleUs: sampleMsOf(config, history) * 1000,
        startUs: history.startUs,
        ...(run.onNotice === undefined ? {} : { onNotice: run.onNotice }),
      }),
    toUs: history.endUs,
    awaits: Object.keys(config.history.markets).some((marketId) => isStrategyFile(config.bot.markets[marketId].strategy ?? "")),
    onProgress: (atUs) => {
      isStopped = run.onProgress?.(atUs) === false;
      return !isStopped;
    },
  });
  const { haltedWhy } = replay;
  const endUs = replay.finish();
  if (replay.venue.isLiquidated) return { endUs, ended: "liquidated", reason: "the account did not cover its maintenance margin" };
  if (haltedWhy !== undefined && !isStopped) return { endUs, ended: "halted", reason: haltedWhy };
  return isStopped ? { endUs, ended: "stopped", reason: "it was interrupted" } : { endUs, ended: "end-of-history" };
}

function metaOf(config: BacktestConfig, run: PlayedBy, history: PlayedHistory): RunMeta {
  const { path, bot, rules, fills, name, seed, adverseSelectionMs, warmupMs } = config;
  const markets = Object.keys(config.history.markets);
  const { liquidation, account } = config;
  const { path: botPath, ...shownBot } = replayConfig(bot, new Set(markets));
  const shown = { history: config.history, account, fills, liquidation, warmupMs, seed, sampleMs: sampleMsOf(config, history) };
  const rates = markets.map((marketId) => {
    const { makerFeeRate, takerFeeRate } = rules.markets[marketId];
    return { name: `Fees in ${marketId}`, value: `maker ${bpsText(makerFeeRate)} bps, taker ${bpsText(takerFeeRate)} bps` };
  });
  const shownRules = { ...rules, markets: Object.fromEntries(markets.map((marketId) => [marketId, rules.markets[marketId]])) };
  return {
    name,
    version: run.version,
    seed: String(seed),
    grade: history.grade,
    startUs: history.startUs + warmupMs * 1000,
    asset: run.asset ?? "quote",
    instruments: instrumentsOf(config),
    strategies: new Map(markets.map((marketId) => [marketId, bot.markets[marketId].strategy ?? ""])),
    configuration: [
      { name: basename(path), yaml: stringify(shown) },
      { name: basename(botPath), yaml: stringify(shownBot) },
      { name: "exchange rules", yaml: stringify(JSON.parse(JSON.stringify(shownRules, bigintText))) },
    ],
    data: history.files,
    sampleMs: sampleMsOf(config, history),
    adverseSelectionMs,
    models: [...modelsOf(config, history), ...carryOf(history), ...rates],
  };
}

/** What marks and funding are made of; a history without either has neither to show, and its report says so. */
function carryOf({ markets, grade }: PlayedHistory): { readonly name: string; readonly value: string }[] {
  return markets.map(({ marketId, marks, funding }) => {
    const made = grade === "klines" ? "the price at each bar's open, high and low" : "the middle of the best prices";
    const mark = marks === undefined ? made : "as recorded";
    const isTold = marks?.nextFundingMs.some((ms) => ms > 0) === true;
    const paid = funding !== undefined ? "as it was paid" : isTold ? "what the marks said would be paid" : "none paid: none recorded";
    return { name: `Mark and funding in ${marketId}`, value: `mark: ${mark}; funding: ${paid}` };
  });
}

function modelsOf({ fills }: BacktestConfig, { grade, interval }: PlayedHistory): { readonly name: string; readonly value: string }[] {
  const latency =
    fills.latencyFile !== undefined
      ? `recorded round trips of ${basename(fills.latencyFile)}`
      : fills.feedLatency !== undefined
        ? `follows the feed: order x ${fills.feedLatency.order.factor} + ${fills.feedLatency.order.addMs} ms, response x ${fills.feedLatency.response.factor} + ${fills.feedLatency.response.addMs} ms`
        : `${fills.orderLatencyMs} ms to the exchange, ${fills.responseLatencyMs} ms back`;
  const taker = { name: "Takers", value: `${fills.slippageTicks} ticks worse than the last price` };
  const matching =
    grade === "books"
      ? [{ name: "Queue", value: `${fills.queue}${fills.partialFills ? "" : ", whole fills only"}` }]
      : grade === "trades"
        ? [
            {
              name: "Fills",
              value:
                fills.queueAheadBase === undefined ? "only by a trade beyond the price" : `behind ${fills.queueAheadBase} at the price`,
            },
            taker,
          ]
        : [{ name: "Fills", value: `candles of ${interval}, at most ${fills.volumeShare * 100} % of a candle's volume` }, taker];
  return [...matching, { name: "Latency", value: latency }];
}

function sampleMsOf({ sampleMs }: BacktestConfig, { grade, interval }: PlayedHistory): number {
  if (sampleMs !== undefined) return sampleMs;
  if (grade !== "klines") return SAMPLE_MS;
  const intervalMs = intervalMsOf(interval ?? "") ?? DAY_MS;
  return DAY_MS % intervalMs === 0 ? intervalMs : DAY_MS;
}

function bpsText(rateE18: bigint): string {
  return scaledToDecimal(rateE18, 14);
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
