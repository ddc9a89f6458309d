import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generatePoints } from "#backtest/generate-points.js";
import { listValues, type Parameter, type RangeParameter, valueAt } from "#backtest/parameter.js";
import { makeSplits } from "#backtest/windows.js";

const range = (over: Partial<RangeParameter>): RangeParameter => ({
  kind: "range",
  path: "fills.orderLatencyMs",
  min: 0,
  max: 1,
  scale: "linear",
  integer: false,
  ...over,
});
const list: Parameter = { kind: "list", path: "fills.queue", values: ["risk-averse", "log"] };

describe("values of a parameter", () => {
  it("go in exact decimal steps from min to max, and by quotients on a log scale", () => {
    expect(listValues(range({ min: 0.1, max: 0.5, step: 0.1 }))).toEqual([0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(listValues(range({ min: 1, max: 10, step: 2, scale: "log" }))).toEqual([1, 2, 4, 8]);
    expect(listValues(range({ min: 3, max: 6, integer: true }))).toEqual([3, 4, 5, 6]);
    expect(listValues(range({}))).toBeUndefined();
    expect(listValues(list)).toEqual(["risk-averse", "log"]);
    expect(() => listValues(range({ max: 1e9, step: 0.1 }))).toThrow(
      /parameters.fills.orderLatencyMs.step.*at most 10000/,
    );
  });

  it("lie within the range wherever they are drawn, whole where they must be, and follow the scale", () => {
    const ends = fc
      .tuple(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 1000 }))
      .filter(([a, b]) => a < b);
    fc.assert(
      fc.property(
        ends,
        fc.boolean(),
        fc.boolean(),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        ([min, max], isLog, integer, share) => {
          const value = valueAt(
            range({ min, max, scale: isLog ? "log" : "linear", integer }),
            share,
          ) as number;
          expect(value).toBeGreaterThanOrEqual(min);
          expect(value).toBeLessThanOrEqual(max);
          if (integer) expect(Number.isInteger(value)).toBe(true);
        },
      ),
    );
    expect(valueAt(range({ min: 1, max: 100, scale: "log" }), 0.5)).toBe(10);
    expect(valueAt(range({ min: 1, max: 100 }), 0.5)).toBe(50.5);
    expect([0, 0.49, 0.5, 0.999].map((share) => valueAt(list, share))).toEqual([
      "risk-averse",
      "risk-averse",
      "log",
      "log",
    ]);
  });
});

describe("points of a sweep", () => {
  it("of a grid are every combination once, the last parameter changing first", () => {
    const points = generatePoints([range({ min: 1, max: 2, step: 1 }), list], { kind: "grid" });
    expect(points.map(({ index, values }) => [index, ...Object.values(values)])).toEqual([
      [0, 1, "risk-averse"],
      [1, 1, "log"],
      [2, 2, "risk-averse"],
      [3, 2, "log"],
    ]);
    expect(() => generatePoints([range({})], { kind: "grid" })).toThrow(
      /parameters.fills.orderLatencyMs: has no steps.*step: NUMBER/,
    );
    const wide = range({ max: 2000, integer: true });
    expect(() => generatePoints([wide, { ...wide, path: "seed" }], { kind: "grid" })).toThrow(
      /too many points/,
    );
  });

  it("are the same for the same seed, begin alike however many are asked for, and are never twice the same", () => {
    for (const kind of ["random", "sobol"] as const) {
      const draw = (count: number, seed: number) =>
        generatePoints([range({ integer: true, max: 3 }), list], { kind, count, seed });
      expect(draw(20, 1)).toEqual(draw(20, 1));
      expect(draw(20, 1).slice(0, draw(5, 1).length)).toEqual(draw(5, 1));
      const keys = draw(200, 1).map(({ values }) => JSON.stringify(values));
      expect(new Set(keys).size).toBe(keys.length);
      // All eight of them.
      expect(keys).toHaveLength(8);
    }
    const random = (seed: number) =>
      generatePoints([range({})], { kind: "random", count: 3, seed });
    expect(random(1)).not.toEqual(random(2));
  });
});

describe("splits of a walk forward", () => {
  const HOUR = 3_600_000;
  const DAY_US = 86_400_000_000;

  it("by hand: a day, ten hours to train, four to test, six on", () => {
    const hours = makeSplits(
      { fromUs: 0, toUs: DAY_US },
      { trainMs: 10 * HOUR, testMs: 4 * HOUR, stepMs: 6 * HOUR },
    ).map(({ train, test }) =>
      [train.name, train.fromUs, train.toUs, test.name, test.fromUs, test.toUs].map((at) =>
        typeof at === "number" ? at / (HOUR * 1000) : at,
      ),
    );
    // A third would test until 26:00.
    expect(hours).toEqual([
      ["train0", 0, 10, "test0", 10, 14],
      ["train1", 6, 16, "test1", 16, 20],
    ]);
  });

  it("test right after they train, never on what they trained on, and end within the history", () => {
    const length = fc.integer({ min: 1, max: 500 });
    fc.assert(
      fc.property(
        length,
        length,
        length,
        fc.integer({ min: 1000, max: 5000 }),
        (trainMs, testMs, stepMs, wholeMs) => {
          const splits = makeSplits(
            { fromUs: 7, toUs: 7 + wholeMs * 1000 },
            { trainMs, testMs, stepMs },
          );
          const wrong = splits.filter(
            ({ train, test }, at) =>
              train.fromUs !== 7 + at * stepMs * 1000 ||
              train.toUs - train.fromUs !== trainMs * 1000 ||
              test.toUs - test.fromUs !== testMs * 1000 ||
              test.fromUs !== train.toUs,
          );
          expect(wrong).toEqual([]);
          const last = splits.at(-1)?.test.toUs as number;
          expect(last).toBeLessThanOrEqual(7 + wholeMs * 1000);
          expect(last + stepMs * 1000).toBeGreaterThan(7 + wholeMs * 1000);
        },
      ),
    );
  });

  it("are refused where not one fits, or too many do", () => {
    const span = { fromUs: 0, toUs: DAY_US };
    expect(() => makeSplits(span, { trainMs: 20 * HOUR, testMs: 5 * HOUR, stepMs: HOUR })).toThrow(
      /walkForward: is longer.*at most 86400000/,
    );
    expect(() => makeSplits(span, { trainMs: 1, testMs: 1, stepMs: 1 })).toThrow(/too many splits/);
  });
});
