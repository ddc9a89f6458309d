import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import {
  FillIntensityEstimator,
  type FillIntensityWindow,
  fitIntensity,
  type TradedView,
} from "#strategies/fill-intensity.js";

const WINDOW: FillIntensityWindow = {
  estimator: "rolling",
  windowMs: 10_000_000,
  cellMs: 100,
  depthTicks: 20,
  refitMs: 5000,
  minCells: 50,
};

const quiet = (timeMs: number): TradedView => ({
  timeMs,
  cause: "timer",
  midTicks: 10_000.5,
  tradedHighTicks: Number.NaN,
  tradedLowTicks: Number.NaN,
});

/**
 * Takers at rate A whose reach beyond the mid is exponential with rate k, equally on either side,
 * in views `everyMs` apart.
 */
function poisson(
  estimator: FillIntensityEstimator,
  a: number,
  k: number,
  seconds: number,
  everyMs = 100,
  fromMs = 0,
  seed = 1,
): void {
  const random = seededRandom(seed);
  const interval = () => (-Math.log(1 - random.uniform()) / a) * 1000;
  let nextMs = interval();
  for (let atMs = 0; atMs <= seconds * 1000; atMs += everyMs) {
    const view = { ...quiet(fromMs + atMs) };
    for (; nextMs <= atMs; nextMs += interval()) {
      const reach = -Math.log(1 - random.uniform()) / k;
      if (random.uniform() < 0.5)
        view.tradedHighTicks = Math.max(
          Number.isNaN(view.tradedHighTicks) ? 0 : view.tradedHighTicks,
          view.midTicks + reach,
        );
      else
        view.tradedLowTicks = Math.min(
          Number.isNaN(view.tradedLowTicks) ? 1e9 : view.tradedLowTicks,
          view.midTicks - reach,
        );
    }
    estimator.observe(view);
  }
}

describe("the line through the intensities", () => {
  it("is exact for an exponential", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.double({ min: 0.001, max: 0.5, noNaN: true }),
        (a, k) => {
          const seconds = 1e9;
          const fit = fitIntensity(
            Array.from({ length: 30 }, (_, at) => a * Math.exp(-k * (at + 0.5)) * seconds),
            seconds,
          );
          expect((fit?.fillsPerSecond ?? 0) / a).toBeCloseTo(1, 9);
          expect((fit?.fillDecayPerTick ?? 0) / k).toBeCloseTo(1, 6);
        },
      ),
    );
  });

  it("is undefined with only two distances reached, or if trades are as frequent far out as near", () => {
    expect(fitIntensity([9, 4, 0, 0], 10)).toBeUndefined();
    expect(fitIntensity([9, 4, 2, 0], 10)).toBeDefined();
    expect(fitIntensity([7, 7, 7, 7], 10)).toBeUndefined();
  });

  // If a market's spread is wider than twice depthTicks, every trade is beyond all the distances.
  // Rounding once gave a k of 1e-16, and both quotes were some seven per cent away although the
  // maker seemed to quote.
  it("is undefined if every trade is beyond all the distances, however many there are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 200 }),
        fc.double({ min: 1, max: 1e5, noNaN: true }),
        fc.double({ min: 0.1, max: 1e5, noNaN: true }),
        (distances, cells, seconds) => {
          expect(fitIntensity(new Float64Array(distances).fill(cells), seconds)).toBeUndefined();
        },
      ),
    );
  });
});

