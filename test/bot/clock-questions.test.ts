import { describe, expect, it } from "vitest";
import { candles } from "../backtest/engine/made-candles.js";
import { MARKET, NOON_US, quoting, ReplayStage } from "../backtest/engine/replay-stage.js";

const BARS = 400;

/** Bars between two queries of the exchange's clock, for candles of this length. */
function barsApart(barMs: number): readonly number[] {
  const { klines } = candles(
    Array.from(
      { length: BARS },
      (_, at) => [600_000, 600_004, 599_996, 600_000 + (at % 3)] as const,
    ),
  );
  const intervalUs = barMs * 1000;
  const startUs = Float64Array.from({ length: BARS }, (_, at) => NOON_US + at * intervalUs);
  const stage = new ReplayStage({
    markets: { [MARKET]: { grade: "klines", klines: { ...klines, intervalUs, startUs } } },
    strategies: { [MARKET]: quoting(() => []) },
    sampleUs: 86_400_000_000,
  });
  stage.run.play(NOON_US + BARS * intervalUs);
  expect(stage.run.bot.tradingGuards.halts).toEqual([]);
  const asked = stage.notices.flatMap(({ atUs, notice }) =>
    notice.kind === "dispatched" &&
    notice.action.kind === "question" &&
    notice.action.ask === "time"
      ? [atUs]
      : [],
  );
  stage.run.finish();
  return asked.slice(1).map((atUs, at) => Math.round((atUs - (asked[at] as number)) / intervalUs));
}

describe("the exchange's clock, with ticks a candle apart", () => {
  it("is queried once in 96 ticks: a token per bar would be most of a run's requests", () => {
    // Counted from the answer, which is a little later.
    expect(Math.max(...barsApart(60_000))).toBe(97);
  });

  it("is queried before it counts as unknown, on longer candles", () => {
    expect(Math.max(...barsApart(86_400_000))).toBe(2);
  });
});
