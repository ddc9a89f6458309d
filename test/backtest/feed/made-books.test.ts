import { describe, expect, it } from "vitest";
import { createFeed } from "#backtest/create-feed.js";
import { ReplayClock } from "#backtest/replay-clock.js";
import { TapeBuilder } from "#history/tape-builder.js";

const GRID = { marketId: "btcusdc", tickSize: "0.1", stepSize: "0.001" };

// Strategies read it like a recorded book: a second level would be liquidity that was never
// displayed.
describe("a book derived from prices alone", () => {
  it("has one level a side, of the last trades, the older one a tick behind the newer where they meet", () => {
    const tape = new TapeBuilder(GRID)
      .trade(1_000, 1_000, "SELL", 100, 5)
      .trade(2_000, 2_000, "BUY", 103, 7)
      .trade(3_000, 3_000, "SELL", 101, 2)
      .trade(4_000, 4_000, "BUY", 101, 3)
      .build();
    const feed = createFeed({ grade: "trades", tape }, new ReplayClock(0), () => undefined);
    const seen: unknown[] = [];
    for (const untilUs of [1_001, 2_001, 3_001, 4_001]) {
      while (feed.nextUs < untilUs) feed.advance(untilUs);
      const { bids, asks, reason } = feed.book;
      seen.push([bids.top(5), asks.top(5), reason]);
    }
    const untold = "no trade of either side yet";
    expect(seen).toEqual([
      [[{ ticks: 100, lots: 5 }], [], untold],
      [[{ ticks: 100, lots: 5 }], [{ ticks: 103, lots: 7 }], undefined],
      [[{ ticks: 101, lots: 2 }], [{ ticks: 103, lots: 7 }], undefined],
      [[{ ticks: 100, lots: 2 }], [{ ticks: 101, lots: 3 }], undefined],
    ]);
  });

  it("has one level a side of each candle, its close and a tick above, with at least a lot", () => {
    const closeTicks = Int32Array.from([100, 90, 110]);
    const klines = {
      ...GRID,
      bars: 3,
      intervalUs: 60e6,
      startUs: Float64Array.from([0, 60e6, 120e6]),
      openTicks: closeTicks,
      highTicks: closeTicks,
      lowTicks: closeTicks,
      closeTicks,
      lots: Float64Array.from([4, 0, 9]),
    };
    const feed = createFeed({ grade: "klines", klines }, new ReplayClock(0), () => undefined);
    expect([feed.book.bids.top(5), feed.book.asks.bestTicks]).toEqual([[], Number.NaN]);
    const seen: unknown[] = [];
    for (const minute of [1, 2, 3]) {
      while (feed.nextUs <= minute * 60e6) feed.advance(minute * 60e6 + 1);
      seen.push([feed.book.bids.top(5), feed.book.asks.top(5)]);
    }
    expect(seen).toEqual([
      [[{ ticks: 100, lots: 4 }], [{ ticks: 101, lots: 4 }]],
      [[{ ticks: 90, lots: 1 }], [{ ticks: 91, lots: 1 }]],
      [[{ ticks: 110, lots: 9 }], [{ ticks: 111, lots: 9 }]],
    ]);
  });
});