describe.each(["rolling", "ewma"] as const)("the %s estimator", (kind) => {
  const make = (changes: Partial<FillIntensityWindow> = {}) =>
    new FillIntensityEstimator({ ...WINDOW, estimator: kind, ...changes });

  it.each([
    [0.5, 0.1],
    [0.8, 0.25],
  ])("recovers A %d and k %d from takers that arrive by them", (a, k) => {
    // So few per cell that two in one are rare: a cell counts its deepest trade.
    const estimator = make({ depthTicks: 12 });
    poisson(estimator, a, k, 20_000);
    // Some 10,000 arrivals: three errors of a hundredth each, and three hundredths for two in one
    // cell.
    expect(estimator.estimate?.fillsPerSecond).toBeGreaterThan(0.94 * a);
    expect(estimator.estimate?.fillsPerSecond).toBeLessThan(1.06 * a);
    expect(estimator.estimate?.fillDecayPerTick).toBeGreaterThan(0.94 * k);
    expect(estimator.estimate?.fillDecayPerTick).toBeLessThan(1.06 * k);
  });

  it("becomes more accurate with time", () => {
    const errors = [200, 2000, 20_000].map((seconds) => {
      let worst = 0;
      for (const seed of [1, 2, 3]) {
        const estimator = make({ depthTicks: 12 });
        poisson(estimator, 0.5, 0.1, seconds, 100, 0, seed);
        worst = Math.max(worst, Math.abs((estimator.estimate?.fillDecayPerTick ?? 0) / 0.1 - 1));
      }
      return worst;
    });
    expect(errors[1]).toBeLessThan(errors[0]);
    expect(errors[2]).toBeLessThan(errors[1]);
  });

  it("gives no estimate before enough trades, nor after a window without trades", () => {
    const estimator = make({ windowMs: 600_000 });
    poisson(estimator, 0.5, 0.1, 60);
    expect(estimator.estimate).toBeUndefined();
    poisson(estimator, 0.5, 0.1, 600, 100, 60_000);
    expect(estimator.estimate).toBeDefined();
    for (let atMs = 660_000; atMs < 4_000_000; atMs += 100) estimator.observe(quiet(atMs));
    expect(estimator.estimate).toBeUndefined();
  });

  it("forgets: takers that no longer reach far are no longer expected there", () => {
    const estimator = make({ windowMs: 300_000, depthTicks: 12 });
    poisson(estimator, 0.9, 0.05, 2000);
    expect(estimator.estimate?.fillDecayPerTick).toBeLessThan(0.1);
    poisson(estimator, 0.9, 0.5, 4000, 100, 2_000_000);
    expect(estimator.estimate?.fillDecayPerTick).toBeGreaterThan(0.3);
  });

  it("ignores trades from before a restart of the market, and starts a new cell there", () => {
    const [whole, broken] = [make(), make()];
    poisson(whole, 0.5, 0.1, 1000);
    poisson(broken, 0.5, 0.1, 1000);
    const before = whole.estimate;
    for (const estimator of [whole, broken]) {
      estimator.observe({
        ...quiet(1_500_000),
        cause: estimator === broken ? "start" : "timer",
        tradedHighTicks: 10_015,
      });
      for (let atMs = 1_500_100; atMs <= 1_505_000; atMs += 100) estimator.observe(quiet(atMs));
    }
    expect(whole.estimate?.fillsPerSecond).toBeLessThan(0.7 * (before?.fillsPerSecond ?? 0));
    expect(broken.estimate?.fillsPerSecond).toBeGreaterThan(0.98 * (before?.fillsPerSecond ?? 0));
  });

  it("measures from the mid at a cell's start, over however many views the cell has", () => {
    const estimator = make({ depthTicks: 5, minCells: 1, refitMs: 0 });
    // A cell of three views every 120 ms. Its mid moves away, and its deepest trade is 1, 2 ... 5
    // ticks from the first mid.
    for (let cell = 0; cell <= 50; cell++) {
      const depth = 1 + (cell % 5);
      estimator.observe({
        ...quiet(120 * cell),
        midTicks: 100,
        tradedHighTicks: cell === 0 ? Number.NaN : 101,
      });
      estimator.observe({ ...quiet(120 * cell + 40), midTicks: 103, tradedLowTicks: 100 - depth });
      estimator.observe({ ...quiet(120 * cell + 80), midTicks: 104, tradedHighTicks: 100 });
    }
    const [near, far] = [
      estimator.estimate?.fillsPerSecond ?? 0,
      estimator.estimate?.fillDecayPerTick ?? 0,
    ];
    const expected = fitIntensity([50, 40, 30, 20, 10], 6);
    // The weights of a window of hours have hardly decayed in six seconds.
    expect(near / (expected?.fillsPerSecond ?? 0)).toBeCloseTo(1, 3);
    expect(far / (expected?.fillDecayPerTick ?? 0)).toBeCloseTo(1, 3);
  });

  it("is not changed by a clock that steps back", () => {
    const estimator = make();
    poisson(estimator, 0.5, 0.1, 1000);
    const before = estimator.estimate;
    estimator.observe({ ...quiet(500_000), tradedHighTicks: 10_100 });
    expect(estimator.estimate).toBe(before);
    poisson(estimator, 0.5, 0.1, 1000, 100, 500_000, 2);
    expect((estimator.estimate?.fillDecayPerTick ?? 0) / 0.1).toBeGreaterThan(0.8);
    expect((estimator.estimate?.fillDecayPerTick ?? 0) / 0.1).toBeLessThan(1.2);
  });
});
