import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DrawdownTracker } from "#account/drawdown.js";
import { FillSample } from "#backtest/fill-sample.js";
import type { ReplayFill } from "#backtest/run-observer.js";
import { MOST_BUCKETS, TimeGrid } from "#backtest/time-grid.js";

describe("a series over the buckets of a run", () => {
  it("has the least, the greatest and the last value of each bucket, however often the buckets were widened", () => {
    const told = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 60_000_000 }), fc.integer({ min: -1000, max: 1000 })),
      {
        minLength: 1,
        maxLength: 400,
      },
    );
    fc.assert(
      fc.property(told, (unordered) => {
        const values = unordered.sort(([a], [b]) => a - b);
        const grid = new TimeGrid(0);
        const column = grid.column<number>();
        for (const [atUs, value] of values) column.put(grid.bucketOf(atUs), value);
        const grouped = groupedBy(values, grid.widthUs);
        expect(column.last.length).toBeLessThanOrEqual(MOST_BUCKETS);
        const wanted = column.last.map((_, bucket) => {
          const inside = grouped.get(bucket)?.map(([, value]) => value);
          return inside === undefined
            ? []
            : [Math.min(...inside), Math.max(...inside), inside.at(-1)];
        });
        const found = column.last.map((last, bucket) =>
          last === undefined ? [] : [column.min[bucket], column.max[bucket], last],
        );
        expect(found).toEqual(wanted);
      }),
      { numRuns: 30 },
    );
  });

  it("takes as little for a year as for a second, and loses no spike", () => {
    const grid = new TimeGrid(1_700_000_000_000_000);
    const column = grid.column<number>();
    for (let hour = 0; hour < 365 * 24; hour += 1) {
      column.put(grid.bucketOf(grid.startUs + hour * 3_600_000_000), hour === 4321 ? -77 : 5);
    }
    expect(column.last.length).toBeLessThanOrEqual(MOST_BUCKETS);
    expect(column.min.filter((least) => least === -77)).toHaveLength(1);
  });
});

function groupedBy(
  values: readonly [number, number][],
  widthUs: number,
): Map<number, [number, number][]> {
  const groups = new Map<number, [number, number][]>();
  for (const value of values) {
    const bucket = Math.floor(value[0] / widthUs);
    groups.set(bucket, [...(groups.get(bucket) ?? []), value]);
  }
  return groups;
}

describe("the deepest drawdown", () => {
  it("is the greatest fall between any two instants, the start among them", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -50n, max: 50n }), { maxLength: 60 }), (moves) => {
        const values = [0n];
        for (const move of moves) values.push((values.at(-1) ?? 0n) + move);
        const drawdown = new DrawdownTracker(0, 0n);
        for (const [index, value] of values.entries()) drawdown.add(index, value);
        let deepest = 0n;
        for (const [from, high] of values.entries()) {
          for (const low of values.slice(from)) if (high - low > deepest) deepest = high - low;
        }
        const { amount, peak, peakUs, troughUs } = drawdown.deepest;
        expect(amount).toBe(deepest);
        expect([peak, (values[peakUs] ?? 0n) - (values[troughUs] ?? 0n)]).toEqual([
          values[peakUs],
          deepest,
        ]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the fills that charts show", () => {
  it("are all of them, and beyond a budget evenly every second, fourth or eighth of the whole run", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 700 }), (count) => {
        const fills = new FillSample(50);
        for (let number = 0; number < count; number += 1) fills.add({ number } as ReplayFill);
        const wanted = Array.from({ length: count }, (_, number) => number).filter(
          (number) => number % fills.stride === 0,
        );
        expect(fills.fills.map(({ number }) => number)).toEqual(wanted);
        expect(fills.fills.length).toBeLessThanOrEqual(50);
        if (count <= 50) expect(fills.stride).toBe(1);
      }),
      { numRuns: 60 },
    );
  });
});
