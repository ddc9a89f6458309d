import { describe, expect, it } from "vitest";
import { RecordedTick } from "../../../src/backtest/run/recorded-tick.js";
import { LEAST_TICKS, MOST_TICKS } from "../../../src/history/columns/tape.js";
import { TapeBuilder } from "../../../src/history/columns/tape-builder.js";

const GRID = { marketId: "btcusdt", tickSize: "0.02", stepSize: "0.001" };

/** A book of so many levels a side whose prices are all multiples of five ticks, at an instant. */
function book(levels: number, us: number): TapeBuilder {
  const tape = new TapeBuilder(GRID).snapshot(us, us);
  for (let at = 0; at < levels; at++) tape.level("BUY", 5 * (1000 - at), 1);
  for (let at = 0; at < levels; at++) tape.level("SELL", 5 * (1001 + at), 1);
  return tape;
}

// A quote between two prices of the recording has nobody ahead of it: with a tick of a fifth each quote improves the price for nothing, and earns what nobody could.
describe("a tick that is finer than the recording's", () => {
  it("is told of a whole book too, which is recorded with the ends of all prices", () => {
    const tick = new RecordedTick();
    tick.see(book(60, 1000).level("SELL", MOST_TICKS, 0).level("BUY", LEAST_TICKS, 0).build());
    expect(tick.finer).toMatch(/^a tick of 0\.02 is finer than that of the recording, whose first 120 prices are all multiples of 0\.1:/);
  });

  it("is told where one stretch has too few prices to tell it, as the book of twenty levels with which a span begins", () => {
    const tick = new RecordedTick();
    tick.see(book(20, 1000).build());
    expect(tick.finer).toBeUndefined();
    tick.see(book(40, 2000).build());
    expect(tick.finer).toMatch(/multiples of 0\.1:/);
  });

  it("is not told where any price needs it", () => {
    const tick = new RecordedTick();
    tick.see(book(60, 1000).trade(2000, 2000, "BUY", 5001, 1).build());
    expect(tick.finer).toBeUndefined();
  });
});
