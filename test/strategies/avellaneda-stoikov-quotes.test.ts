import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AvellanedaStoikovInputs,
  avellanedaStoikovQuotes,
} from "#strategies/avellaneda-stoikov-quotes.js";

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
    expect(
      avellanedaStoikovQuotes({ ...PAPER, inventory: -3, timeLeft: 0.25 }).reservation,
    ).toBeCloseTo(100.3, 12);
  });

  it("lose their skew as the horizon ends, and keep the spread that fills pay for", () => {
    const quotes = avellanedaStoikovQuotes({ ...PAPER, inventory: 9, timeLeft: 0 });
    expect(quotes.reservation).toBe(100);
    expect(quotes.halfSpread).toBe(quotes.fillHalfSpread);
  });

  it("tend to a half spread of 1 / k as risk aversion vanishes", () => {
    expect(avellanedaStoikovQuotes({ ...PAPER, riskAversion: 1e-12 }).halfSpread).toBeCloseTo(
      1 / 1.5,
      9,
    );
  });

  it("at one inventory are the mirror of those at its opposite", () => {
    const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(
      fc.property(
        number(-20, 20),
        number(0.001, 2),
        number(0, 10),
        number(0, 60),
        (inventory, riskAversion, sigma, timeLeft) => {
          const inputs = { ...PAPER, riskAversion, sigma, timeLeft };
          const long = avellanedaStoikovQuotes({ ...inputs, inventory });
          const short = avellanedaStoikovQuotes({ ...inputs, inventory: -inventory });
          const scale = Math.abs(long.ask) + Math.abs(short.bid) + 1;
          expect(Math.abs(long.ask - 100 - (100 - short.bid)) / scale).toBeLessThan(1e-12);
          expect(long.ask > long.bid).toBe(true);
        },
      ),
    );
  });
});

describe("the normalised quotes", () => {
  it("have sigma in place of its square, and are the paper's where sigma is 1", () => {
    const inputs = { ...PAPER, inventory: 0.5, timeLeft: 1 };
    expect(avellanedaStoikovQuotes({ ...inputs, variant: "normalised" }).reservation).toBeCloseTo(
      100 - 0.5 * 0.1 * 2,
      12,
    );
    expect(
      avellanedaStoikovQuotes({ ...inputs, variant: "normalised" }).riskHalfSpread,
    ).toBeCloseTo(0.1, 12);
    expect(avellanedaStoikovQuotes({ ...inputs, sigma: 1, variant: "normalised" })).toEqual(
      avellanedaStoikovQuotes({ ...inputs, sigma: 1, variant: "paper" }),
    );
  });
});
