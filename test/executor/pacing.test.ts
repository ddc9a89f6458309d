import { describe, expect, it } from "vitest";
import { paceTolerance } from "#executor/pacing.js";
import type { Quote } from "#strategies/intent.js";

const quotes: readonly Quote[] = [
  { side: "BUY", level: 0, ticks: 980, lots: 10 },
  { side: "BUY", level: 1, ticks: 960, lots: 10 },
  { side: "SELL", level: 0, ticks: 1020, lots: 10 },
];
const exact = { priceTicks: 0, sizeFraction: 0 };

describe("following quotes with few tokens", () => {
  it("follows as closely as configured while half of the window's tokens are left", () => {
    expect(paceTolerance(exact, quotes, 1)).toBe(exact);
    expect(paceTolerance(exact, quotes, 0.5)).toBe(exact);
  });

  it("lets a price deviate by up to half of the half spread, and a size by half, as the tokens run out", () => {
    expect(paceTolerance(exact, quotes, 0.25)).toEqual({ priceTicks: 5, sizeFraction: 0.25 });
    expect(paceTolerance(exact, quotes, 0)).toEqual({ priceTicks: 10, sizeFraction: 0.5 });
  });

  it("never follows more closely than configured", () => {
    expect(paceTolerance({ priceTicks: 40, sizeFraction: 0.9 }, quotes, 0)).toEqual({
      priceTicks: 40,
      sizeFraction: 0.9,
    });
  });

  it("keeps the configured price tolerance if only one side is quoted", () => {
    expect(paceTolerance(exact, quotes.slice(0, 2), 0)).toEqual({
      priceTicks: 0,
      sizeFraction: 0.5,
    });
  });
});
