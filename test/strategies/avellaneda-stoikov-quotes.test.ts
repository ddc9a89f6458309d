import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AvellanedaStoikovInputs, avellanedaStoikovQuotes } from "../../src/strategies/avellaneda-stoikov-quotes.js";
import { averageSpread, exactSymmetric, momentsOf, simulate } from "./avellaneda-stoikov-simulation.js";

const PAPER: AvellanedaStoikovInputs = {
  variant: "paper",
  mid: 100,
  inventory: 0,
  riskAversion: 0.1,
  sigma: 2,
  timeLeft: 1,
  fillDecay: 1.5,
};

describe("the paper's quotes", () => {
  it("are centred on the mid without inventory: total spread gamma sigma^2 (T - t) + (2 / gamma) ln(1 + gamma / k)", () => {
    const quotes = avellanedaStoikovQuotes(PAPER);
    expect(quotes.reservation).toBe(100);
    expect(quotes.ask - quotes.bid).toBeCloseTo(0.1 * 4 + 20 * Math.log(1 + 0.1 / 1.5), 12);
    expect(quotes.riskHalfSpread).toBeCloseTo(0.2, 12);
    expect(quotes.fillHalfSpread).toBeCloseTo(0.645385, 6);
  });

  it("move against inventory by gamma sigma^2 (T - t) for each order held", () => {
    expect(avellanedaStoikovQuotes({ ...PAPER, inventory: 3 }).reservation).toBeCloseTo(98.8, 12);
    expect(avellanedaStoikovQuotes({ ...PAPER, inventory: -3, timeLeft: 0.25 }).reservation).toBeCloseTo(100.3, 12);
  });

  it("lose their skew as the horizon ends, and keep the spread that fills pay for", () => {
    const quotes = avellanedaStoikovQuotes({ ...PAPER, inventory: 9, timeLeft: 0 });
    expect(quotes.reservation).toBe(100);
    expect(quotes.halfSpread).toBe(quotes.fillHalfSpread);
  });

  it("tend to a half spread of 1 / k as risk aversion vanishes", () => {
    expect(avellanedaStoikovQuotes({ ...PAPER, riskAversion: 1e-12 }).halfSpread).toBeCloseTo(1 / 1.5, 9);
  });

  it("at one inventory are the mirror of those at its opposite", () => {
    const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(
      fc.property(number(-20, 20), number(0.001, 2), number(0, 10), number(0, 60), (inventory, riskAversion, sigma, timeLeft) => {
        const inputs = { ...PAPER, riskAversion, sigma, timeLeft };
        const long = avellanedaStoikovQuotes({ ...inputs, inventory });
        const short = avellanedaStoikovQuotes({ ...inputs, inventory: -inventory });
        const scale = Math.abs(long.ask) + Math.abs(short.bid) + 1;
        expect(Math.abs(long.ask - 100 - (100 - short.bid)) / scale).toBeLessThan(1e-12);
        expect(long.ask > long.bid).toBe(true);
      }),
    );
  });
});

describe("the normalised quotes", () => {
  it("have sigma in place of its square, and are the paper's where sigma is 1", () => {
    const inputs = { ...PAPER, inventory: 0.5, timeLeft: 1 };
    expect(avellanedaStoikovQuotes({ ...inputs, variant: "normalised" }).reservation).toBeCloseTo(100 - 0.5 * 0.1 * 2, 12);
    expect(avellanedaStoikovQuotes({ ...inputs, variant: "normalised" }).riskHalfSpread).toBeCloseTo(0.1, 12);
    expect(avellanedaStoikovQuotes({ ...inputs, sigma: 1, variant: "normalised" })).toEqual(
      avellanedaStoikovQuotes({ ...inputs, sigma: 1, variant: "paper" }),
    );
  });
});

