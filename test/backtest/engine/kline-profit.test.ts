import { describe, expect, it } from "vitest";
import { RunRecorder } from "#backtest/run-recorder.js";
import { Instrument } from "#core/instrument.js";
import type { Quote } from "#strategies/intent.js";
import { candles } from "./made-candles.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage } from "./replay-stage.js";

const MINUTE = 60_000_000;

const STILL = [600_000, 600_000, 600_000, 600_000] as const;

/** Runs one order on candles that move after three minutes and splits its profit, in quote. */
function profitOf(moving: Parameters<typeof candles>[0], quote: Quote) {
  const bars = [STILL, STILL, STILL, ...moving];
  const instrument = new Instrument({
    marketId: MARKET,
    ...GRID,
    creditDecimals: 6,
    paperDecimals: 18,
  });
  const recorder = new RunRecorder({
    startUs: NOON_US,
    instruments: new Map([[MARKET, instrument]]),
    adverseSelectionMs: 10_000,
  });
  const { run } = new ReplayStage({
    markets: { [MARKET]: candles(bars) },
    strategies: {
      [MARKET]: quoting((view) =>
        view.positionLots === 0 && view.midTicks === 600_000.5 ? [quote] : [],
      ),
    },
    observer: recorder,
    sampleUs: MINUTE,
  });
  run.play(NOON_US + bars.length * MINUTE - 1);
  const finished = recorder.end(run.finish());
  const money = Object.entries(finished.profit).map(([part, units]) => [
    part,
    Number(units) / 10 ** finished.last.profit.decimals,
  ]);
  const fills = recorder.fillSample.fills.map(({ atUs, ticks, midHalfTicks }) => [
    (atUs - NOON_US - 3 * MINUTE) / 1e6,
    ticks,
    midHalfTicks / 2,
  ]);
  return { fills, profit: Object.fromEntries(money) as Record<string, number> };
}

/** One bitcoin, 1,000 lots: a tick of the price is 0.1 quote. */
const BITCOIN = 1000;

describe("the profit of a candle, worked by hand", () => {
  it("values a bid where the falling price passed it, and books the rest of the fall as adverse selection, the rise as inventory", () => {
    const bars = [
      [600_000, 600_100, 599_000, 600_050],
      [600_050, 600_050, 600_050, 600_050],
    ] as const;
    const { fills, profit } = profitOf(bars, {
      side: "BUY",
      level: 0,
      ticks: 599_500,
      lots: BITCOIN,
    });
    // The low comes after two thirds of the minute.
    expect(fills).toEqual([[40, 599_500, 599_500]]);
    // On to the low, 599,000, 500 ticks; up to the close, 1,050 ticks. The fee is a ten thousandth
    // of 59,950.
    expect(profit).toMatchObject({
      spread: 0,
      adverseSelection: -50,
      inventory: 105,
      fees: -5.995,
      basis: 0,
      total: 49.005,
    });
  });

  it("does the same for an offer in a rising price, with the same size", () => {
    const bars = [
      [600_000, 601_000, 599_900, 599_950],
      [599_950, 599_950, 599_950, 599_950],
    ] as const;
    const { fills, profit } = profitOf(bars, {
      side: "SELL",
      level: 0,
      ticks: 600_500,
      lots: BITCOIN,
    });
    expect(fills).toEqual([[20, 600_500, 600_500]]);
    // 500 ticks up to the high, 1,050 down from it: neither side is half a tick better than the
    // other.
    expect(profit).toMatchObject({
      spread: 0,
      adverseSelection: -50,
      inventory: 105,
      fees: -6.005,
      basis: 0,
      total: 48.995,
    });
  });

  it("gives an order in a gap its own price, and the gap behind it as adverse selection", () => {
    const bars = [
      [598_000, 598_000, 598_000, 598_000],
      [598_000, 598_000, 598_000, 598_000],
    ] as const;
    const { fills, profit } = profitOf(bars, {
      side: "BUY",
      level: 0,
      ticks: 599_500,
      lots: BITCOIN,
    });
    expect(fills).toEqual([[0, 599_500, 599_500]]);
    expect(profit).toMatchObject({
      spread: 0,
      adverseSelection: -150,
      inventory: 0,
      total: -150 - 5.995,
    });
  });
});
