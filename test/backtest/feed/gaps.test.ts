import { expect, it } from "vitest";
import { createFeed } from "#backtest/create-feed.js";
import type { LocalFeed } from "#backtest/local-feed.js";
import { ReplayClock } from "#backtest/replay-clock.js";
import { TapeBuilder } from "#history/tape-builder.js";

// With a clock two seconds ahead, a bot kept quoting on a book that was two seconds old: by its
// clock the gap ended before it was received.
it.each([
  ["books", 0],
  ["books", 2_000.4],
  ["trades", 2_000.4],
] as const)(
  "applies a gap of the recording to a bot that receives %s %d ms late at the time of receipt",
  (grade, lateMs) => {
    const builder = new TapeBuilder({ marketId: "btcusdc", tickSize: "0.1", stepSize: "0.001" });
    for (const ms of [0, 900, 5_000, 5_500]) {
      const [atUs, heardUs] = [ms * 1000, (ms + lateMs) * 1000];
      if (grade === "books")
        builder.snapshot(atUs, heardUs).level("BUY", 100, 1).level("SELL", 102, 1);
      else builder.trade(atUs, heardUs, "SELL", 100, 1).trade(atUs, heardUs, "BUY", 102, 1);
    }
    const clock = new ReplayClock(0);
    const feed = createFeed(
      { grade, tape: builder.build(), gaps: [[1_000, 5_000]] },
      clock,
      () => undefined,
    );
    const judged = [999, 1_001, 2_950, 4_999, 5_001].map((ms) => {
      clock.moveTo((ms + lateMs) * 1000);
      while (feed.nextUs <= clock.nowUs) feed.advance(clock.nowUs + 1);
      return feed.book.confirmSequence(0, clock.nowMs());
    });
    expect(judged).toEqual(["current", "behind", "behind", "behind", "current"]);
  },
);

// The first candle after a gap is received at its end: it filled an ask at the price of six hours
// before, ten times as high.
it("keeps candles unavailable to the bot until the first one after a gap has ended", () => {
  const gaps = [[2 * 60_000, 10 * 60_000]] as const;
  const column = Int32Array.from([100, 100, 1000, 1000]);
  const klines = {
    marketId: "btcusdc",
    tickSize: "0.1",
    stepSize: "0.001",
    bars: 4,
    intervalUs: 60e6,
    startUs: Float64Array.from([0, 1, 10, 11], (minute) => minute * 60e6),
    openTicks: column,
    highTicks: column,
    lowTicks: column,
    closeTicks: column,
    lots: Float64Array.from([1, 1, 1, 1]),
  };
  const clock = new ReplayClock(0);
  const { book, ...feed } = hearable(
    createFeed({ grade: "klines", klines, gaps }, clock, () => undefined),
  );
  const judged = [1.5, 2.5, 9.5, 10.5, 11.5].map((minutes) => {
    clock.moveTo(minutes * 60e6);
    feed.hearAll(clock.nowUs + 1);
    return [book.confirmSequence(0, clock.nowMs()), book.bids.bestTicks];
  });
  expect(judged).toEqual([
    ["current", 100],
    ["behind", 100],
    ["behind", 100],
    ["behind", 100],
    ["current", 1000],
  ]);
});

// A bot bought to its limit at the prices of a book that had ended a minute before: each trade made
// that book look new.
it("does not let a trade restore a lost book or refresh a silent one", () => {
  const builder = new TapeBuilder({ marketId: "btcusdc", tickSize: "0.1", stepSize: "0.001" });
  const snapshot = (us: number) =>
    builder.snapshot(us, us).level("BUY", 100, 1).level("SELL", 102, 1);
  snapshot(0)
    .trade(1_000_000, 1_000_000, "SELL", 100, 1)
    .trade(2_000_000, 2_000_000, "SELL", 100, 1);
  snapshot(3_000_000);
  const clock = new ReplayClock(0);
  const { book, ...feed } = hearable(
    createFeed({ grade: "books", tape: builder.build() }, clock, () => undefined),
  );
  const at = (ms: number) => {
    clock.moveTo(ms * 1000);
    feed.hearAll(clock.nowUs + 1);
    return [book.isSynchronised, book.lastReceivedMs];
  };
  expect([at(500), at(1_500)]).toEqual([
    [true, 500],
    [true, 500],
  ]);
  book.invalidate("its time has no record");
  expect([at(2_500), at(3_500)]).toEqual([
    [false, 500],
    [true, 3_500],
  ]);
});

function hearable(feed: LocalFeed) {
  return {
    book: feed.book,
    hearAll: (beforeUs: number): void => {
      while (feed.nextUs < beforeUs) feed.advance(beforeUs);
    },
  };
}
