import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SOBOL_DIMENSIONS, sobolPoints } from "#backtest/sobol.js";
import { ConfigError } from "#core/errors.js";
import { seededRandom } from "#core/seeded-random.js";

describe("Sobol points", () => {
  it("are the published ones: the first of two dimensions as Bratley and Fox have them, Gray-code order", () => {
    expect([...sobolPoints(2, 8)]).toEqual([
      [0, 0],
      [0.5, 0.5],
      [0.75, 0.25],
      [0.25, 0.75],
      [0.375, 0.375],
      [0.875, 0.875],
      [0.625, 0.125],
      [0.125, 0.625],
    ]);
  });

  it("are those of the table of Joe and Kuo in all 21 dimensions, as scipy 1.x (stats.qmc.Sobol, scramble=False) computes them", () => {
    const points = [...sobolPoints(SOBOL_DIMENSIONS, 1024)].map((point) =>
      point.map((share) => share * 1024),
    );
    expect(points[5]).toEqual([
      896, 896, 128, 384, 896, 640, 896, 384, 384, 128, 384, 896, 896, 128, 896, 384, 896, 384, 384,
      640, 640,
    ]);
    expect(points[1000]).toEqual([
      225, 99, 531, 693, 287, 929, 47, 921, 513, 71, 87, 261, 165, 393, 147, 379, 737, 353, 1015,
      743, 535,
    ]);
    // Every coordinate of all 1,024 points, in order.
    const sum = points.flat().reduce((held, at) => (held * 31 + at) % 1_000_003, 0);
    expect(sum).toBe(762_082);
  });

  it("have one point in each of 2^m equal intervals of every dimension, shifted or not", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: SOBOL_DIMENSIONS }),
        fc.integer({ min: 0, max: 8 }),
        fc.option(fc.string()),
        (dimensions, power, seed) => {
          const count = 2 ** power;
          const points = [
            ...sobolPoints(dimensions, count, seed === null ? undefined : seededRandom(seed)),
          ];
          for (let dimension = 0; dimension < dimensions; dimension++) {
            const cells = new Set(
              points.map((point) => Math.floor((point[dimension] as number) * count)),
            );
            expect(cells.size).toBe(count);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("move with a seed, always alike", () => {
    const shifted = (seed: string) => [...sobolPoints(3, 16, seededRandom(seed))];
    expect(shifted("a")).toEqual(shifted("a"));
    expect(shifted("a")).not.toEqual(shifted("b"));
    expect(shifted("a")).not.toEqual([...sobolPoints(3, 16)]);
  });

  it("refuse more dimensions than there are direction numbers for", () => {
    expect(() => [...sobolPoints(SOBOL_DIMENSIONS + 1, 1)]).toThrow(ConfigError);
    expect(() => [...sobolPoints(0, 1)]).toThrow(/1 to 21/);
  });
});
