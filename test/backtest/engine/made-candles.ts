import type { MarketHistory } from "#backtest/market-history.js";
import { GRID, MARKET, NOON_US } from "./replay-stage.js";

const MINUTE_US = 60_000_000;

/**
 * One-minute candles of `[open, high, low, close]` from noon on, each with a volume of 100 whole
 * units.
 */
export function candles(
  bars: readonly (readonly [number, number, number, number])[],
  marketId = MARKET,
): Extract<MarketHistory, { grade: "klines" }> {
  const column = (at: 0 | 1 | 2 | 3): Int32Array => Int32Array.from(bars.map((bar) => bar[at]));
  const klines = {
    marketId,
    ...GRID,
    bars: bars.length,
    intervalUs: MINUTE_US,
    startUs: Float64Array.from(bars.map((_bar, at) => NOON_US + at * MINUTE_US)),
    openTicks: column(0),
    highTicks: column(1),
    lowTicks: column(2),
    closeTicks: column(3),
    lots: Float64Array.from(bars.map(() => 100_000)),
  };
  return { grade: "klines", klines };
}
