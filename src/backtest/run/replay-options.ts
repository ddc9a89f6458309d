import { decimalToScaled, Instrument } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import { toFixedPoint } from "../../perpetual/fixed-point.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { ReplayRunOptions } from "../engine/replay-run-options.js";
import { constantLatency, feedLatency, sampledLatency } from "../venue/latency/latency.js";
import { readLatencyFile } from "./opening/latency-file.js";

/**
 * The models of a backtest for a run. Its history, strategies and observer are passed separately.
 * @throws ConfigError
 */
export function replayOptions(
  config: BacktestConfig,
): Omit<ReplayRunOptions, "markets" | "strategies" | "observer" | "sampleUs" | "startUs"> {
  const { fills, rules, liquidation, account, seed, warmupMs, bot } = config;
  const { latencyFile, feedLatency: feed, orderLatencyMs, responseLatencyMs } = fills;
  const recorded =
    latencyFile === undefined ? undefined : sampledLatency(readLatencyFile(latencyFile));
  const constant = constantLatency(orderLatencyMs, responseLatencyMs);
  return {
    config: bot,
    rules,
    fills: {
      queue: fills.queue,
      partialFills: fills.partialFills,
      doubtful: fills.doubtful,
      queueAheadBase: fills.queueAheadBase,
      slippageTicks: fills.slippageTicks,
      path: fills.path === "worse" ? "ohlc" : fills.path,
      volumeShare: fills.volumeShare,
    },
    marketModels: new Map(
      Object.entries(fills.markets ?? {}).map(([marketId, model]) => [
        marketId,
        {
          queue: model.queue,
          latency: constantLatency(model.orderLatencyMs, model.responseLatencyMs),
        },
      ]),
    ),
    createLatency: (feedUs) =>
      recorded ?? (feed === undefined ? constant : feedLatency(feedUs, feed.order, feed.response)),
    liquidation: {
      priceOff: toFixedPoint(liquidation.priceOff),
      insuranceFeeRate: toFixedPoint(liquidation.insuranceFeeRate),
    },
    startCredit: decimalToScaled(account.creditQuote, rules.creditDecimals, "account.creditQuote"),
    seed: String(seed),
    warmupMs,
  };
}

/** The exact arithmetic of every replayed market. */
export function replayedInstruments({ rules, history }: BacktestConfig): Map<MarketId, Instrument> {
  const { creditDecimals, paperDecimals } = rules;
  return new Map(
    Object.keys(history.markets).map((marketId) => {
      const { tickSize, stepSize } = rules.markets[marketId];
      return [
        marketId,
        new Instrument({ marketId, tickSize, stepSize, creditDecimals, paperDecimals }),
      ];
    }),
  );
}

/** A market's strategy with its parameters. */
export type Strategies = ReadonlyMap<MarketId, BoundStrategy>;
