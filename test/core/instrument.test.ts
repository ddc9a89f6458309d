import { Decimal } from "decimal.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import { decimalToScaled, Instrument, scaledToDecimal, shortScaled } from "#core/instrument.js";
import { gridCount } from "#exchange/wire-parse.js";

const Exact = Decimal.clone({ precision: 120, toExpNeg: -100, toExpPos: 100 });

const GRIDS = [
  { tickSize: "0.1", stepSize: "0.001", creditDecimals: 6, paperDecimals: 18 },
  { tickSize: "0.01", stepSize: "0.0001", creditDecimals: 6, paperDecimals: 18 },
  { tickSize: "0.5", stepSize: "0.025", creditDecimals: 6, paperDecimals: 3 },
  { tickSize: "10", stepSize: "5", creditDecimals: 0, paperDecimals: 0 },
  { tickSize: "0.00000250", stepSize: "0.00000003", creditDecimals: 6, paperDecimals: 8 },
  { tickSize: "0.0001", stepSize: "1", creditDecimals: 18, paperDecimals: 18 },
];

const instrument = fc
  .constantFrom(...GRIDS)
  .map((grid) => new Instrument({ marketId: "btcusdc", ...grid }));
const ticks = fc.integer({ min: 1, max: 1_000_000_000 });
const lots = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });

describe("an instrument's grid", () => {
  it("converts every price on the grid to ticks and back, equal to decimal.js", () => {
    fc.assert(
      fc.property(instrument, ticks, (market, count) => {
        const price = market.formatPrice(count);
        expect(price).toBe(new Exact(market.tickSize).times(count).toString());
        expect(market.parsePrice(price)).toBe(count);
        expect(market.parsePrice(new Exact(price).toFixed(market.priceDecimals))).toBe(count);
        expect(market.parsePrice(`${price}${price.includes(".") ? "" : "."}000000`)).toBe(count);
      }),
    );
  });

  it("takes every amount on the grid to lots and back, keeping the sign of a position on the way out", () => {
    fc.assert(
      fc.property(instrument, lots, (market, count) => {
        expect(market.formatAmount(count)).toBe(
          new Exact(market.stepSize).times(count).toString().replace(/^-0$/, "0"),
        );
        expect(market.parseAmount(market.formatAmount(Math.abs(count)))).toBe(Math.abs(count));
      }),
    );
  });

  it("refuses exactly what decimal.js says is no whole multiple, so that no order is sent for the exchange to reject", () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: 1n, max: 10n ** 15n }), fc.nat(9))
      .map(([scaled, decimals]) => scaledToDecimal(scaled, decimals));
    fc.assert(
      fc.property(instrument, decimal, (market, text) => {
        const multiple = new Exact(text).div(market.tickSize);
        if (multiple.isInteger() && multiple.lessThan(Number.MAX_SAFE_INTEGER)) {
          expect(market.parsePrice(text)).toBe(multiple.toNumber());
        } else {
          expect(() => market.parsePrice(text)).toThrow(FormatError);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("does not let a huge number round onto the grid", () => {
    const market = new Instrument({
      marketId: "m",
      tickSize: "0.1",
      stepSize: "1000",
      creditDecimals: 6,
      paperDecimals: 0,
    });
    expect(market.parseAmount("9007199254740000000")).toBe(9_007_199_254_740_000);
    expect(() => market.parseAmount("9007199254740000001")).toThrow("whole multiple of 1000");
    expect(() => market.parsePrice("9007199254740993")).toThrow("price");
  });

  it("refuses a price of zero, which would be an order to give away, and every text that is no decimal", () => {
    const market = new Instrument({ marketId: "m", ...(GRIDS[0] as (typeof GRIDS)[number]) });
    for (const wrong of [
      "0",
      "0.0",
      "-1",
      "-0.1",
      "",
      " 1",
      "1 ",
      "1.",
      ".5",
      "1e3",
      "0x10",
      "NaN",
      "Infinity",
      "1,5",
      "1.2.3",
      "٣",
      "1".repeat(61),
    ]) {
      expect(() => market.parsePrice(wrong)).toThrow(FormatError);
    }
    for (const wrong of [undefined, null, 5, {}, [], true]) {
      expect(() => market.parsePrice(wrong as unknown as string)).toThrow(FormatError);
    }
    expect(market.parseAmount("0")).toBe(0);
  });

  it("refuses counts that are no whole numbers instead of printing a wrong order", () => {
    const market = new Instrument({ marketId: "m", ...(GRIDS[0] as (typeof GRIDS)[number]) });
    for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => market.formatPrice(wrong)).toThrow(FormatError);
      expect(() => market.formatAmount(wrong)).toThrow(FormatError);
      expect(() => market.creditCeil(wrong, 1)).toThrow(FormatError);
      expect(() => market.creditFloor(1, wrong)).toThrow(FormatError);
    }
  });

  it("refuses a grid that is none, naming the field", () => {
    const good = {
      marketId: "m",
      tickSize: "0.1",
      stepSize: "0.001",
      creditDecimals: 6,
      paperDecimals: 18,
    };
    for (const [field, wrong] of [
      ["tickSize", "0"],
      ["tickSize", "-0.1"],
      ["tickSize", "abc"],
      ["stepSize", ""],
      ["stepSize", "0.0000000000000000001"],
      ["creditDecimals", -1],
      ["creditDecimals", 1.5],
      ["paperDecimals", 1_000_000],
    ] as const) {
      expect(() => new Instrument({ ...good, [field]: wrong })).toThrow(field);
    }
  });
});

