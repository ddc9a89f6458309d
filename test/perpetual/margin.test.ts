import { describe, expect, it } from "vitest";
import { gasRate, tradeFee } from "#perpetual/fees.js";
import { ONE } from "#perpetual/fixed-point.js";
import {
  computeAccountMargin,
  computeOrderCapacity,
  isOnlyReducingSize,
  isSafe,
  type MarginPosition,
} from "#perpetual/margin.js";

const USD = 1_000_000n;

/** A position with 20 times leverage and 3 % maintenance; value and credit in dollars. */
const position = (value: bigint, credit: bigint, open = { buy: 0n, sell: 0n }): MarginPosition => ({
  value: value * USD,
  credit: credit * USD,
  openBuyCredit: open.buy * USD,
  openSellCredit: open.sell * USD,
  maintenanceRatio: (3n * ONE) / 100n,
  maxLeverage: 20n,
});

describe("the margin of an account", () => {
  it("of the published case 3 is safe by 618 of maintenance, and not by the 585 that are left of its credit", () => {
    const margin = computeAccountMargin(10_000n * USD, [position(20_600n, -30_015n)]);
    expect(margin).toEqual({
      netValueCredit: 585n * USD,
      exposureCredit: 20_600n * USD,
      initialMarginCredit: 1_030n * USD,
      maintenanceMarginCredit: 618n * USD,
      frozenMarginCredit: 0n,
    });
    expect(isSafe(margin)).toBe(false);
  });

  it("freezes the margin that the worse side of the open orders adds, rounded up", () => {
    // Long 100: all buys make 150, all sells make -160.
    const orders = { buy: 50n, sell: 260n };
    expect(computeAccountMargin(0n, [position(100n, 0n, orders)]).frozenMarginCredit).toBe(
      3n * USD,
    );
    const odd = { ...position(0n, 0n), openBuyCredit: 1n };
    expect(computeAccountMargin(0n, [odd]).frozenMarginCredit).toBe(1n);
    // Orders that only reduce a position add nothing.
    expect(
      computeAccountMargin(0n, [position(-100n, 0n, { buy: 150n, sell: 0n })]).frozenMarginCredit,
    ).toBe(0n);
  });

  it("covers when it is just the maintenance margin", () => {
    expect(isSafe({ netValueCredit: 5n, maintenanceMarginCredit: 5n })).toBe(true);
    expect(isSafe({ netValueCredit: 4n, maintenanceMarginCredit: 5n })).toBe(false);
  });
});

describe("the notional that may still be bought and sold", () => {
  it("is the leveraged margin that other markets leave free, with the position on its side and open orders subtracted", () => {
    const own = position(600n, -500n, { buy: 40n, sell: 30n });
    const other = position(-1_000n, 1_100n, { buy: 0n, sell: 200n });
    // 1,000 of credit, 100 gained here and 100 there; the other market uses 60 in its worst case,
    // 1,200.
    const largest = 20n * (1_000n + 100n + 100n - 60n);
    expect(computeOrderCapacity(1_000n * USD, [own, other], own)).toEqual({
      buy: (largest - 600n - 40n) * USD,
      sell: (largest + 600n - 30n) * USD,
      boundByExposure: false,
    });
    expect(
      computeOrderCapacity(1_000n * USD, [other, own], own, largest * USD).boundByExposure,
    ).toBe(false);
    expect(computeOrderCapacity(1_000n * USD, [own, other], own, 700n * USD)).toEqual({
      buy: 60n * USD,
      sell: 1_270n * USD,
      boundByExposure: true,
    });
  });

  it("is 0 for an account with a debt, except for closing the position", () => {
    const own = position(600n, -700n);
    expect(computeOrderCapacity(0n, [own], own)).toEqual({
      buy: 0n,
      sell: 600n * USD,
      boundByExposure: false,
    });
  });
});

describe("orders of one side", () => {
  it.each([
    [5, "SELL", 5, true],
    [5, "SELL", 6, false],
    [5, "BUY", 1, false],
    [-5n, "BUY", 5n, true],
    [-5n, "BUY", 6n, false],
    [-5n, "SELL", 1n, false],
    [0, "BUY", 1, false],
    [0, "SELL", 1, false],
  ] as const)(
    "only reduce a position of %s without reversing it (%s of %s: %s)",
    (held, side, ordered, is) => {
      expect(isOnlyReducingSize<number | bigint>(held, side, ordered)).toBe(is);
    },
  );
});

describe("fees", () => {
  it("of the parts of an order sum to the fee of the whole", () => {
    const rate = 5n * 10n ** 14n;
    expect(tradeFee(30_000n * USD, rate)).toBe(15n * USD);
    // Half a unit, twice: truncated individually, whole together.
    expect([tradeFee(1_000n, rate), tradeFee(1_000n, rate, 1_000n)]).toEqual([0n, 1n]);
    expect(tradeFee(3_000n, -rate)).toBe(-1n);
  });

  it("of a small order grow by the gas of its settlement as a share of its value, rounded up", () => {
    expect(gasRate(1n, 3n)).toBe(ONE / 3n + 1n);
    expect(gasRate(2n * USD, 100n * USD)).toBe(ONE / 50n);
  });
});
