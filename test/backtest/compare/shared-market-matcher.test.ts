import { describe, expect, it } from "vitest";
import type { ReplayOrder } from "#backtest/matcher.js";
import { SharedMarketMatcher } from "#backtest/shared-market-matcher.js";
import { riskAverseQueue } from "#core/queue-models.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { Heard, order } from "../matching/heard.js";

const MS = 1_000;
const END_US = 1_000 * MS;
const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };

/**
 * Bids 100 x 10, 99 x 20; asks 105 x 10, 106 x 20, at 1 ms, then what happens; the orders arrive at
 * 10 ms, the cancel of number 9 at 15 ms.
 */
function replayed(then: (tape: TapeBuilder) => void, ...orders: readonly ReplayOrder[]) {
  const builder = new TapeBuilder(GRID)
    .snapshot(MS, MS)
    .level("BUY", 100, 10)
    .level("BUY", 99, 20)
    .level("SELL", 105, 10)
    .level("SELL", 106, 20);
  then(builder);
  const heard = new Heard();
  const absent: [id: number, atMs: number][] = [];
  const matcher = new SharedMarketMatcher(
    { tape: builder.build(), listener: heard, queue: riskAverseQueue },
    {
      cancelUs: ({ id }) => (id === 9 ? 15 * MS : Number.POSITIVE_INFINITY),
      onAbsent: ({ id }, atUs) => absent.push([id, atUs / MS]),
    },
  );
  const playTo = (us: number): void => {
    while (matcher.nextUs <= us) matcher.advance(us, true);
  };
  playTo(10 * MS);
  for (const each of orders) matcher.place(each, 10 * MS);
  playTo(END_US);
  return { story: heard.story, absent, isOpen: (id: number) => matcher.cancel(id, END_US) };
}

describe("a recorded order in its own market", () => {
  it("is absent where a book reached its price without a trade: the book was late", () => {
    const { story, absent, isOpen } = replayed(
      (tape) => tape.update(30 * MS, 30 * MS).level("BUY", 103, 5),
      order(1, "SELL", 103, 7),
    );
    expect([story, absent, isOpen(1)]).toEqual([[], [[1, 30]], false]);
  });

  it("is absent where a trade printed beyond its price without one at it", () => {
    const { story, absent } = replayed(
      (tape) => tape.trade(30 * MS, 30 * MS, "SELL", 99, 1),
      order(1, "BUY", 101, 7),
      order(2, "BUY", 98, 7),
    );
    expect([story, absent]).toEqual([[], [[1, 30]]]);
  });

  it("is filled by the prints at its price, by the queue model", () => {
    const { story, absent, isOpen } = replayed(
      (tape) =>
        tape.trade(30 * MS, 30 * MS, "SELL", 101, 3).trade(40 * MS, 40 * MS, "SELL", 100, 12),
      order(1, "BUY", 101, 3),
      order(2, "BUY", 100, 7),
    );
    expect([story, absent, isOpen(2)]).toEqual([["1 3@101 queue", "2 2@100 queue"], [], true]);
  });

  it("gets the prints at its price, though the model gave them to others, once the market is beyond it", () => {
    const { story, absent } = replayed(
      (tape) =>
        tape
          .trade(5 * MS, 5 * MS, "SELL", 100, 50)
          .trade(30 * MS, 30 * MS, "SELL", 100, 4)
          .update(31 * MS, 31 * MS)
          .level("SELL", 100, 9),
      order(1, "BUY", 100, 7),
    );
    // Four of the seven; trades before its arrival do not count.
    expect([story, absent]).toEqual([["1 4@100 cross"], [[1, 31]]]);
  });

  it("shares the prints at its price with our other orders there: a lot fills one of them", () => {
    const { story, absent } = replayed(
      (tape) =>
        tape
          .trade(30 * MS, 30 * MS, "SELL", 101, 5)
          .update(31 * MS, 31 * MS)
          .level("SELL", 101, 9),
      order(1, "BUY", 101, 4),
      order(2, "BUY", 101, 4),
    );
    expect([story, absent]).toEqual([["1 4@101 queue", "2 1@101 queue"], [[2, 31]]]);
  });

  it("stays where the evidence has the stamp of its own millisecond: either may have been first", () => {
    const early = replayed(
      (tape) => tape.trade(10 * MS + 500, 10 * MS + 500, "SELL", 99, 1),
      order(1, "BUY", 101, 7),
    );
    expect([early.story, early.absent, early.isOpen(1)]).toEqual([[], [], true]);
  });
});

