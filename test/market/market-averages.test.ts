import { describe, expect, it } from "vitest";
import { MarketAverages } from "#market/market-averages.js";

function averages(untilMs = 100) {
  let now = 0;
  const measured = new MarketAverages({ nowMs: () => now, midTicks: 10, untilMs });
  return {
    measured,
    at: (ms: number) => {
      now = ms;
      return measured;
    },
  };
}

describe("the averages of a market, against which a trader's cost is measured", () => {
  it("weight each mid by the time for which it held", () => {
    const { at } = averages();
    at(10).noteMid(20);
    at(15).noteMid(20);
    at(40).noteMid(10);
    expect(at(50).twapTicks()).toBe((10 * 10 + 30 * 20 + 10 * 10) / 50);
  });

  it("weight the trades by size", () => {
    const { at, measured } = averages();
    expect(measured.vwapTicks()).toBeUndefined();
    at(1).noteTrade(10, 3);
    at(2).noteTrade(20, 1);
    expect([measured.vwapTicks(), measured.tradedLots]).toEqual([12.5, 4]);
  });

  it("count nothing from their end on, whether it was given or came sooner", () => {
    const { at, measured } = averages(30);
    at(20).noteMid(20);
    at(40).noteMid(500);
    at(41).noteTrade(500, 1);
    expect(measured.twapTicks()).toBe((20 * 10 + 10 * 20) / 30);
    const sooner = averages(30);
    sooner.at(10).end();
    sooner.at(20).noteMid(500);
    sooner.at(20).noteTrade(500, 1);
    expect(sooner.at(30).twapTicks()).toBe(10);
    expect(sooner.measured.vwapTicks()).toBeUndefined();
  });

  it("are the last mid before any time has passed", () => {
    expect(averages().measured.twapTicks()).toBe(10);
  });
});
