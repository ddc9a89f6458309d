import { describe, expect, it } from "vitest";
import { MadeSide } from "../../../src/backtest/feed/made-side.js";

// Strategies read it as they read a recorded book: a second level here would be liquidity that nobody ever told of.
describe("a side that is made from one price", () => {
  it("has nothing before its first", () => {
    const side = new MadeSide("BUY");
    expect([
      side.levels,
      side.top(5),
      side.lotsOf(100),
      side.topInto(new Float64Array(4), 2),
    ]).toEqual([0, [], 0, 0]);
    side.walk(() => {
      throw new Error("a level of nothing");
    });
  });

  it("has one level, however many are asked for", () => {
    const side = new MadeSide("SELL");
    side.set(101, 7);
    side.set(102, 3);
    expect([side.levels, side.top(5), side.top(0)]).toEqual([1, [{ ticks: 102, lots: 3 }], []]);
    expect([side.lotsOf(102), side.lotsOf(101)]).toEqual([3, 0]);
    const pairs = new Float64Array([9, 9, 9, 9]);
    expect([side.topInto(pairs, 2), [...pairs]]).toEqual([1, [102, 3, 9, 9]]);
    expect(side.topInto(pairs, 0)).toBe(0);
    const walked: number[][] = [];
    side.walk((ticks, lots) => walked.push([ticks, lots]) > 0);
    expect(walked).toEqual([[102, 3]]);
  });
});
