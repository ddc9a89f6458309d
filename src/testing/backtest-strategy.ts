import { resolve } from "node:path";
import { tap } from "rxjs";
import type { z } from "zod";
import type { BacktestConfig } from "../backtest/config/backtest-config.js";
import { readBacktestRules } from "../backtest/config/backtest-rules.js";
import { backtestSchema } from "../backtest/config/backtest-schema.js";
import { playedReferences } from "../backtest/config/played-references.js";
import type { ReplayFill } from "../backtest/record/run-observer.js";
import { RunRecorder } from "../backtest/record/run-recorder.js";
import { makeReport } from "../backtest/report/make-report.js";
import type { Report } from "../backtest/report/report-schema.js";
import { TAIL_US } from "../backtest/run/opening/history-gaps.js";
import { buildRunMeta, type PlayPathOptions, playPath } from "../backtest/run/play-path.js";
import type { PlayedHistory } from "../backtest/run/played-history.js";
import { checkBotValues } from "../bot/config/config.js";
import { botSchema } from "../bot/config/config-schema.js";
import { checkShape, textPaths } from "../core/config/config-shape.js";
import { RunError } from "../core/errors.js";
import { packageVersion } from "../core/package-version.js";
import type { Ms } from "../core/units.js";
import type { MarketView } from "../market/view.js";
import type { Intent } from "../strategies/intent.js";
import type { BoundStrategy, Strategy } from "../strategies/strategy.js";
import type { Capture } from "./capture.js";
import { plainDecimal } from "./test-instrument.js";

/** Values as a YAML file has them, by their keys. */
export type FileValues = Readonly<Record<string, unknown>>;

/** Options of {@link backtestStrategy}. */
export interface BacktestStrategyOptions {
  /** As under `params` of a bot's file. */
  readonly params: unknown;
  readonly capture: Capture;
  /** As under `limits` of a market in a bot's file; a position of 1 base unit if absent. */
  readonly limits?: FileValues;
  /** Further keys of the bot's file, such as `decide`, `quotes` and `risk`. */
  readonly bot?: FileValues;
  /** Further keys of the market in the bot's file, such as `decide`. */
  readonly market?: FileValues;
  /** Further keys of a backtest's file, such as `fills`, `account` and `warmupMs`. */
  readonly backtest?: FileValues;
  /** Fees and limits of the exchange, as under `rules.markets.X` of a backtest's file. */
  readonly rules?: FileValues;
  /** `1` if absent. */
  readonly seed?: string | number;
}

/** An intent of a backtest, as the strategy emitted it. */
export interface BacktestedIntent {
  /** `timeMs` of the newest view, milliseconds since 1970. */
  readonly timeMs: Ms;
  /** Number of the newest view. */
  readonly afterView: number;
  readonly intent: Intent;
}

/** The result of {@link backtestStrategy}. */
export interface StrategyBacktest {
  /** The figures as `marketwright backtest` writes them into `report.json`. */
  readonly report: Report;
  /** Every fill, in order. */
  readonly fills: readonly ReplayFill[];
  readonly intents: readonly BacktestedIntent[];
  /** Every view that the strategy got. */
  readonly views: readonly MarketView[];
}

