import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combinePrices } from "#reference/combine-prices.js";

const equal = (...prices: number[]) => prices.map((price) => ({ price, weight: 1 }));

describe("the combined price of several sources", () => {
  it("is the price of a single source", () => {
    expect(combinePrices(equal(100), "median", 10)).toEqual({
      price: 100,
      counts: [true],
      isDisagreeing: false,
    });
  });

  it("is missing without a source, which is no disagreement", () => {
    expect(combinePrices([], "mean", 10)).toEqual({
      price: Number.NaN,
      counts: [],
      isDisagreeing: false,
    });
  });

  it("is the middle of two that agree", () => {
    expect(combinePrices(equal(100, 100.1), "median", 10).price).toBeCloseTo(100.05, 12);
    expect(combinePrices(equal(100, 100.1), "mean", 10).price).toBeCloseTo(100.05, 12);
  });

  it("is missing if two are further apart than the deviation, so that nobody trusts either", () => {
    expect(combinePrices(equal(100, 100.2), "median", 10)).toEqual({
      price: Number.NaN,
      counts: [false, false],
      isDisagreeing: true,
    });
  });

  it("leaves out one of three that jumps alone", () => {
    expect(combinePrices(equal(100, 100.05, 110), "mean", 10)).toEqual({
      price: 100.025,
      counts: [true, true, false],
      isDisagreeing: false,
    });
  });

  it("is missing if three sources have three opinions", () => {
    expect(combinePrices(equal(90, 100, 110), "median", 10).isDisagreeing).toBe(true);
  });

  it("is missing if four sources are two against two", () => {
    expect(combinePrices(equal(100, 100, 110, 110), "median", 10).isDisagreeing).toBe(true);
  });

  it("follows the weights: a median by half of the weight, a mean in proportion", () => {
    const prices = [
      { price: 100, weight: 1 },
      { price: 101, weight: 1 },
      { price: 102, weight: 3 },
    ];
    expect(combinePrices(prices, "median", 1000).price).toBe(102);
    expect(combinePrices(prices, "mean", 1000).price).toBeCloseTo((100 + 101 + 306) / 5, 12);
    // Half of the weight falls exactly between two prices.
    const halves = [
      { price: 100, weight: 2 },
      { price: 101, weight: 1 },
      { price: 102, weight: 1 },
    ];
    expect(combinePrices(halves, "median", 1000).price).toBe(100.5);
  });

  it("lies between the sources that count, none of which is alone beyond the deviation", () => {
    const price = fc.record({
      price: fc.double({ min: 1, max: 1000, noNaN: true }),
      weight: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(
        fc.array(price, { minLength: 1, maxLength: 7 }),
        fc.constantFrom("median" as const, "mean" as const),
        fc.integer({ min: 1, max: 5000 }),
        (prices, combination, bps) => {
          const combined = combinePrices(prices, combination, bps);
          const counted = prices.filter((_one, at) => combined.counts[at]);
          if (combined.isDisagreeing) {
            expect(combined.price).toBeNaN();
            expect(counted).toEqual([]);
            return;
          }
          const least = Math.min(...counted.map((one) => one.price));
          const most = Math.max(...counted.map((one) => one.price));
          expect(combined.price).toBeGreaterThanOrEqual(least * (1 - 1e-12));
          expect(combined.price).toBeLessThanOrEqual(most * (1 + 1e-12));
          if (prices.length > 1) {
            expect(counted.length).toBeGreaterThanOrEqual(2);
            expect(counted.length * 2).toBeGreaterThan(prices.length);
          }
          // Both ends are within the deviation of one middle, so at most twice as far apart.
          if (counted.length > 1)
            expect(most - least).toBeLessThanOrEqual(((2 * bps) / 10_000) * most * (1 + 1e-9));
        },
      ),
    );
  });

  it("does not depend on the order of the sources", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 9_900, max: 10_100 }), { minLength: 1, maxLength: 6 }),
        (prices) => {
          const forth = combinePrices(equal(...prices), "median", 50);
          const back = combinePrices(equal(...prices.toReversed()), "median", 50);
          expect(back.price).toEqual(forth.price);
          expect(back.counts.toReversed()).toEqual(forth.counts);
        },
      ),
    );
  });
});
