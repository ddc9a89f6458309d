import { Decimal } from "decimal.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import { Instrument } from "#core/instrument.js";
import { IntegerDecoder } from "#exchange/integer-decoder.js";

const Exact = Decimal.clone({ precision: 100 });
const GRIDS = [
  { tickSize: "0.1", stepSize: "0.001" },
  { tickSize: "0.5", stepSize: "0.00025" },
  { tickSize: "5", stepSize: "1" },
  { tickSize: "0.00000001", stepSize: "100" },
  { tickSize: "0.3", stepSize: "0.07" },
].map((grid) => ({
  grid,
  decoder: new IntegerDecoder(
    new Instrument({ marketId: "m", ...grid, creditDecimals: 6, paperDecimals: 18 }),
  ),
}));

/** The result of decimal.js: a whole number of units below 2^53, or undefined. */
function reference(text: string, unit: string): number | undefined {
  if (!/^\d+(\.\d+)?$/.test(text) || text.length > 64) return undefined;
  const scaledBound = new Exact(Number.MAX_SAFE_INTEGER).div(
    new Exact(10).pow(new Exact(unit).decimalPlaces()),
  );
  const value = new Exact(text);
  const count = value.div(unit);
  return value.lte(scaledBound) && value.mod(unit).isZero() && count.isInteger()
    ? count.toNumber()
    : undefined;
}

function tried(read: () => number): number | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

const digits = (max: number) =>
  fc
    .array(fc.constantFrom(..."0123456789"), { minLength: 1, maxLength: max })
    .map((all) => all.join(""));
const decimals = fc.oneof(
  digits(18),
  fc.tuple(digits(17), digits(12)).map((parts) => parts.join(".")),
  fc
    .tuple(digits(6), digits(2), fc.nat(8))
    .map(([whole, fraction, zeros]) => `${whole}.${fraction}${"0".repeat(zeros)}`),
  fc.constantFrom(
    "9007199254740991",
    "9007199254740992",
    "900719925474099.1",
    "900719925474099.2",
    "0",
    "0.0",
    "00.10",
  ),
);

describe("book levels become integers exactly, or not at all", () => {
  it("agrees with decimal.js on every decimal and every grid", () => {
    fc.assert(
      fc.property(decimals, fc.constantFrom(...GRIDS), (text, { grid, decoder }) => {
        const ticks = reference(text, grid.tickSize);
        expect(tried(() => decoder.ticks(text))).toBe(ticks === 0 ? undefined : ticks);
        expect(tried(() => decoder.lots(text))).toBe(reference(text, grid.stepSize));
      }),
      { numRuns: 3000 },
    );
  });

  it("agrees on what is on the grid, where random decimals seldom are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 40 }),
        fc.constantFrom(...GRIDS),
        (count, { grid, decoder }) => {
          const unit = new Exact(grid.tickSize);
          expect(decoder.ticks(unit.mul(count).toFixed())).toBe(count);
          expect(decoder.ticks(unit.mul(count).toFixed(20))).toBe(count);
          expect(decoder.lots(new Exact(grid.stepSize).mul(count).toFixed())).toBe(count);
        },
      ),
    );
  });

  it.each([
    "",
    ".",
    "1.",
    ".5",
    "-1",
    "-0",
    "+1",
    "1e3",
    "1E3",
    "NaN",
    "Infinity",
    " 1",
    "1 ",
    "1,0",
    "0x10",
    "1.0.0",
    "١",
    "9".repeat(65),
  ])("refuses %j as a price and as an amount", (text) => {
    const { decoder } = GRIDS[0] as (typeof GRIDS)[number];
    expect(() => decoder.ticks(text)).toThrow(FormatError);
    expect(() => decoder.lots(text)).toThrow(FormatError);
  });

  it.each([[1], [null], [undefined], [["1"]], [{}], [true], [10n]])(
    "refuses %s, which is no string",
    (value) => {
      const { decoder } = GRIDS[0] as (typeof GRIDS)[number];
      expect(() => decoder.ticks(value)).toThrow(/decimal string/);
    },
  );

  it("an amount of zero deletes a level, a price of zero is absurd", () => {
    const { decoder } = GRIDS[0] as (typeof GRIDS)[number];
    expect(decoder.lots("0.000")).toBe(0);
    expect(() => decoder.ticks("0.0")).toThrow(/price of zero/);
  });
});

describe("one side of a frame", () => {
  const never = (): void => {
    throw new Error("off the grid");
  };
  const { decoder } = GRIDS[0] as (typeof GRIDS)[number];

  it("is flat pairs in wire order", () => {
    expect(
      decoder.levels(
        [
          ["100.1", "0.5"],
          ["99", "0"],
        ],
        "bids",
        never,
      ),
    ).toEqual([1001, 500, 990, 0]);
    expect(decoder.levels([], "asks", never)).toEqual([]);
  });

  it.each([
    [undefined],
    [null],
    ["x"],
    [{}],
    [[1]],
    [[[]]],
    [[["1"]]],
    [[["1", null]]],
    [[["0.00", "1"]]],
  ])("refuses %j", (side) => {
    expect(() => decoder.levels(side, "bids", never)).toThrow(FormatError);
  });
});
