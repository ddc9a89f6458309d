import type { MarketHistory } from "#backtest/market-history.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import type { Quote } from "#strategies/intent.js";
import { GRID, MARKET, NOON_US } from "./replay-stage.js";

export const S = 1_000_000;
export const MS = 1_000;
export const bid = (ticks: number, lots = 100): Quote => ({ side: "BUY", level: 0, ticks, lots });
export const ask = (ticks: number, lots = 100): Quote => ({ side: "SELL", level: 0, ticks, lots });
export const builder = (marketId = MARKET): TapeBuilder => new TapeBuilder({ marketId, ...GRID });
export const books = (tape: Tape, more: Partial<MarketHistory> = {}): MarketHistory =>
  ({ grade: "books", tape, ...more }) as MarketHistory;

/** A constant book around 60,000.0: 5 lots at each of five levels a side. */
export function standing(tape: TapeBuilder, atUs: number, mid = 600_000): TapeBuilder {
  tape.snapshot(atUs, atUs + MS);
  for (let away = 1; away <= 5; away++)
    tape.level("BUY", mid - away, 5).level("SELL", mid + away, 5);
  return tape;
}

/** Trades of one lot on alternating sides, so that time passes. */
export function ticking(
  tape: TapeBuilder,
  fromUs: number,
  toUs: number,
  stepUs = 500 * MS,
): TapeBuilder {
  for (let atUs = fromUs, i = 0; atUs < toUs; atUs += stepUs, i++) {
    if (i % 2 === 0) tape.trade(atUs, atUs + MS, "BUY", 600_001, 1);
    else tape.trade(atUs, atUs + MS, "SELL", 599_999, 1);
  }
  return tape;
}

/** A market that walks at random, with trades through its levels. */
export function walking(seed: string, seconds: number, marketId = MARKET): Tape {
  const random = seededRandom(seed);
  const tape = standing(builder(marketId), NOON_US);
  let mid = 600_000;
  for (let ms = 100; ms < seconds * 1000; ms += 100) {
    const atUs = NOON_US + ms * MS;
    const step = Math.round((random.uniform() - 0.5) * 6);
    if (random.uniform() < 0.7)
      tape.trade(
        atUs,
        atUs + 3 * MS,
        step > 0 ? "BUY" : "SELL",
        mid + (step > 0 ? 1 : -1) * (1 + Math.abs(step)),
        1 + Math.floor(random.uniform() * 30),
      );
    tape.update(atUs, atUs + 2 * MS);
    for (let away = 1; away <= 8; away++)
      tape.level("BUY", mid - away, 0).level("SELL", mid + away, 0);
    mid += step;
    for (let away = 1; away <= 5; away++) {
      tape
        .level("BUY", mid - away, 1 + Math.floor(random.uniform() * 20))
        .level("SELL", mid + away, 1 + Math.floor(random.uniform() * 20));
    }
  }
  return tape.build();
}