// A taker is gone with its fills before any book is published. Judged by the book, it would have
// rested and never been filled.
describe("a recorded order that took on arrival, in its own market", () => {
  it("is filled by the prints on its side within its limit, level by level, and the rest of it rests", () => {
    const { story, absent, isOpen } = replayed(
      (tape) =>
        tape
          .trade(11 * MS, 11 * MS, "BUY", 103, 3)
          .trade(11 * MS, 11 * MS, "BUY", 104, 2)
          .trade(40 * MS, 40 * MS, "SELL", 104, 1),
      order(1, "BUY", 104, 7),
    );
    expect([story, absent, isOpen(1)]).toEqual([
      ["1 3@103 taker", "1 2@104 taker", "1 1@104 queue"],
      [],
      true,
    ]);
    const sold = replayed(
      (tape) => tape.trade(11 * MS, 11 * MS, "SELL", 101, 4),
      order(1, "SELL", 101, 4),
    );
    expect(sold.story).toEqual(["1 4@101 taker"]);
  });

  it("ignores prints before its arrival, long after, beyond its limit or on the other side", () => {
    const { story, isOpen } = replayed(
      (tape) =>
        tape
          .trade(10 * MS, 10 * MS, "BUY", 103, 3)
          .trade(11 * MS, 11 * MS, "BUY", 105, 3)
          .trade(12 * MS, 12 * MS, "SELL", 106, 3)
          .trade(61 * MS, 61 * MS, "BUY", 104, 3),
      order(1, "BUY", 104, 7),
    );
    expect([story, isOpen(1)]).toEqual([[], true]);
  });

  it("takes nothing from the displayed book, which may be late", () => {
    const { story, absent, isOpen } = replayed(
      (tape) => tape.update(30 * MS, 30 * MS).level("SELL", 105, 0),
      order(1, "BUY", 105, 7),
      order(2, "BUY", 105, 7, { timeInForce: "IOC" }),
    );
    expect([story, absent, isOpen(1), isOpen(2)]).toEqual([[], [], true, false]);
  });

  it("leaves our next order only what it did not take, whether that one takes or rests", () => {
    const { story } = replayed(
      (tape) => tape.trade(11 * MS, 11 * MS, "BUY", 104, 6),
      order(1, "SELL", 104, 7),
      order(2, "BUY", 104, 4),
      order(3, "BUY", 104, 1),
    );
    expect(story).toEqual(["2 4@104 taker", "3 1@104 taker", "1 1@104 queue"]);
  });

  it("ignores prints after its cancel: they are another's", () => {
    const { story } = replayed(
      (tape) => tape.trade(14 * MS, 14 * MS, "BUY", 104, 2).trade(15 * MS, 15 * MS, "BUY", 104, 5),
      order(9, "BUY", 104, 4),
      order(10, "BUY", 104, 4),
    );
    expect(story).toEqual(["9 2@104 taker", "10 4@104 taker"]);
  });

  it("ignores prints on its side after a taker reached its price: it rested by then", () => {
    const { story } = replayed(
      (tape) =>
        tape
          .trade(11 * MS, 11 * MS, "BUY", 103, 1)
          .trade(12 * MS, 12 * MS, "SELL", 104, 9)
          .trade(13 * MS, 13 * MS, "BUY", 102, 5),
      order(1, "BUY", 104, 4),
    );
    expect(story).toEqual(["1 1@103 taker", "1 3@104 queue"]);
  });

  it("ends as its time in force says: at once, all or none, at any price, or never as a taker", () => {
    const printed = (tape: TapeBuilder): TapeBuilder =>
      tape.trade(11 * MS, 11 * MS, "BUY", 103, 3).trade(12 * MS, 12 * MS, "BUY", 109, 3);
    const of = (lots: number, more: Partial<ReplayOrder>) => {
      const { story, isOpen } = replayed(printed, order(1, "BUY", 104, lots, more));
      return [story, isOpen(1)];
    };
    expect(of(5, { timeInForce: "IOC" })).toEqual([["1 3@103 taker"], false]);
    expect(of(5, { timeInForce: "FOK" })).toEqual([[], false]);
    expect(of(3, { timeInForce: "FOK" })).toEqual([["1 3@103 taker"], false]);
    expect(of(9, { type: "MARKET", ticks: Number.NaN })).toEqual([
      ["1 3@103 taker", "1 3@109 taker"],
      false,
    ]);
    expect(of(5, { timeInForce: "POST_ONLY" })).toEqual([[], true]);
  });
});
