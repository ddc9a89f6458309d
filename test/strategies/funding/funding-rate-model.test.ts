import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { FundingRateModel } from "#strategies/funding-rate-model.js";

const HOUR_MS = 3_600_000;
const PERIOD_MS = 8 * HOUR_MS;
const OPTIONS = {
  persistence: 0.7,
  longRunBps: 0.4,
  residualBps: 2,
  periodMs: PERIOD_MS,
  windowRates: 100,
  leastRates: 10,
};
const RATES = [1, 2.5, 2, -0.5, 0.25, 1.5, 3, 2.25, 1, 0, -1, 0.5];

function modelOf(rates: readonly number[], options = OPTIONS, stampOf = (at: number) => at) {
  const model = new FundingRateModel(options);
  for (const [at, rateBps] of rates.entries()) model.observe(rateBps, stampOf(at) * PERIOD_MS);
  return model;
}

describe("the process of the funding rates", () => {
  it("is that of Yule and Walker, computed by an independent program", () => {
    // Python, with exact sums: mean, first autocorrelation, root of squares / (11 - 2).
    const { fit } = modelOf(RATES);
    expect(fit.longRunBps).toBeCloseTo(1.041666666667, 11);
    expect(fit.persistence).toBeCloseTo(0.421335769387, 11);
    expect(fit.residualBps).toBeCloseTo(1.247840240187, 11);
    expect(fit).toMatchObject({ isFitted: true, periodMs: PERIOD_MS });
  });

  it("does not take two rates for neighbours between which a funding was missed", () => {
    const { fit } = modelOf(RATES, OPTIONS, (at) => (at > 5 ? at + 1 : at));
    expect(fit.persistence).toBeCloseTo(0.368859114901, 11);
    expect(fit.residualBps).toBeCloseTo(1.16574642212, 11);
    expect(fit.periodMs).toBe(PERIOD_MS);
  });

  it("keeps its period when an exchange moves one funding: its other rates would count for nothing", () => {
    const { fit } = modelOf(RATES, OPTIONS, (at) => (at > 5 ? at - 0.5 : at));
    expect(fit.periodMs).toBe(PERIOD_MS);
    expect(fit.persistence).toBeGreaterThan(0.3);
  });

  it("knows its period though the bot missed most fundings", () => {
    const days = modelOf(RATES, OPTIONS, (at) => 3 * at - (at > 3 ? 2 : 0) - (at > 7 ? 2 : 0));
    expect(days.fit.periodMs).toBe(PERIOD_MS);
  });

  it("is that of the file until enough rates were paid, with the period that was seen", () => {
    const hourly = new FundingRateModel(OPTIONS);
    hourly.observe(5, HOUR_MS);
    expect(hourly.fit.periodMs).toBe(PERIOD_MS);
    hourly.observe(5, 2 * HOUR_MS);
    expect(hourly.fit).toEqual({
      persistence: 0.7,
      longRunBps: 0.4,
      residualBps: 2,
      periodMs: HOUR_MS,
      isFitted: false,
    });
  });

  it("takes every rate of an exchange that pays each minute", () => {
    const model = new FundingRateModel(OPTIONS);
    for (const [at, rateBps] of RATES.entries()) model.observe(rateBps, at * 60_000);
    expect(model.rates).toHaveLength(RATES.length);
    expect(model.fit.periodMs).toBe(60_000);
  });

  it("finds a process again that it is made of", () => {
    const random = seededRandom("rates");
    let rate = 0;
    const made = Array.from({ length: 2000 }, () => {
      rate = 1 + 0.5 * (rate - 1) + (random.uniform() - 0.5) * Math.sqrt(12);
      return rate;
    });
    const { fit } = modelOf(made, { ...OPTIONS, windowRates: 2000 });
    // Standard errors: 0.019, 0.045 and 0.016.
    expect(Math.abs(fit.persistence - 0.5)).toBeLessThan(0.06);
    expect(Math.abs(fit.longRunBps - 1)).toBeLessThan(0.14);
    expect(Math.abs(fit.residualBps - 1)).toBeLessThan(0.05);
  });

  it("forgets rates beyond its window, and ignores one that comes twice", () => {
    const model = modelOf([100, 100, 100, ...RATES], { ...OPTIONS, windowRates: RATES.length });
    expect(model.fit.longRunBps).toBeCloseTo(1.041666666667, 11);
    const { fit } = model;
    model.observe(50, (RATES.length + 2) * PERIOD_MS);
    expect(model.fit).toBe(fit);
  });

  it("never keeps more than the distance from the mean, whatever was paid", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -375, max: 375, noNaN: true }), { minLength: 10, maxLength: 40 }),
        (rates) => {
          const { persistence, residualBps, longRunBps } = modelOf(rates).fit;
          expect(persistence).toBeGreaterThanOrEqual(0);
          expect(persistence).toBeLessThanOrEqual(0.99);
          expect(residualBps).toBeGreaterThanOrEqual(0);
          expect(Math.abs(longRunBps)).toBeLessThanOrEqual(375);
        },
      ),
    );
  });
});
