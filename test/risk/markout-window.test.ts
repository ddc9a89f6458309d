import { describe, expect, it } from "vitest";
import { MarkoutWindow } from "#risk/markout-window.js";

const options = { horizonMs: 1_000, fills: 3, minFills: 2 };

describe("the markout of a market's newest fills", () => {
  it("compares the mid at the horizon with the fill prices, weighted by value, with a loss above zero", () => {
    const window = new MarkoutWindow(options);
    window.fill({ atMs: 0, side: "BUY", ticks: 10_000, lots: 1 }, 0);
    window.fill({ atMs: 100, side: "SELL", ticks: 10_000, lots: 3 }, 100);
    expect(window.nextDueMs).toBe(1_000);
    window.settle(999, 1);
    expect(window.lossBps).toBeUndefined();
    window.settle(1_000, 9_990);
    expect(window.lossBps, "one fill is too few").toBeUndefined();
    window.settle(1_100, 10_030);
    // 10 ticks lost on one lot, 30 on each of three: 100 of 40,000 tick-lots.
    expect(window.lossBps).toBeCloseTo(25, 9);
    expect(window.nextDueMs).toBe(Number.POSITIVE_INFINITY);
  });

  it("forgets the oldest, and all of them when a person resumes", () => {
    const window = new MarkoutWindow(options);
    for (const atMs of [0, 10, 20, 30])
      window.fill({ atMs, side: "BUY", ticks: 10_000, lots: 1 }, atMs);
    window.settle(1_000, 9_000);
    window.settle(2_000, 9_990);
    expect(window.lossBps).toBeCloseTo(10, 9);
    window.clear();
    expect(window.lossBps).toBeUndefined();
  });

  it("ignores a fill that is reported too late, and one without a mid at its horizon: its loss is unknown", () => {
    const window = new MarkoutWindow(options);
    window.fill({ atMs: 0, side: "BUY", ticks: 10_000, lots: 1 }, 1_000);
    expect(window.nextDueMs).toBe(Number.POSITIVE_INFINITY);
    for (const atMs of [2_000, 2_001])
      window.fill({ atMs, side: "BUY", ticks: 10_000, lots: 1 }, atMs);
    window.settle(4_000, undefined);
    expect(window.lossBps).toBeUndefined();
    expect(window.nextDueMs).toBe(Number.POSITIVE_INFINITY);
  });
});
