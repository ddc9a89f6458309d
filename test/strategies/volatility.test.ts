import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import {
  EwmaVolatility,
  MIN_RETURNS,
  RollingVolatility,
  type VolatilityEstimator,
} from "#strategies/volatility.js";

const WINDOW = { windowMs: 60_000, sampleMs: 1000 };

const KINDS: [string, (window: { windowMs: number; sampleMs: number }) => VolatilityEstimator][] = [
  ["ewma", (window) => new EwmaVolatility(window)],
  ["rolling", (window) => new RollingVolatility(window)],
];

/**
 * A price that moves by `sigma` per square root of a second, observed at irregular intervals.
 * Returns the last time.
 */
function diffuse(
  estimator: VolatilityEstimator,
  sigma: number,
  steps: number,
  spanMs: () => number,
  random = seededRandom(5),
): void {
  let price = 10_000;
  let timeMs = 0;
  for (let step = 0; step < steps; step++) {
    const stepMs = spanMs();
    timeMs += stepMs;
    const normal =
      Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
    price += sigma * Math.sqrt(stepMs / 1000) * normal;
    estimator.observe(price, timeMs);
  }
}

describe.each(KINDS)("the %s estimator", (_, make) => {
  it("gives no estimate before enough samples", () => {
    const estimator = make(WINDOW);
    for (let second = 0; second < MIN_RETURNS; second++)
      estimator.observe(100 + (second % 2), second * 1000);
    expect(estimator.sigma).toBeUndefined();
    estimator.observe(100, MIN_RETURNS * 1000);
    expect(estimator.sigma).toBeCloseTo(1, 12);
  });

  it("finds the volatility of a diffusion, however irregularly it is observed", () => {
    const spans = seededRandom(9);
    for (const spanMs of [
      () => 1000,
      () => 250,
      () => 1 + Math.floor(spans.uniform() * 5000),
      () => (spans.uniform() < 0.9 ? 1000 : 30_000),
    ]) {
      const estimator = make({ windowMs: 3_600_000, sampleMs: 1000 });
      diffuse(estimator, 7, 20_000, spanMs);
      // About 1,000 samples of a variance: the error of its root is 2 or 3 in a hundred, and 10 is
      // four errors.
      expect(estimator.sigma).toBeGreaterThan(7 * 0.9);
      expect(estimator.sigma).toBeLessThan(7 * 1.1);
    }
  });

  it("forgets: a market that has become calm gets a low estimate", () => {
    const estimator = make(WINDOW);
    for (let second = 0; second <= 600; second++)
      estimator.observe(100 + 10 * (second % 2), second * 1000);
    expect(estimator.sigma).toBeCloseTo(10, 9);
    for (let second = 601; second <= 1200; second++)
      estimator.observe(100 + (second % 2), second * 1000);
    expect(estimator.sigma).toBeGreaterThan(0.99);
    expect(estimator.sigma).toBeLessThan(1.02);
  });

  it("samples no more often than configured: it ignores the bounce between bid and ask in between", () => {
    const estimator = make(WINDOW);
    for (let at = 0; at < 600; at++) estimator.observe(at % 10 === 0 ? 100 : 105, at * 100);
    expect(estimator.sigma).toBe(0);
  });

  it("is not changed by a clock that steps back, by a repeated time, or by an invalid price", () => {
    const estimator = make(WINDOW);
    for (let second = 0; second <= 30; second++)
      estimator.observe(100 + (second % 2), second * 1000);
    const before = estimator.sigma;
    estimator.observe(Number.NaN, 40_000);
    estimator.observe(900, 30_000);
    estimator.observe(500, 10_000);
    expect(estimator.sigma).toBe(before);
    estimator.observe(501, 11_000);
    expect(estimator.sigma).toBeCloseTo(1, 9);
  });

  it("scales with the price's unit, and does not depend on its level", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 1000, noNaN: true }),
        fc.integer({ min: 0, max: 100_000 }),
        (scale, level) => {
          const [plain, scaled] = [make(WINDOW), make(WINDOW)];
          const random = seededRandom(3);
          for (let second = 0; second < 40; second++) {
            const price = random.uniform();
            plain.observe(price, second * 1000);
            scaled.observe(level + scale * price, second * 1000);
          }
          expect((scaled.sigma ?? 0) / (plain.sigma ?? 0) / scale).toBeCloseTo(1, 4);
        },
      ),
      { numRuns: 30 },
    );
  });
});

it("the rolling window holds the returns that ended within it, and no more", () => {
  const estimator = new RollingVolatility({ windowMs: 10_000, sampleMs: 1000 });
  const prices = Array.from({ length: 500 }, (_, second) => Math.sin(second * second) * second);
  prices.forEach((price, second) => {
    estimator.observe(price, second * 1000);
    if (second < 10) return;
    const squares = Array.from(
      { length: 10 },
      (_, back) => (prices[second - back] - prices[second - back - 1]) ** 2,
    );
    expect(estimator.sigma).toBeCloseTo(Math.sqrt(squares.reduce((a, b) => a + b) / 10), 9);
  });
});
