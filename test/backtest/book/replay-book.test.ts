import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReplayBook } from "#backtest/replay-book.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Side } from "#core/units.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { OrderBook } from "#market/order-book.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };
/** A side that spans many pages. */
const FAR = 400_000;

function expectEqual(book: ReplayBook, reference: OrderBook): void {
  for (const [side, other] of [
    [book.bids, reference.bids],
    [book.asks, reference.asks],
  ] as const) {
    expect(side.entries()).toEqual(other.entries());
    expect([side.levels, side.bestTicks, side.bestLots]).toEqual([
      other.levels,
      other.bestTicks,
      other.bestLots,
    ]);
    expect(side.top(7)).toEqual(other.top(7));
    const pairs = new Float64Array(14);
    expect([...pairs.subarray(0, 2 * side.topInto(pairs, 7))]).toEqual(
      other.top(7).flatMap(({ ticks, lots }) => [ticks, lots]),
    );
  }
}

describe("a replayed book", () => {
  it("shows an empty side as a live book does", () => {
    const { bids, asks } = new ReplayBook();
    expect([bids.levels, bids.bestTicks, bids.bestLots, bids.top(3), bids.lotsAt(100)]).toEqual([
      0,
      Number.NaN,
      0,
      [],
      0,
    ]);
    expect([asks.side, asks.bestTicks, asks.entries()]).toEqual(["SELL", Number.NaN, []]);
  });

  it("equals the book that the bot keeps live, for any changes and any move of the market", () => {
    const change = fc.record({
      side: fc.constantFrom<Side>("BUY", "SELL"),
      near: fc.integer({ min: 0, max: 40 }),
      // Sometimes the same few prices, far away from all others.
      far: fc.constantFrom(0, 0, 0, 0, FAR, 2 * FAR),
      lots: fc.constantFrom(0, 0, 1, 2, 4_294_967_295, 4_294_967_296, Number.MAX_SAFE_INTEGER),
    });
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 25 }), (messages) => {
        const builder = new TapeBuilder(GRID);
        const book = new ReplayBook();
        const reference = new OrderBook();
        for (const [at, message] of messages.entries()) {
          builder.update(at, at);
          for (const { side, near, far, lots } of message)
            builder.level(side, 1_000_000 + near + (side === "BUY" ? -far : far), lots);
        }
        const tape = builder.build();
        for (const [at, message] of messages.entries()) {
          book.applyMessage(tape, at);
          for (const { side, near, far, lots } of message)
            reference.set(side, 1_000_000 + near + (side === "BUY" ? -far : far), lots);
          for (const { near, far } of message) {
            expect(book.bids.lotsAt(1_000_000 + near - far)).toBe(
              reference.bids.lotsAt(1_000_000 + near - far),
            );
            expect(book.asks.lotsAt(1_000_000 + near + far)).toBe(
              reference.asks.lotsAt(1_000_000 + near + far),
            );
          }
          expectEqual(book, reference);
          expect(book.crossed).toBe(reference.crossed);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("keeps the sides apart at prices so low that the pages of each reach beyond zero", () => {
    const change = fc.record({
      side: fc.constantFrom<Side>("BUY", "SELL"),
      ticks: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 100_000 })),
      lots: fc.constantFrom(0, 1, 2),
    });
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 12 }), (messages) => {
        const builder = new TapeBuilder(GRID);
        const book = new ReplayBook();
        const reference = new OrderBook();
        for (const [at, message] of messages.entries()) {
          builder.update(at, at);
          for (const { side, ticks, lots } of message) builder.level(side, ticks, lots);
        }
        const tape = builder.build();
        for (const [at, message] of messages.entries()) {
          book.applyMessage(tape, at);
          for (const { side, ticks, lots } of message) reference.set(side, ticks, lots);
          expectEqual(book, reference);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("keeps its levels through a market that runs through thousands of its pages, up and down again", () => {
    const random = seededRandom(5);
    const builder = new TapeBuilder(GRID);
    const reference = new OrderBook();
    const book = new ReplayBook();
    let mid = 2_000_000;
    for (let at = 0; at < 400; at++) {
      builder.update(at, at);
      mid += Math.round((random.uniform() - (at < 200 ? 0.2 : 0.8)) * 30_000);
      for (let change = 0; change < 25; change++) {
        const side = random.uniform() < 0.5 ? "BUY" : "SELL";
        const distance = Math.floor(random.uniform() ** 6 * 900_000);
        const lots = random.uniform() < 0.3 ? 0 : 1 + Math.floor(random.uniform() * 9);
        const ticks = side === "BUY" ? mid - distance : mid + 1 + distance;
        builder.level(side, ticks, lots);
        reference.set(side, ticks, lots);
      }
      // Levels that the market passed are removed, as in a recording.
      for (const ticks of reference.bids
        .entries()
        .filter((value, i) => i % 2 === 0 && value > mid)) {
        builder.level("BUY", ticks, 0);
        reference.set("BUY", ticks, 0);
      }
    }
    const tape = builder.build();
    book.applyMessages(tape, 0, 399);
    book.applyMessage(tape, 399);
    expectEqual(book, reference);
    expect(book.bids.levels + book.asks.levels).toBeGreaterThan(3000);
  });

  it.each(["BUY", "SELL"] as const)(
    "frees the memory of prices that the market has left (%s)",
    (side) => {
      const builder = new TapeBuilder(GRID);
      const standing: number[] = [];
      for (let step = 0; step < 20_000; step++) {
        // Each level is on a page of its own; one of a hundred stays.
        const ticks = 1_000_000 + 300 * step;
        builder.update(step, step).level(side, ticks, 5);
        if (step % 100 === 0) standing.push(ticks);
        else builder.update(step, step).level(side, ticks, 0);
      }
      const tape = builder.build();
      const book = new ReplayBook();
      const before = process.memoryUsage().arrayBuffers;
      book.applyMessages(tape, 0, tape.messages);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
      const levels = book[side === "BUY" ? "bids" : "asks"].top(1000).map(({ ticks }) => ticks);
      expect(levels).toEqual(side === "SELL" ? standing : standing.toReversed());
    },
  );

  it("has levels at both ends of a tape's range", () => {
    const tape = new TapeBuilder(GRID)
      .update(0, 0)
      .level("BUY", 2_147_483_646, 1)
      .level("BUY", 1, 2)
      .level("SELL", 2_147_483_646, 3)
      .level("SELL", 1, 4)
      .build();
    const book = new ReplayBook();
    book.applyMessages(tape, 0, 1);
    expect([book.bids.entries(), book.asks.entries()]).toEqual([
      [2_147_483_646, 1, 1, 2],
      [1, 4, 2_147_483_646, 3],
    ]);
  });

  it("replaces the range of a snapshot and everything better, and keeps the levels behind", () => {
    const tape = new TapeBuilder(GRID)
      .update(0, 0)
      .level("BUY", 110, 1)
      .level("BUY", 100, 2)
      .level("BUY", 99, 3)
      .level("BUY", 50, 4)
      .level("SELL", 115, 5)
      .level("SELL", 900_000, 6)
      .snapshot(1, 1)
      .level("BUY", 101, 7)
      .level("BUY", 98, 8)
      .level("SELL", 102, 9)
      .level("SELL", 120, 10)
      .trade(2, 2, "BUY", 102, 1)
      .build();
    const book = new ReplayBook();
    book.applyMessages(tape, 0, tape.messages);
    expect(book.bids.entries()).toEqual([101, 7, 98, 8, 50, 4]);
    expect(book.asks.entries()).toEqual([102, 9, 120, 10, 900_000, 6]);
  });

  it("keeps a side that a snapshot does not contain", () => {
    const tape = new TapeBuilder(GRID)
      .update(0, 0)
      .level("BUY", 10, 1)
      .level("SELL", 12, 1)
      .snapshot(1, 1)
      .level("SELL", 11, 2)
      .build();
    const book = new ReplayBook();
    book.applyMessages(tape, 0, tape.messages);
    expect([book.bids.entries(), book.asks.entries()]).toEqual([
      [10, 1],
      [11, 2, 12, 1],
    ]);
  });

  it("differs on the local clock while a message is in transit", () => {
    const tape = new TapeBuilder(GRID)
      .update(0, 900)
      .level("BUY", 10, 1)
      .update(1, 500)
      .level("BUY", 11, 1)
      .build();
    const book = new ReplayBook();
    book.applyLocal(tape, 0, 1);
    expect(book.bids.entries()).toEqual([11, 1]);
    book.applyLocal(tape, 1, 2);
    expect(book.bids.entries()).toEqual([11, 1, 10, 1]);
  });
});
