import { describe, expect, it } from "vitest";
import type { Victim } from "#liquidator/plan-input.js";
import { planTakeover } from "#liquidator/plan-takeover.js";
import { computeTakeoverTerms, victimAfterTakeover } from "#perpetual/liquidation.js";
import { isSafe } from "#perpetual/margin.js";
import type { MarginAccount } from "#perpetual/margin-account.js";
import { BTC } from "../danger.js";
import { account, BTC_PERP, btc, COIN, input, name, plan, USD, victim } from "./planned-victims.js";

describe("the size of a takeover", () => {
  const target = (paper = 2n * COIN) => victim([btc(), paper]);

  it.each([
    ["position", {}, {}, 2000],
    ["max-position", { limits: { maxPositionLots: 700 } }, {}, 700],
    ["market-notional", { limits: { maxNotional: 6_000n * USD } }, {}, 300],
    ["account-notional", {}, { maxNotional: 8_000n * USD }, 400],
    // A fifth, and 5 % of a fifth, of 100,000 dollars and of the 190 that the first thousand lots
    // leave of their discount.
    ["leverage", {}, { maxLeverage: 0.2 }, 1001],
    ["margin-use", {}, { maxMarginUseFraction: 0.01 }, 1001],
  ] as const)("ends at %s", (bound, market, limits, lots) => {
    const decided = plan(target(), input([btc(market)], { limits }));
    expect([decided.boundBy, decided.unwindLots]).toEqual([bound, lots]);
    const short = plan(target(-2n * COIN), input([btc(market)], { limits }));
    expect([short.boundBy, short.unwindLots]).toEqual([bound, -lots]);
  });

  it.each([2n, -2n])(
    "ends, if no more is wanted, with the lot that makes the victim safe (%s BTC)",
    (coins) => {
      const endangered: Victim = {
        account: name(0),
        blockNumber: 7,
        margin: account(1_100, [btc(), coins * COIN]),
      };
      const wanted = input([btc()], { rules: { takeUpTo: "cure" } });
      const decided = plan(endangered, wanted);
      expect(decided).toMatchObject({ boundBy: "cure", isCured: true });
      expect(Math.abs(decided.unwindLots)).toBeLessThan(2000);
      const oneLotLess = decided.requestPaper - (coins > 0n ? 1n : -1n) * BTC.paperPerLot;
      expect(
        isSafe(
          victimAfterTakeover(
            endangered.margin,
            btc(),
            computeTakeoverTerms(btc(), coins * COIN, oneLotLess),
          ) as MarginAccount,
        ),
      ).toBe(false);
    },
  );

  it("is the whole position where no part of it would make the victim safe, and stays within the other bounds", () => {
    const rules = { takeUpTo: "cure" } as const;
    expect(plan(target(), input([btc()], { rules }))).toMatchObject({
      boundBy: "position",
      unwindLots: 2000,
    });
    const endangered: Victim = {
      account: name(0),
      blockNumber: 7,
      margin: account(1_100, [btc(), 2n * COIN]),
    };
    const limits = { maxPositionLots: 50 };
    expect(plan(endangered, input([btc({ limits })], { rules }))).toMatchObject({
      boundBy: "max-position",
      unwindLots: 50,
      isCured: false,
    });
  });

  it("ends where the liquidation price of the own position would come too near", () => {
    const own = account(3_000);
    const decided = plan(
      target(),
      input([btc()], {
        own,
        limits: { minLiquidationDistanceBps: 2_000 },
        rules: { marginBufferBps: 0 },
      }),
    );
    expect(decided.boundBy).toBe("liquidation-distance");
    // A fifth of the price below: what it is worth then has to cover 3 % of four fifths.
    expect(decided.unwindLots).toBeGreaterThan(600);
    expect(decided.unwindLots).toBeLessThan(750);
  });

  it("counts own orders that may still fill, on the side where they add to it", () => {
    const limits = { maxPositionLots: 700 };
    const working = (buy: number, sell: number) =>
      input([btc({ limits, workingLots: { buy, sell } })]);
    expect(plan(target(), working(200, 900)).unwindLots).toBe(500);
    expect(plan(target(-2n * COIN), working(200, 0)).unwindLots).toBe(-700);
  });

  it("leaves an odd rest with the victim, for the own position would be off the grid", () => {
    const odd = BTC.paperPerLot / 3n;
    expect(plan(target(COIN + odd), input([btc()]))).toMatchObject({
      requestPaper: COIN,
      unwindLots: 1000,
      boundBy: "position",
    });
    expect(
      planTakeover({ ...target(), margin: account(0, [btc(), odd]) }, input([btc()])),
    ).toMatchObject({
      kind: "refused",
      reason: "less-than-a-lot",
    });
  });

  it("takes an odd rest where it puts the own odd position back on the grid", () => {
    const odd = BTC.paperPerLot / 4n;
    const own = account(100_000, [btc(), -odd]);
    const decided = plan(target(COIN + odd), input([btc()], { own }));
    expect(decided).toMatchObject({ requestPaper: COIN + odd, unwindLots: 1000 });
    expect(decided.ownAfter.papers.get(BTC_PERP)).toBe(COIN);
  });

  it("makes no breached limit worse, and permits a takeover that reduces it", () => {
    const limits = { maxPositionLots: 100 };
    const own = account(100_000, [btc(), (-8n * COIN) / 10n]);
    expect(plan(victim([btc(), COIN / 2n]), input([btc({ limits })], { own })).requestPaper).toBe(
      COIN / 2n,
    );
    expect(planTakeover(victim([btc(), -COIN]), input([btc({ limits })], { own }))).toMatchObject({
      kind: "refused",
      reason: "max-position",
    });
  });

  it("is the part beyond the own opposite position that the limits leave, all of which alone is unwound", () => {
    const own = account(100_000, [btc(), -COIN]);
    const decided = plan(
      victim([btc(), 3n * COIN]),
      input([btc({ limits: { maxPositionLots: 1000 } })], { own }),
    );
    expect(decided).toMatchObject({
      requestPaper: 2n * COIN,
      unwindLots: 1000,
      boundBy: "max-position",
    });
    expect(decided.expected.takerFeeQuote).toBe(10n * USD);
  });
});