describe("an instrument's credit", () => {
  it("is price times amount to the last unit: rounded down for a SELL's receipt, up for a BUY's cost, as decimal.js rounds", () => {
    fc.assert(
      fc.property(instrument, ticks, lots, (market, price, amount) => {
        const exact = new Exact(market.formatPrice(price))
          .times(market.formatAmount(amount))
          .abs()
          .times(new Exact(10).pow(market.creditDecimals));
        expect(market.creditFloor(price, amount).toString()).toBe(exact.floor().toString());
        expect(market.creditCeil(price, amount).toString()).toBe(exact.ceil().toString());
      }),
    );
  });

  it("never takes a buyer's order as cheaper than it is by the unit that the exchange rounds up", () => {
    const market = new Instrument({
      marketId: "m",
      tickSize: "0.01",
      stepSize: "0.00001",
      creditDecimals: 6,
      paperDecimals: 18,
    });
    // 0.01 times 0.00001 is a tenth of the smallest unit of credit.
    expect(market.creditCeil(1, 1)).toBe(1n);
    expect(market.creditFloor(1, 1)).toBe(0n);
    expect(market.creditCeil(1, 10)).toBe(1n);
    expect(market.creditCeil(1, 0)).toBe(0n);
  });

  it("prints credit as quote without noise", () => {
    const market = new Instrument({
      marketId: "m",
      tickSize: "0.1",
      stepSize: "0.001",
      creditDecimals: 6,
      paperDecimals: 18,
    });
    expect(
      [0n, 1n, -1n, 1_500_000n, -2_000_000n, 10n ** 20n].map((units) =>
        market.creditToDecimal(units),
      ),
    ).toEqual(["0", "0.000001", "-0.000001", "1.5", "-2", "100000000000000"]);
  });

  it("converts lots to paper units exactly", () => {
    fc.assert(
      fc.property(instrument, (market) => {
        const paper = new Exact(market.stepSize).times(new Exact(10).pow(market.paperDecimals));
        expect(market.paperPerLot.toString()).toBe(paper.toString());
      }),
    );
  });
});

describe("scaled decimals", () => {
  it("go there and back without loss for any sign and size", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
        fc.nat(30),
        (scaled, decimals) => {
          const text = scaledToDecimal(scaled, decimals);
          expect(decimalToScaled(text, decimals)).toBe(scaled);
          expect(text).toBe(
            new Exact(scaled.toString()).div(new Exact(10).pow(decimals)).toString(),
          );
        },
      ),
    );
  });
});

describe("a price or an amount that was told", () => {
  it("is formatted exactly, also if it comes from a finer grid than the market's", () => {
    const units = fc.constantFrom("0.1", "0.5", "25", "0.00005", "1000");
    fc.assert(
      fc.property(
        units,
        fc.integer({ min: 1, max: 10 ** 9 }),
        fc.nat(6),
        (unit, count, digitsBeyond) => {
          const instrument = new Instrument({
            marketId: "m",
            tickSize: unit,
            stepSize: unit,
            creditDecimals: 18,
            paperDecimals: 18,
          });
          const told = new Exact(count)
            .times(`1e-${instrument.priceDecimals + digitsBeyond}`)
            .toFixed();
          expect(instrument.formatReportedPrice(gridCount(told, unit, "price"))).toBe(told);
          expect(instrument.formatReportedAmount(gridCount(told, unit, "amount"))).toBe(told);
        },
      ),
    );
  });
});

describe("a short decimal", () => {
  it("is read as a number with the same digits as the slow path, or left to it", () => {
    const text = fc.oneof(
      fc
        .tuple(fc.bigInt({ min: 0n, max: 10n ** 17n }), fc.nat(20))
        .map(([digits, decimals]) => scaledToDecimal(digits, decimals)),
      fc.stringMatching(/^-?[0-9]{0,17}\.?[0-9]{0,9}$/),
      fc.string(),
    );
    fc.assert(
      fc.property(text, fc.nat(18), (decimal, decimals) => {
        const short = shortScaled(decimal, decimals);
        if (Number.isNaN(short)) return;
        expect(new Exact(short).eq(new Exact(decimal).times(new Exact(10).pow(decimals)))).toBe(
          true,
        );
        expect(/^\d+(?:\.\d+)?$/.test(decimal)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect([shortScaled("65000.1", 1), shortScaled("0.0250", 4), shortScaled("0", 6)]).toEqual([
      650_001, 250, 0,
    ]);
  });

  it("is rejected if a digit would be lost, and if it is not a plain decimal", () => {
    for (const other of [
      "1234567890123456",
      "99999999999999.99",
      "-1",
      "1.",
      ".5",
      "1e3",
      "",
      " 1",
      "1.0.0",
      "0x1",
    ]) {
      expect(shortScaled(other, 2)).toBeNaN();
    }
    expect(shortScaled("0.123", 2)).toBeNaN();
    expect(shortScaled("1", 18)).toBeNaN();
  });
});
