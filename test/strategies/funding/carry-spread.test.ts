import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectedSpreadBps, lowerQuantile, spreadSurprisesBps } from "#strategies/carry-spread.js";

const HOUR_MS = 3_600_000;
const FIT = { persistence: 0.5, longRunBps: 1, residualBps: 1, periodMs: 8 * HOUR_MS };
const HOURLY = { persistence: 0.9, longRunBps: 0.1, residualBps: 0.2, periodMs: HOUR_MS };

const leg = (fit: typeof FIT, rateBps: number, untilMs: number) => ({
  announced: { rateBps, untilMs },
  fit,
});
/** Rates at every period from the first on. */
const paid = (fit: typeof FIT, rates: readonly number[]) => ({
  fit,
  rates: rates.map((rateBps, at) => ({ rateBps, stampMs: (at + 1) * fit.periodMs })),
});

describe("the expected funding of two legs over a time", () => {
  it("is the sum of each leg's predicted rates, with its own period", () => {
    // Here 3, 2 and 1.5 within 24 hours are paid by the long; there the short receives 24 rates.
    let [rate, there] = [1, 0];
    for (let hour = 0; hour < 24; hour++) {
      there += rate;
      rate = 0.1 + 0.9 * (rate - 0.1);
    }
    const spread = expectedSpreadBps(
      leg(FIT, 3, 2 * HOUR_MS),
      leg(HOURLY, 1, HOUR_MS),
      24 * HOUR_MS,
    );
    expect(spread).toBeCloseTo(there - 6.5, 9);
  });

  it("is the opposite of the other side's, and nothing before the first funding", () => {
    const [here, there] = [leg(FIT, 3, HOUR_MS), leg(HOURLY, -2, HOUR_MS / 2)];
    const horizonMs = 30 * HOUR_MS;
    expect(expectedSpreadBps(here, there, horizonMs)).toBe(
      -expectedSpreadBps(there, here, horizonMs),
    );
    expect(expectedSpreadBps(here, there, 1000)).toBeCloseTo(0, 12);
  });
});

describe("what the history of the rates says of that expectation", () => {
  it("is the difference to what was paid, for each time that the history has whole", () => {
    const here = paid(FIT, [1, 3, 2, 4]);
    const there = paid(FIT, [0, 1, 1, 1]);
    // Two fundings each. After the first: here 1 and 1 were expected, 3 and 2 paid by the long;
    // there 0.5 and 0.75 were expected, 1 and 1 received by the short. After the second: here 2 and
    // 1.5 were expected, 2 and 4 paid; there 1 and 1.
    expect(spreadSurprisesBps(here, there, 16 * HOUR_MS)).toEqual([-2.25, -2.5]);
  });

  it("expects nothing by a rate that was not paid yet, so that a worst case hides no jump", () => {
    // The second time begins before the jump.
    const surprise = (jumpBps: number): number | undefined =>
      spreadSurprisesBps(paid(FIT, [1, 1, jumpBps, 1]), paid(FIT, [1, 1, 1, 1]), 8 * HOUR_MS)[1];
    expect(surprise(1)).toBeCloseTo(0, 12);
    expect(surprise(31)).toBeCloseTo(-30, 12);
  });

  it("leaves out a time in which a funding of either leg is missing", () => {
    const here = paid(FIT, [1, 3, 2, 4]);
    const there = paid(FIT, [0, 1, 1, 1]);
    const holed = { ...there, rates: there.rates.filter((_, at) => at !== 2) };
    expect(spreadSurprisesBps(here, holed, 16 * HOUR_MS)).toEqual([]);
    expect(spreadSurprisesBps(here, paid(FIT, []), 16 * HOUR_MS)).toEqual([]);
  });

  it("has a worst case that so many of its times were below, and no more", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0.01, max: 0.5, noNaN: true }),
        (values, share) => {
          const worst = lowerQuantile(values, share) ?? Number.NaN;
          expect(
            values.filter((value) => value < worst).length / values.length,
          ).toBeLessThanOrEqual(share);
          expect(
            values.filter((value) => value <= worst).length / values.length,
          ).toBeGreaterThanOrEqual(share);
        },
      ),
    );
    expect(lowerQuantile([], 0.1)).toBeUndefined();
  });
});