/** Tables 1 to 3 of the paper (1,000 paths): profit, its deviation, final inventory's mean and deviation. */
const PUBLISHED = {
  0.1: { spread: 1.49, inventory: [65.0, 6.6, 0.08, 2.9], symmetric: [68.4, 12.7, 0.26, 8.4] },
  0.01: { spread: 1.35, inventory: [68.6, 8.7, 0.12, 5.1], symmetric: [68.8, 12.8, 0.09, 8.7] },
  1: { spread: 3.02, inventory: [31.4, 5.0, 0.02, 1.7], symmetric: [44.0, 11.0, 0.0, 5.1] },
} as const;

/** Independently computed: the symmetric strategy exactly, the inventory strategy from 200,000 paths. */
const COMPUTED = {
  0.1: { spread: 1.49177, chance: 0.22866, symmetric: [68.2228, 13.4558, 8.3994], inventory: [64.8865, 6.528, 2.92] },
  0.01: { spread: 1.349009, chance: 0.25451, symmetric: [68.6661, 13.6775, 8.7117], inventory: [68.3823, 8.943, 5.216] },
  1: { spread: 3.031651, chance: 0.07205, symmetric: [43.6853, 10.7332, 5.1714], inventory: [31.4561, 4.843, 1.637] },
} as const;

const PATHS = 20_000;

describe.each([0.1, 0.01, 1] as const)("the paper's simulation at gamma %d, quoted by our formulas", (gamma) => {
  const computed = COMPUTED[gamma];
  const published = PUBLISHED[gamma];

  it("has the published average spread", () => {
    expect(averageSpread(gamma)).toBeCloseTo(computed.spread, 6);
    expect(Math.abs(averageSpread(gamma) - published.spread)).toBeLessThan(0.012);
  });

  it("has the exact law of the symmetric strategy that was computed elsewhere", () => {
    const exact = exactSymmetric(gamma);
    const [mean, std, inventoryStd] = computed.symmetric;
    expect(exact.chance).toBeCloseTo(computed.chance, 5);
    expect(exact.mean).toBeCloseTo(mean, 4);
    expect(exact.std).toBeCloseTo(std, 4);
    expect(exact.inventoryStd).toBeCloseTo(inventoryStd, 4);
  });

  it.each(["inventory", "symmetric"] as const)(
    "of the %s strategy agrees with the computed moments, and 1,000 paths with the published",
    (strategy) => {
      const { profit, inventory } = simulate(strategy, gamma, PATHS, `${strategy} ${gamma}`);
      const all = momentsOf(profit);
      const held = momentsOf(inventory);
      const [mean, std, inventoryStd] = computed[strategy];
      // The computed inventory moments come from 200,000 paths: a tenth of our variance on top of ours.
      const errors = strategy === "inventory" ? 4 * Math.sqrt(1.1) : 4;
      expect(Math.abs(all.mean - mean)).toBeLessThan(errors * all.meanError);
      expect(Math.abs(all.std - std)).toBeLessThan(errors * all.stdError);
      expect(Math.abs(held.mean)).toBeLessThan(4 * held.meanError);
      expect(Math.abs(held.std - inventoryStd)).toBeLessThan(errors * held.stdError);

      const few = momentsOf(profit.subarray(0, 1000));
      const fewHeld = momentsOf(inventory.subarray(0, 1000));
      const [publishedMean, publishedStd, publishedHeld, publishedHeldStd] = published[strategy];
      // The paper's figures are a sample of 1,000 too: the difference of the two has the root of 2 of the error of one.
      const both = 3 * Math.SQRT2;
      expect(Math.abs(few.mean - publishedMean)).toBeLessThan(both * few.meanError);
      expect(Math.abs(few.std - publishedStd)).toBeLessThan(both * few.stdError);
      expect(Math.abs(fewHeld.mean - publishedHeld)).toBeLessThan(both * fewHeld.meanError);
      expect(Math.abs(fewHeld.std - publishedHeldStd)).toBeLessThan(both * fewHeld.stdError);
    },
  );
});
