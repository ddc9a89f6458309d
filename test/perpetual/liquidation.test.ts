import { describe, expect, it } from "vitest";
import {
  computeTakeoverTerms,
  liquidationPriceOnChain,
  liquidatorAfterTakeover,
  sizeToRestoreSafety,
  victimAfterTakeover,
} from "#perpetual/liquidation.js";
import { isSafe } from "#perpetual/margin.js";
import {
  applyBalanceChange,
  type MarginAccount,
  type MarginMarket,
} from "#perpetual/margin-account.js";

const USD = 10n ** 6n;
const COIN = 10n ** 18n;
const PERCENT = COIN / 100n;
const PERP = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359";

const btc = (markPrice: bigint): MarginMarket => ({
  perp: PERP,
  markPrice,
  initialMarginRatio: 5n * PERCENT,
  maintenanceMarginRatio: 3n * PERCENT,
  liquidationPriceOff: PERCENT,
  insuranceFeeRate: PERCENT,
});

const credit = (netValueCredit: bigint): MarginAccount => ({
  netValueCredit,
  exposureCredit: 0n,
  initialMarginCredit: 0n,
  maintenanceMarginCredit: 0n,
  papers: new Map(),
});

// One coin at 30,000, the long as taker at 5 bp, the short as maker at 1 bp, each with 10,000 of
// credit: the accounts of the published cases.
const long = (price: bigint, deposited = 10_000n * USD) =>
  applyBalanceChange(credit(deposited), btc(price), COIN, -30_015n * USD);
const short = (price: bigint, deposited = 10_000n * USD) =>
  applyBalanceChange(credit(deposited), btc(price), -COIN, 29_997n * USD);

describe("the published reference cases", () => {
  it("3: margin, cost and fee of a long at 20,600, and the remainder after a full takeover", () => {
    const [market, victim] = [btc(20_600n * USD), long(20_600n * USD)];
    expect(victim).toMatchObject({
      netValueCredit: 585n * USD,
      exposureCredit: 20_600n * USD,
      initialMarginCredit: 1_030n * USD,
      maintenanceMarginCredit: 618n * USD,
    });
    expect(isSafe(victim)).toBe(false);
    const terms = computeTakeoverTerms(market, COIN, 2n * COIN);
    expect(terms).toEqual({ paper: COIN, credit: -20_394n * USD, insuranceFee: 203_940_000n });
    expect(victimAfterTakeover(victim, market, terms)).toMatchObject({
      netValueCredit: -4_824_940_000n + 5_000n * USD,
      papers: new Map(),
    });
    expect(liquidatorAfterTakeover(credit(0n), market, terms)).toMatchObject({
      netValueCredit: 206n * USD,
      papers: new Map([[PERP, COIN]]),
    });
  });

  it("4: a hundredth of it, a capped request, and the size that restores safety", () => {
    const [market, victim] = [btc(20_600n * USD), long(20_600n * USD)];
    const part = computeTakeoverTerms(market, COIN, COIN / 100n);
    expect(part).toEqual({ paper: COIN / 100n, credit: -203_940_000n, insuranceFee: 2_039_400n });
    const rest = (99n * COIN) / 100n;
    const capped = computeTakeoverTerms(market, rest, 2n * COIN);
    expect(capped.paper).toBe(rest);
    const size = sizeToRestoreSafety(victim, market) as bigint;
    expect(Number(size) / 1e18).toBeCloseTo(0.1586, 4);
    const cures = (paper: bigint) => {
      const after = victimAfterTakeover(victim, market, computeTakeoverTerms(market, COIN, paper));
      return after !== undefined && isSafe(after);
    };
    expect([cures(size - size / 100_000n), cures(size + size / 100_000n)]).toEqual([false, true]);
  });

  it("5: a short at 39,000, a hundredth and the whole of it", () => {
    const [market, victim] = [btc(39_000n * USD), short(39_000n * USD)];
    const one = COIN / 100n;
    const part = computeTakeoverTerms(market, -COIN, -one);
    expect(part).toEqual({ paper: -one, credit: 393_900_000n, insuranceFee: 3_939_000n });
    const whole = computeTakeoverTerms(market, -COIN, -COIN);
    expect(whole).toEqual({ paper: -COIN, credit: 39_390n * USD, insuranceFee: 393_900_000n });
    expect(victimAfterTakeover(victim, market, whole)).toMatchObject({
      netValueCredit: -4_786_900_000n + 5_000n * USD,
    });
  });

  it("6: at 19,000 the full takeover leaves a debt for the insurance account", () => {
    const [market, victim] = [btc(19_000n * USD), long(19_000n * USD)];
    const terms = computeTakeoverTerms(market, COIN, COIN);
    expect(victimAfterTakeover(victim, market, terms)).toBeUndefined();
    expect(
      applyBalanceChange(victim, market, -terms.paper, -terms.credit - terms.insuranceFee)
        .netValueCredit + terms.insuranceFee,
    ).toBe((-6_205n + 5_000n) * USD);
  });

  it("7: liquidation prices of either sign", () => {
    expect(liquidationPriceOnChain(long(30_000n * USD), btc(30_000n * USD))).toBe(20_634_020_618n);
    expect(liquidationPriceOnChain(short(30_000n * USD), btc(30_000n * USD))).toBe(38_832_038_834n);
  });
});

describe("a liquidation price", () => {
  it("is the last safe price of a long, and within a unit of the last safe one of a short", () => {
    const safeAt = (account: (price: bigint) => MarginAccount, price: bigint) =>
      isSafe(account(price));
    expect([safeAt(long, 20_634_020_618n), safeAt(long, 20_634_020_617n)]).toEqual([true, false]);
    expect([safeAt(short, 38_832_038_834n), safeAt(short, 38_832_038_836n)]).toEqual([true, false]);
  });

  it("is the same from any mark price, and 0 without a position or if no price is reached", () => {
    for (const price of [20_000n, 25_000n, 30_000n, 60_000n])
      expect(liquidationPriceOnChain(long(price * USD), btc(price * USD))).toBe(20_634_020_618n);
    expect(liquidationPriceOnChain(credit(5n), btc(30_000n * USD))).toBe(0n);
    expect(liquidationPriceOnChain(long(30_000n * USD, 40_000n * USD), btc(30_000n * USD))).toBe(
      0n,
    );
  });
});

describe("the size that restores safety", () => {
  it("is 0 for a safe account, and undefined if the fee uses up the discount or the position is too small", () => {
    expect(sizeToRestoreSafety(long(30_000n * USD), btc(30_000n * USD))).toBe(0n);
    expect(sizeToRestoreSafety(long(19_000n * USD), btc(19_000n * USD))).toBeUndefined();
    const greedy = { ...btc(39_000n * USD), insuranceFeeRate: 2n * PERCENT };
    expect(sizeToRestoreSafety(short(39_000n * USD), greedy)).toBeUndefined();
  });
});
