import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { Instrument } from "#core/instrument.js";
import { quoteAround } from "#strategies/quote-around.js";
import { shapeQuotes, type WantedLevel } from "#strategies/shape-quotes.js";
import { baseToExactLots, baseToLots } from "#strategies/size-lots.js";
import { testInstrument, testView } from "./fixtures.js";

const level = (bidTicks: number, askTicks: number, bidLots = 10, askLots = 10): WantedLevel => ({
  bidTicks,
  askTicks,
  bidLots,
  askLots,
});

describe("desired levels become quotes", () => {
  it("rounded away from the other side: never a tick better than the strategy asked", () => {
    const { quotes, clamps } = shapeQuotes(testView(), [level(9998.99, 10_001.01)]);
    expect(quotes).toEqual([
      { side: "BUY", level: 0, ticks: 9998, lots: 10 },
      { side: "SELL", level: 0, ticks: 10_002, lots: 10 },
    ]);
    expect(clamps).toEqual([]);
  });

  it("that do not cross the touch, and name the limit", () => {
    const { quotes, clamps } = shapeQuotes(testView({ bid: 9999, ask: 10_001 }), [
      level(10_050, 10_060),
    ]);
    expect(quotes.map(({ ticks }) => ticks)).toEqual([10_000, 10_060]);
    expect(clamps).toEqual(["bid 0: post-only"]);
    const falling = shapeQuotes(testView(), [level(9940, 9950)]);
    expect(falling.quotes.map(({ ticks }) => ticks)).toEqual([9940, 10_000]);
    expect(falling.clamps).toEqual(["ask 0: post-only"]);
  });

  it("at least one tick apart, so that two levels never coincide", () => {
    const { quotes, clamps } = shapeQuotes(testView(), [
      level(9990, 10_010),
      level(9989.9, 10_010.1),
      level(9989.5, 10_030),
    ]);
    expect(quotes.map(({ ticks }) => ticks)).toEqual([9990, 9989, 9988, 10_010, 10_011, 10_030]);
    expect(clamps).toEqual(["bid 2: one tick behind the level before it"]);
  });

  it("cut so that the position stays within its limit if all of one side fills, the outermost cut first", () => {
    const view = testView({ positionLots: 25, maxPositionLots: 40 });
    const { quotes, clamps } = shapeQuotes(view, [
      level(9990, 10_010),
      level(9980, 10_020),
      level(9970, 10_030),
    ]);
    expect(quotes.map(({ side, lots }) => [side, lots])).toEqual([
      ["BUY", 10],
      ["BUY", 5],
      ["SELL", 10],
      ["SELL", 10],
      ["SELL", 10],
    ]);
    expect(clamps).toEqual(["bid 1: cut to the position limit", "bid 2: position limit"]);
  });

  it("that only reduce when the position is past its limit", () => {
    const { quotes } = shapeQuotes(testView({ positionLots: -60, maxPositionLots: 40 }), [
      level(9990, 10_010),
    ]);
    expect(quotes.map(({ side }) => side)).toEqual(["BUY"]);
  });

  it("unless there is no size or no price: a side without either is dropped", () => {
    expect(shapeQuotes(testView(), [level(9990, 10_010, 0, -3)]).quotes).toEqual([]);
    expect(shapeQuotes(testView(), [level(Number.NaN, Number.POSITIVE_INFINITY)])).toEqual({
      quotes: [],
      clamps: ["bid 0: no price", "ask 0: no price"],
    });
    expect(shapeQuotes(testView(), [level(0.9, 10_010)])).toMatchObject({
      quotes: [{ side: "SELL" }],
      clamps: ["bid 0: below one tick"],
    });
  });

  // After a jump a model may skew by hundreds of times the price. The bid that would reduce a short
  // position must not be dropped with an ask that no exchange accepts.
  it("unless an ask is a hundred times the best bid: the bids stay", () => {
    const { quotes, clamps } = shapeQuotes(testView({ positionLots: -20 }), [
      level(2e6, 999_000),
      level(1e6, 1_001_000),
      level(1e6, 1e82),
    ]);
    expect(quotes).toEqual([
      { side: "BUY", level: 0, ticks: 10_000, lots: 10 },
      { side: "BUY", level: 1, ticks: 9999, lots: 10 },
      { side: "BUY", level: 2, ticks: 9998, lots: 10 },
      { side: "SELL", level: 0, ticks: 999_000, lots: 10 },
    ]);
    expect(clamps).toContain("ask 1: out of reach");
    expect(clamps).toContain("ask 2: out of reach");
  });

  it("for any levels: passive, on the grid, ordered, and within the limit", () => {
    const number = fc.double({ min: -50, max: 20_000, noNaN: true });
    const lots = fc.integer({ min: -5, max: 300 });
    const wanted = fc.array(
      fc.record({ bidTicks: number, askTicks: number, bidLots: lots, askLots: lots }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(
        wanted,
        fc.integer({ min: -300, max: 300 }),
        fc.integer({ min: 0, max: 200 }),
        (levels, positionLots, maxPositionLots) => {
          const view = testView({ positionLots, maxPositionLots });
          const { quotes } = shapeQuotes(view, levels);
          for (const side of ["BUY", "SELL"] as const) {
            const own = quotes.filter((quote) => quote.side === side);
            const sign = side === "BUY" ? 1 : -1;
            const filled = positionLots + sign * own.reduce((sum, quote) => sum + quote.lots, 0);
            if (own.length > 0) expect(sign * filled).toBeLessThanOrEqual(maxPositionLots);
            own.forEach(({ ticks, lots: size, level: slot }, at) => {
              expect(
                Number.isInteger(ticks) && ticks >= 1 && Number.isInteger(size) && size >= 1,
              ).toBe(true);
              expect(side === "BUY" ? ticks < view.asks[0].ticks : ticks > view.bids[0].ticks).toBe(
                true,
              );
              expect(
                side === "BUY" ? ticks <= levels[slot].bidTicks : ticks >= levels[slot].askTicks,
              ).toBe(true);
              if (at > 0) expect(sign * (own[at - 1].ticks - ticks)).toBeGreaterThan(0);
            });
          }
        },
      ),
    );
  });
});

describe("quoteAround", () => {
  it("quotes both sides of a fair price and gives its reasons", () => {
    const intent = quoteAround(testView({ sequence: 9 }), 10_000.25, {
      halfSpreadBps: 5,
      sizeBase: 0.3,
    });
    expect(intent).toMatchObject({
      kind: "quotes",
      marketId: "ethusdc",
      viewSequence: 9,
      quotes: [
        { side: "BUY", level: 0, ticks: 9995, lots: 300 },
        { side: "SELL", level: 0, ticks: 10_006, lots: 300 },
      ],
      reason: { fairTicks: 10_000.25, reservationTicks: 10_000.25, clamps: [] },
    });
    expect(intent.reason.halfSpreadTicks).toBeCloseTo(5.000125, 9);
  });

  it("rounds a size down to the step, and says so when nothing is left of it", () => {
    expect(
      quoteAround(testView(), 10_000, { halfSpreadBps: 5, sizeBase: 0.0019 }).quotes[0].lots,
    ).toBe(1);
    expect(quoteAround(testView(), 10_000, { halfSpreadBps: 5, sizeBase: 0.0009 })).toMatchObject({
      quotes: [],
      reason: { clamps: ["size: below one lot"] },
    });
  });

  it("refuses an invalid price, spread or size rather than quote it", () => {
    const wrong = { halfSpreadBps: 5, sizeBase: 1 };
    expect(() => quoteAround(testView(), Number.NaN, wrong)).toThrow(ConfigError);
    expect(() => quoteAround(testView(), 0, wrong)).toThrow(/fairTicks/);
    expect(() => quoteAround(testView(), 10_000, { ...wrong, halfSpreadBps: -1 })).toThrow(
      /halfSpreadBps/,
    );
    expect(() =>
      quoteAround(testView(), 10_000, { ...wrong, sizeBase: Number.POSITIVE_INFINITY }),
    ).toThrow(/sizeBase/);
  });
});

describe("sizes", () => {
  it("of whole lots survive the conversion to binary fractions", () => {
    const grids = fc.constantFrom("0.001", "0.1", "0.01", "1", "0.00001", "0.5");
    fc.assert(
      fc.property(grids, fc.integer({ min: 1, max: 10_000_000 }), (stepSize, lots) => {
        const instrument = new Instrument({
          marketId: "m",
          tickSize: "0.1",
          stepSize,
          creditDecimals: 6,
          paperDecimals: 18,
        });
        const base = Number(instrument.formatAmount(lots));
        expect(baseToLots(base, instrument)).toBe(lots);
        expect(baseToExactLots(base, instrument, "sizeBase")).toBe(lots);
      }),
    );
  });

  // Billions of lots are an ordinary size if a lot is a unit of a cheap coin.
  it("are never more than requested, however many lots they are", () => {
    const units = new Instrument({
      marketId: "m",
      tickSize: "0.0000001",
      stepSize: "1",
      creditDecimals: 18,
      paperDecimals: 18,
    });
    expect([4e9, 4e12, 4_999_999_999.5].map((base) => baseToLots(base, units))).toEqual([
      4e9, 4e12, 4_999_999_999,
    ]);
  });

  it("between two lots are rounded down, or refused if a user wrote them", () => {
    expect(baseToLots(0.0299, testInstrument)).toBe(29);
    expect(() =>
      baseToExactLots(
        0.0205,
        new Instrument({ ...testInstrument, stepSize: "0.001" }),
        "params.sizeBase",
      ),
    ).toThrow(
      /params\.sizeBase: is off the market's grid \(got 0\.0205\); expected a whole multiple of ethusdc's step, 0\.001/,
    );
    for (const base of [0.0001, 1e-15])
      expect(() => baseToExactLots(base, testInstrument, "params.sizeBase")).toThrow(ConfigError);
    for (const [stepSize, base] of [
      ["1", 4_999_999_999.5],
      ["5", 4_999_999_999_998],
      ["0.000000000001", 2.0000000000005],
    ] as const) {
      const cheap = new Instrument({
        marketId: "m",
        tickSize: "0.1",
        stepSize,
        creditDecimals: 6,
        paperDecimals: 18,
      });
      expect(
        () => baseToExactLots(base, cheap, "params.sizeBase"),
        "of a cheap coin, taken as on the grid",
      ).toThrow(ConfigError);
      expect(() =>
        baseToExactLots(Number(cheap.formatAmount(3e14 + 1)), cheap, "params.sizeBase"),
      ).not.toThrow();
    }
  });
});
