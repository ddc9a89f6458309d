import { describe, expect, it } from "vitest";
import { describeLargeShares } from "#backtest/implausible-results.js";
import { marketTerms } from "#backtest/market-terms.js";
import { MarketVolume } from "#backtest/market-volume.js";
import type { FillCause } from "#backtest/matcher.js";
import { Instrument } from "#core/instrument.js";
import type { Lots, Side } from "#core/units.js";
import type { MarketRules } from "#exchange/records.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { GRID, MARKET, stageRules } from "../engine/replay-stage.js";

const RULES = stageRules([MARKET], { maker: "0", taker: "0" }).markets[MARKET] as MarketRules;
const terms = marketTerms(
  RULES,
  new Instrument({ marketId: MARKET, ...GRID, creditDecimals: 6, paperDecimals: 18 }),
  {
    priceOff: 0n,
    insuranceFeeRate: 0n,
  },
);

/** Trades of others: time, side, lots. */
type Trade = readonly [us: number, taker: Side, lots: Lots];
/** So many that a few large fills are a small share of them all. */
const BUSY: readonly Trade[] = Array.from({ length: 1000 }, (_, at) => [1_000 + at, "BUY", 10]);

function doubts(
  trades: readonly Trade[],
  fills: readonly (readonly [Lots, FillCause])[],
  grade: "books" | "trades" | "klines" = "books",
): string[] {
  const volume = new MarketVolume();
  const [first, ...others] = trades;
  // The first in a part of its own, and the fills between: an early fill may be smaller than what
  // trades at once later.
  for (const [at, stretch] of [[first], others].entries()) {
    const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
    for (const trade of stretch)
      if (trade !== undefined) tape.trade(trade[0], trade[0], trade[1], 500_000, trade[2]);
    volume.add(tape.build(), 0);
    if (at === 0) for (const [lots, cause] of fills) volume.fill(lots, cause);
  }
  return describeLargeShares(grade, [{ marketId: MARKET, terms, volume }]);
}

// A trade of one lot beyond a quote fills all of it. In a busy market a few such fills are a small
// share of the volume. A bid for 0.2 got no warning in a market whose takers never had more than
// 0.01.
describe("fills of a size that never traded at once", () => {
  it("are reported, with their number, their volume and the largest volume that traded at once", () => {
    expect(
      doubts(BUSY, [
        [200, "through"],
        [200, "cross"],
        [5, "queue"],
      ]),
    ).toEqual([
      `${MARKET}: 2 fills of its resting orders, 0.4 base of 0.405, were larger than any amount that traded at once (at most 0.01): a trade beyond a price fills all resting orders there, however small the trade is, so large orders look too profitable`,
    ]);
    expect(doubts(BUSY, [[200, "through"]], "trades")).toEqual([
      expect.stringContaining(": 1 fill of its resting orders, 0.2 base of 0.2, was larger than"),
    ]);
  });

  it("are compared with the takers of one side in one instant, over several prints and later parts of history", () => {
    const inPrints: Trade[] = Array.from({ length: 20 }, () => [5_000, "SELL", 10]);
    expect(doubts([...BUSY, ...inPrints], [[200, "through"]])).toEqual([]);
    const ofBothSides: Trade[] = inPrints.map(([us, , lots], at) => [
      us,
      at % 2 === 0 ? "SELL" : "BUY",
      lots,
    ]);
    expect(doubts([...BUSY, ...ofBothSides], [[200, "through"]])).toHaveLength(1);
  });

  it("are not reported for a tenth of the fills at most, for takers of a displayed book, or for candles", () => {
    expect(
      doubts(BUSY, [[11, "through"], ...Array.from({ length: 10 }, () => [10, "queue"] as const)]),
    ).toEqual([]);
    expect(doubts(BUSY, [[200, "taker"]])).toEqual([]);
    expect(doubts(BUSY, [[200, "through"]], "klines")).toEqual([]);
  });
});
