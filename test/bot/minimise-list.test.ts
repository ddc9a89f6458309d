import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minimiseList } from "#bot/minimise-list.js";

const indices = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);

describe("the smallest part of a list that still fails", () => {
  it("is exactly the needed items, if a part fails whenever it holds all of them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 0, max: 80 })
          .chain((length) => fc.tuple(fc.constant(length), fc.subarray([...indices(length)]))),
        async ([length, needed]) => {
          const found = await minimiseList(indices(length), async (kept) =>
            needed.every((item) => kept.includes(item)),
          );
          expect(found).toEqual(needed);
        },
      ),
    );
  });

  it("still fails, keeps the order, and needs each of its items, whatever makes a list fail", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 24 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        async (length, salt) => {
          const items = indices(length);
          // A rule without any order in it: more items may fail no longer.
          const isFailing = (kept: readonly number[]): boolean =>
            kept.length === length ||
            kept.reduce((hash, item) => (hash * 31 + item * salt) % 9_973, kept.length) % 3 === 0;
          const found = await minimiseList(items, async (kept) => isFailing(kept));
          expect(isFailing(found)).toBe(true);
          expect(items.filter((item) => found.includes(item))).toEqual(found);
          for (const item of found)
            expect(found.length > 1 && isFailing(found.filter((one) => one !== item))).toBe(false);
        },
      ),
    );
  });

  it("asks about few parts of a long list of which one item matters", async () => {
    let asked = 0;
    const found = await minimiseList(indices(10_000), async (kept) => {
      asked += 1;
      return kept.includes(7_321);
    });
    expect(found).toEqual([7_321]);
    expect(asked).toBeLessThan(60);
  });
});