const NO_EXCHANGE = { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1" };

/**
 * Runs a whole backtest of a strategy on a capture, with the bot and the fills of `marketwright
 * backtest`, in memory. No file is written.
 * @throws ConfigError for parameters or values that do not fit; RunError if the strategy fails
 * @example
 * ```ts
 * import { defineStrategy, quoteAround } from "marketwright";
 * import { backtestStrategy, generateCapture } from "marketwright/testing";
 * import { map } from "rxjs";
 * import { z } from "zod";
 *
 * const strategy = defineStrategy({
 *   params: z.object({ halfSpreadBps: z.number().positive(), sizeBase: z.number().positive() }),
 *   create:
 *     ({ halfSpreadBps, sizeBase }) =>
 *     (view$) =>
 *       view$.pipe(map((view) => quoteAround(view, view.midTicks, { halfSpreadBps, sizeBase }))),
 * });
 * const { report, fills, views } = await backtestStrategy(strategy, {
 *   params: { halfSpreadBps: 0.03, sizeBase: 0.01 },
 *   capture: generateCapture({ seconds: 60, seed: 1 }),
 *   limits: { maxPositionBase: 0.05 },
 * });
 * report.ended; // => "end-of-history"
 * fills.length > 0 && fills.length === report.fills.all.fills; // => true
 * views.every((view) => Math.abs(view.positionLots) <= 50); // => true
 * ```
 */
export async function backtestStrategy(
  strategy: Strategy,
  options: BacktestStrategyOptions,
): Promise<StrategyBacktest> {
  const { failure, ...backtest } = await observeBacktest(strategy, options);
  if (failure !== undefined) throw failure;
  return backtest;
}

/** Why the strategy of a backtest failed. */
interface BacktestFailure {
  /** Undefined if it did not. */
  readonly failure: RunError | undefined;
}

/** Runs a backtest as {@link backtestStrategy} does; returns a failure with what came before. */
export async function observeBacktest(
  strategy: Strategy,
  options: BacktestStrategyOptions,
): Promise<StrategyBacktest & BacktestFailure> {
  const views: MarketView[] = [];
  const intents: BacktestedIntent[] = [];
  const bound = observed(strategy.bind(options.params, { at: ["params"] }), views, intents);
  return { ...(await backtestBound(bound, options)), intents, views };
}

/** Runs a backtest of a strategy with parameters. */
export async function backtestBound(
  bound: BoundStrategy,
  options: Omit<BacktestStrategyOptions, "params">,
): Promise<Pick<StrategyBacktest, "report" | "fills"> & BacktestFailure> {
  const { capture } = options;
  const { marketId } = capture.instrument;
  const config = backtestConfig(options);
  const history = capturedHistory(capture);
  const run: PlayPathOptions = {
    strategies: new Map([[marketId, bound]]),
    version: packageVersion(),
  };
  const meta = buildRunMeta(config, run, history);
  const fills: ReplayFill[] = [];
  const recorder = new RunRecorder({
    startUs: meta.startUs,
    instruments: meta.instruments,
    adverseSelectionMs: config.adverseSelectionMs,
    onFill: (fill) => fills.push(fill),
  });
  const outcome = await playPath(config, run, history, "ohlc", recorder);
  const recorded = recorder.end(outcome.endUs, outcome.historyEndUs);
  const report = makeReport(meta, recorder, recorded, outcome);
  const [failed] = report.strategyErrors;
  const failure = failed && new RunError(`${failed.why} (at ${failed.at})`);
  return { report, fills, failure };
}

/** The strategy with a note of each view and intent. */
function observed(
  bound: BoundStrategy,
  views: MarketView[],
  intents: BacktestedIntent[],
): BoundStrategy {
  const noted: BoundStrategy = (context, changes) => {
    const operator = bound(context, changes);
    let newest: MarketView | undefined;
    return (view$) =>
      view$.pipe(
        tap((view) => {
          newest = view;
          views.push(view);
        }),
        operator,
        tap((intent) => {
          const { timeMs = 0, sequence: afterView = -1 } = newest ?? {};
          intents.push({ timeMs, afterView, intent });
        }),
      );
  };
  return Object.assign(noted, bound);
}

/** @throws ConfigError naming the key */
function backtestConfig(options: Omit<BacktestStrategyOptions, "params">): BacktestConfig {
  const { capture, limits = { maxPositionBase: 1 }, bot, market, backtest, rules, seed } = options;
  const { marketId, tickSize, stepSize } = capture.instrument;
  const path = resolve("strategy-test.yaml");
  const locate = (): string => "the test";
  const botFile = checkBotValues(
    exactNumbers(botSchema, {
      exchange: NO_EXCHANGE,
      account: { keyEnv: "MARKETWRIGHT_KEY" },
      quotes: { timeInForce: "POST_ONLY" },
      risk: { maxDrawdownQuote: 100_000 },
      ...bot,
      // The name of a file: time waits for the promises of the strategy.
      markets: { [marketId]: { ...market, strategy: "./strategy.js", params: {}, limits } },
    }),
    locate,
  );
  const marketRules = { tickSizeQuote: tickSize, stepSizeBase: stepSize, ...FREE, ...rules };
  const file = checkShape(
    backtestSchema,
    exactNumbers(backtestSchema, {
      ...(seed === undefined ? {} : { seed }),
      ...backtest,
      history: { market: marketId },
      bot: "bot.yaml",
      rules: { markets: { [marketId]: marketRules } },
    }),
    { locate },
  );
  const { market: _, markets: __, from: ___, to: ____, ...history } = file.history;
  const { liquidationPriceOff, insuranceFeeRate } = file.rules;
  const botConfig: BacktestConfig["bot"] = { ...botFile, path };
  const { rules: venueRules, asset } = readBacktestRules(file.rules, [marketId], ".");
  return {
    ...file,
    path,
    name: file.name ?? "strategy test",
    bot: botConfig,
    history: {
      ...history,
      markets: { [marketId]: marketId },
      fromUs: capture.fromMs * 1000,
      toUs: capture.toMs * 1000 + TAIL_US,
    },
    rules: venueRules,
    asset,
    references: playedReferences(botConfig, [marketId], undefined),
    written: { rules: file.rules, references: undefined, exchangeInfo: undefined },
    liquidation: { priceOff: liquidationPriceOff, insuranceFeeRate },
  };
}

const FREE = { makerFeeRate: 0, takerFeeRate: 0 };

/** Numbers become texts where the schema has exact decimals, as YAML keeps their digits. */
function exactNumbers(schema: z.ZodType, values: FileValues): unknown {
  const isExact = textPaths(schema);
  const convert = (value: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof value === "number")
      return isExact(path) ? plainDecimal(value, path.join(".")) : value;
    if (Array.isArray(value)) return value.map((item, at) => convert(item, [...path, at]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, held]) => [key, convert(held, [...path, key])]),
    );
  };
  return convert(values, []);
}

function capturedHistory(capture: Capture): PlayedHistory {
  const { tape, instrument, hasBook } = capture;
  return {
    grade: hasBook ? "books" : "trades",
    interval: undefined,
    markets: [
      {
        marketId: instrument.marketId,
        marks: undefined,
        hasFundingSchedule: false,
        funding: undefined,
        tapes: {
          async *[Symbol.asyncIterator]() {
            yield tape;
          },
        },
        klines: undefined,
        missingSpans: [],
      },
    ],
    startUs: tape.exchangeUs[0] as number,
    endUs: (tape.exchangeUs[tape.messages - 1] as number) + TAIL_US,
    files: [],
    gaps: [],
  };
}
