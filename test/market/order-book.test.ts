import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { BookSide } from "#market/book-side.js";
import { OrderBook } from "#market/order-book.js";

describe("one side of a book", () => {
  it("has no best price when it is empty", () => {
    const side = new BookSide("BUY");
    expect([side.levels, side.bestTicks, side.bestLots, side.top(3), side.lotsAt(1)]).toEqual([
      0,
      Number.NaN,
      0,
      [],
      0,
    ]);
  });

  it.each(["BUY", "SELL"] as const)(
    "%s behaves like a sorted map, whatever the order of changes",
    (side) => {
      const change = fc.record({
        ticks: fc.integer({ min: 1, max: 60 }),
        lots: fc.integer({ min: 0, max: 3 }),
      });
      fc.assert(
        fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
          const book = new BookSide(side);
          const reference = new Map<number, number>();
          for (const { ticks, lots } of changes) {
            const before = reference.get(ticks) ?? 0;
            expect(book.set(ticks, lots)).toBe(before !== lots);
            if (lots === 0) reference.delete(ticks);
            else reference.set(ticks, lots);
            expect(book.lotsAt(ticks)).toBe(lots);
            const best =
              side === "BUY" ? Math.max(...reference.keys()) : Math.min(...reference.keys());
            expect(book.bestTicks).toBe(reference.size === 0 ? Number.NaN : best);
            expect(book.bestLots).toBe(reference.get(best) ?? 0);
          }
          const sorted = [...reference].sort(([a], [b]) => (side === "BUY" ? b - a : a - b));
          expect(book.entries()).toEqual(sorted.flat());
          expect(book.top(5)).toEqual(sorted.slice(0, 5).map(([ticks, lots]) => ({ ticks, lots })));
          const pairs = new Float64Array(10);
          expect([...pairs.subarray(0, 2 * book.topInto(pairs, 5))]).toEqual(
            sorted.slice(0, 5).flat(),
          );
          expect(book.levels).toBe(reference.size);
        }),
      );
    },
  );

  it.each(["BUY", "SELL"] as const)(
    "%s loses the levels from the best down to a price, that price included, and no other",
    (side) => {
      const level = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 3 }));
      fc.assert(
        fc.property(
          fc.array(level, { maxLength: 100 }),
          fc.integer({ min: 0, max: 61 }),
          (levels, from) => {
            const book = new BookSide(side);
            book.setPairs(levels.flat());
            const kept = book
              .top(book.levels)
              .filter(({ ticks }) => (side === "BUY" ? ticks < from : ticks > from));
            book.clearFrom(from);
            expect(book.top(100)).toEqual(kept);
            expect([book.levels, book.bestTicks]).toEqual([
              kept.length,
              kept[0]?.ticks ?? Number.NaN,
            ]);
          },
        ),
      );
    },
  );

  it("keeps its levels right through long runs of deletions and returns", () => {
    const random = seededRandom(11);
    const book = new BookSide("BUY");
    const reference = new Map<number, number>();
    for (let change = 0; change < 60_000; change++) {
      // Waves of mostly deletions, then mostly returns, so that empty entries outnumber the full
      // ones.
      const deleting = Math.floor(change / 6000) % 2 === 1;
      const ticks = 1 + Math.floor(random.uniform() * 1500);
      const lots =
        random.uniform() < (deleting ? 0.9 : 0.1) ? 0 : 1 + Math.floor(random.uniform() * 9);
      book.set(ticks, lots);
      if (lots === 0) reference.delete(ticks);
      else reference.set(ticks, lots);
      if (change % 500 !== 0) continue;
      expect(book.levels).toBe(reference.size);
      expect(book.entries()).toEqual([...reference].sort(([a], [b]) => b - a).flat());
      if (reference.size > 0) expect(book.bestTicks).toBe(Math.max(...reference.keys()));
    }
    book.clear();
    expect([book.levels, book.entries()]).toEqual([0, []]);
  });

  it("holds 10,000 levels, added from the touch outwards, inwards and at random, and loses none", () => {
    const random = seededRandom(7);
    const ticks = Array.from({ length: 10_000 }, (_, i) => 500_000 + 3 * i);
    const shuffled = [...ticks].sort(() => random.uniform() - 0.5);
    for (const order of [ticks, [...ticks].reverse(), shuffled]) {
      const book = new BookSide("SELL");
      for (const price of order) book.set(price, price % 97 || 1);
      expect(book.levels).toBe(10_000);
      expect(book.entries()).toEqual(ticks.flatMap((price) => [price, price % 97 || 1]));
      for (const price of order) book.set(price, 0);
      expect([book.levels, book.bestTicks]).toEqual([0, Number.NaN]);
    }
  });
});

describe("a book", () => {
  it("is crossed when the best bid meets the best ask, and never while a side is empty", () => {
    const book = new OrderBook();
    book.set("BUY", 100, 1);
    expect(book.crossed).toBe(false);
    book.set("SELL", 101, 1);
    expect(book.crossed).toBe(false);
    book.set("SELL", 100, 1);
    expect(book.crossed).toBe(true);
  });
});
