import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { type LiquidationProblem, optimalLiquidation } from "#strategies/almgren-chriss.js";

/** The example of the paper's section 3.4: a million shares at 50 in five days. */
const paper: LiquidationProblem = {
  size: 1e6,
  horizon: 5,
  intervals: 5,
  riskAversion: 1e-6,
  sigma: 0.95,
  permanentImpact: 2.5e-7,
  temporaryImpact: 2.5e-6,
  fixedCost: 0.0625,
};

/** [lambda, kappa, holdings at the end of each day, expected cost, standard deviation] */
const TABLE: readonly (readonly [number, number, readonly number[], number, number])[] = [
  [1e-7, 0.1946, [1_000_000, 757_882, 544_564, 351_940, 172_689, 0], 670_057, 961_623],
  [1e-6, 0.6071, [1_000_000, 541_956, 289_854, 147_897, 62_142, 0], 911_227, 603_431],
  [2e-6, 0.8463, [1_000_000, 428_599, 182_933, 76_296, 27_643, 0], 1_140_715, 449_368],
];

describe("the optimal liquidation of Almgren and Chriss", () => {
  it.each(TABLE)(
    "has the numbers of the paper's example at lambda %d",
    (riskAversion, kappa, holdings, cost, deviation) => {
      const found = optimalLiquidation({ ...paper, riskAversion });
      expect(found.kappa).toBeCloseTo(kappa, 4);
      expect(found.holdings.map(Math.round)).toEqual(holdings);
      expect(Math.round(found.expectedCost)).toBe(cost);
      expect(Math.round(Math.sqrt(found.costVariance))).toBe(deviation);
    },
  );

  it("sells in equal parts without risk aversion, at the paper's 662,500", () => {
    const even = optimalLiquidation({ ...paper, riskAversion: 0 });
    expect(even.holdings.map(Math.round)).toEqual([
      1_000_000, 800_000, 600_000, 400_000, 200_000, 0,
    ]);
    expect(even.expectedCost).toBeCloseTo(662_500, 6);
  });

  it("stays finite when its hyperbolic sines would overflow: it sells all at once", () => {
    const { holdings } = optimalLiquidation({
      ...paper,
      riskAversion: 1e12,
      horizon: 1e4,
      permanentImpact: 0,
    });
    expect(holdings[0]).toBe(1e6);
    for (const held of holdings.slice(1)) expect(held).toBeCloseTo(0, 3);
  });

  it.each([
    ["size", -1],
    ["horizon", 0],
    ["intervals", 1.5],
    ["riskAversion", Number.NaN],
    ["sigma", Number.POSITIVE_INFINITY],
    ["temporaryImpact", 1.25e-7],
  ] as const)("refuses %s of %d by its name", (field, value) => {
    expect(() => optimalLiquidation({ ...paper, [field]: value })).toThrow(ConfigError);
    expect(() => optimalLiquidation({ ...paper, [field]: value })).toThrow(field);
  });

  const problems = fc.record({
    size: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
    horizon: fc.double({ min: 0.1, max: 1e3, noNaN: true }),
    intervals: fc.integer({ min: 2, max: 40 }),
    riskAversion: fc.double({ min: 0, max: 1, noNaN: true }),
    sigma: fc.double({ min: 0, max: 10, noNaN: true }),
    permanentImpact: fc.constant(0),
    temporaryImpact: fc.double({ min: 1e-3, max: 10, noNaN: true }),
    fixedCost: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  it("falls from the full size to zero, never rising", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const { holdings } = optimalLiquidation(problem);
        expect(holdings).toHaveLength(problem.intervals + 1);
        expect([holdings[0], holdings.at(-1)]).toEqual([problem.size, 0]);
        for (let j = 1; j < holdings.length; j++)
          expect(holdings[j]).toBeLessThanOrEqual(holdings[j - 1]);
      }),
    );
  });

  it("costs no more, in expectation and lambda times variance, than any neighbouring trajectory", () => {
    fc.assert(
      fc.property(
        problems,
        fc.nat(),
        fc.double({ min: -0.5, max: 0.5, noNaN: true }),
        (problem, where, by) => {
          const { holdings, expectedCost, costVariance } = optimalLiquidation(problem);
          const { intervals, horizon, temporaryImpact, sigma, riskAversion, fixedCost } = problem;
          const other = [...holdings];
          const at = 1 + (where % (intervals - 1));
          // Kept between its neighbours, so that it only sells too.
          other[at] +=
            by * (by < 0 ? holdings[at] - holdings[at + 1] : holdings[at - 1] - holdings[at]);
          const tau = horizon / intervals;
          let cost = 0;
          for (let j = 1; j <= intervals; j++) {
            const part = other[j - 1] - other[j];
            cost +=
              fixedCost * part +
              (temporaryImpact / tau) * part * part +
              riskAversion * sigma * sigma * tau * other[j] * other[j];
          }
          const best = expectedCost + riskAversion * costVariance;
          expect(cost).toBeGreaterThanOrEqual(best - 1e-9 * Math.max(1, best));
        },
      ),
    );
  });
});
