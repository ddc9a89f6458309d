import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BookEvent } from "#market/live-order-book.js";
import { SyncedBook } from "#market/synced-book.js";

const snapshot = (sequence: number, bids: number[], asks: number[]): BookEvent => ({
  type: "book-snapshot",
  marketId: "btcusdc",
  sequence,
  bids,
  asks,
});

const update = (
  beginSequence: number,
  endSequence: number,
  bids: number[],
  asks: number[],
): BookEvent => ({
  type: "book-update",
  marketId: "btcusdc",
  beginSequence,
  endSequence,
  bids,
  asks,
});

const BOOK = snapshot(10, [100, 1, 99, 2], [102, 1, 103, 2]);

function synced(): SyncedBook {
  const book = new SyncedBook("btcusdc");
  expect(book.apply(BOOK, 0)).toBe("applied");
  return book;
}

describe("before a snapshot", () => {
  it("the book is not synchronised, and updates do not move it", () => {
    const book = new SyncedBook("btcusdc");
    expect(book.isSynchronised).toBe(false);
    expect(book.reason).toBe("no snapshot yet");
    expect(book.apply(update(11, 12, [100, 5], []), 0)).toBe("ignored");
    expect(book.entries()).toEqual({ bids: [], asks: [] });
    expect(book.isStale(0, 1000)).toBe(true);
    expect(book.gapCount).toBe(0);
  });
});

describe("the sequence rule", () => {
  it("takes an update that begins right after the one before, and sets, changes and deletes levels", () => {
    const book = synced();
    expect(book.apply(update(11, 15, [100, 0, 101, 4, 50, 0], [103, 7]), 5)).toBe("applied");
    expect(book.apply(update(16, 16, [], [102, 0]), 6)).toBe("applied");
    expect(book.entries()).toEqual({ bids: [101, 4, 99, 2], asks: [103, 7] });
    expect([book.sequence, book.gapCount, book.reason]).toEqual([16, 0, undefined]);
  });

  it.each([
    ["a lost update", update(12, 13, [], [])],
    ["the same update twice", update(10, 10, [], [])],
    ["an update that overlaps", update(9, 12, [], [])],
    ["an update that ends before it begins", update(11, 10, [], [])],
  ])(
    "fails closed on %s: the book is empty, a gap is counted, and it is reported once",
    (_, event) => {
      const book = synced();
      expect(book.apply(event, 5)).toBe("resubscribe");
      expect(book.isSynchronised).toBe(false);
      expect(book.reason).toMatch(/sequence gap: expected an update from 11/);
      expect(book.entries()).toEqual({ bids: [], asks: [] });
      expect(book.apply(update(11, 12, [100, 1], []), 6)).toBe("ignored");
      expect(book.gapCount).toBe(1);
      expect(book.isStale(6, 1000)).toBe(true);
    },
  );

  it("starts again with each snapshot, whatever its sequence", () => {
    const book = synced();
    book.apply(update(15, 15, [], []), 1);
    expect(book.apply(snapshot(3, [90, 1], [91, 1]), 2)).toBe("applied");
    expect(book.apply(update(4, 4, [89, 1], []), 3)).toBe("applied");
    expect(book.entries()).toEqual({ bids: [90, 1, 89, 1], asks: [91, 1] });
  });

  it("lets a snapshot replace a synchronised book, not add to it", () => {
    const book = synced();
    book.apply(snapshot(20, [80, 1], [120, 1]), 1);
    expect(book.entries()).toEqual({ bids: [80, 1], asks: [120, 1] });
  });

  it("gives the exchange's book however its changes were cut into messages", () => {
    const change = fc.tuple(
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 5 }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(change, { minLength: 1, maxLength: 6 }), { maxLength: 30 }),
        (messages) => {
          const book = new SyncedBook("btcusdc");
          book.apply(snapshot(0, [], []), 0);
          const sides = [new Map<number, number>(), new Map<number, number>()];
          let sequence = 0;
          for (const message of messages) {
            const flat: [number[], number[]] = [[], []];
            for (const [bid, offset, lots] of message) {
              const side = bid ? 0 : 1;
              const ticks = bid ? offset : 100 + offset;
              flat[side].push(ticks, lots);
              if (lots === 0) sides[side].delete(ticks);
              else sides[side].set(ticks, lots);
            }
            const begin = sequence + 1;
            sequence += message.length;
            expect(book.apply(update(begin, sequence, ...flat), sequence)).toBe("applied");
          }
          const [bids, asks] = sides;
          expect(book.entries()).toEqual({
            bids: [...bids].sort(([a], [b]) => b - a).flat(),
            asks: [...asks].sort(([a], [b]) => a - b).flat(),
          });
        },
      ),
    );
  });
});

describe("a crossed book", () => {
  it("is not used: no matching exchange shows one", () => {
    const book = synced();
    expect(book.apply(update(11, 11, [102, 1], []), 5)).toBe("resubscribe");
    expect(book.reason).toMatch(/crossed book at sequence 11: bid 102 >= ask 102/);
    expect([book.gapCount, book.isSynchronised]).toEqual([0, false]);
    expect(new SyncedBook("btcusdc").apply(snapshot(1, [100, 1], [99, 1]), 0)).toBe("resubscribe");
  });

  it("is checked after the whole message, not between its levels", () => {
    const book = synced();
    expect(book.apply(update(11, 12, [103, 1], [102, 0, 103, 0, 104, 1]), 5)).toBe("applied");
    expect([book.bids.bestTicks, book.asks.bestTicks]).toEqual([103, 104]);
  });
});

describe("age", () => {
  it("counts from the last event, also from one that changes no level", () => {
    const book = synced();
    book.apply(update(11, 11, [100, 2], []), 700);
    expect(book.lastReceivedMs).toBe(700);
    book.apply(update(12, 12, [100, 2], []), 800);
    expect(book.lastReceivedMs).toBe(800);
    expect(book.isStale(1800, 1000)).toBe(false);
    expect(book.isStale(1801, 1000)).toBe(true);
  });

  it("starts again when the exchange confirms that nothing is missing: a quiet market is no stalled stream", () => {
    const book = synced();
    expect(book.confirmSequence(10, 5000)).toBe("current");
    expect(book.isStale(5500, 1000)).toBe(false);
    expect(book.confirmSequence(11, 6000)).toBe("behind");
    expect(book.confirmSequence(9, 6500)).toBe("ahead");
    expect(book.isStale(6500, 1000)).toBe(true);
    book.invalidate("stream down");
    expect(book.confirmSequence(10, 7000)).toBe("unsynchronised");
    expect(book.reason).toBe("stream down");
  });
});

it("another market's events do not touch it", () => {
  const book = synced();
  expect(book.apply({ ...snapshot(99, [], []), marketId: "ethusdc" }, 5)).toBe("ignored");
  expect([book.sequence, book.lastReceivedMs]).toEqual([10, 0]);
});
