import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { planTakeover } from "#liquidator/plan-takeover.js";
import { mulFixed } from "#perpetual/fixed-point.js";
import { reasonFor } from "../../contracts/evm.js";
import { COIN, USD } from "../../contracts/world.js";
import { BTC, Danger, eventOf, figures, onlyVictim, venueMarket } from "../danger.js";
import { competitor, expectPlan, inDanger, own, planned, victim } from "./published-account.js";

let danger: Danger;
beforeAll(async () => {
  danger = await Danger.create();
});
beforeEach(() => danger.world.evm.restore());
afterAll(() => danger.close());

describe("a whole takeover", () => {
  it("of a long gives the published figures, and the plan foretold them", async () => {
    await inDanger(danger, 1n);
    const { plan } = await planned(danger, 20_600);
    expect(plan).toMatchObject({
      requestPaper: COIN,
      unwindLots: 1000,
      boundBy: "position",
      expected: {
        credit: -20_394n * USD,
        insuranceFee: 203_940_000n,
        discountQuote: 206n * USD,
        takerFeeQuote: 10_300_000n,
        slippageQuote: 0n,
        gasQuote: 1_800_000n,
        profitQuote: 193_900_000n,
      },
      isCured: true,
    });
    const receipt = await danger.take(danger.world.btc, plan, own);
    expect(eventOf(receipt, "JoinLiquidation").slice(3, 5)).toEqual([COIN, -20_394n * USD]);
    expect(await danger.riskOf(own.address)).toEqual(figures(plan.ownAfter));
    expect(await danger.world.credit(victim)).toEqual([-4_824_940_000n, 5_000n * USD]);
    expect((await danger.world.credit(danger.world.insurance))[0]).toBe(203_940_000n);
  });

  it("of a short gives the published figures, and the plan foretold them", async () => {
    await inDanger(danger, -1n);
    // Here the short is the taker and paid a fee of 15, where the published one was the maker.
    const { plan } = await planned(danger, 39_000);
    expect(plan).toMatchObject({
      requestPaper: -COIN,
      unwindLots: -1000,
      boundBy: "position",
      expected: {
        credit: 39_390n * USD,
        insuranceFee: 393_900_000n,
        discountQuote: 390n * USD,
        takerFeeQuote: 19_500_000n,
      },
    });
    const receipt = await danger.take(danger.world.btc, plan, own);
    expect(eventOf(receipt, "JoinLiquidation").slice(3, 5)).toEqual([-COIN, 39_390n * USD]);
    expect(await danger.riskOf(own.address)).toEqual(figures(plan.ownAfter));
    expect(plan.victimAfter).toBeDefined();
    expect((await danger.world.credit(danger.world.insurance))[0]).toBe(393_900_000n);
  });

  it.each([1n, -1n])(
    "holds at inclusion up to the very price of its bound, and not a unit beyond (%s)",
    async (sign) => {
      await inDanger(danger, sign);
      // Half of the room above the least profit is left for the price; the victim is unsafe all the
      // way.
      const start = sign > 0n ? 15_000n : 45_000n;
      await danger.world.setPrice(danger.world.btc, start * USD);
      const { plan } = await planned(danger, Number(start));
      const creditAt = (price: bigint) => {
        const off = mulFixed(price, COIN / 100n);
        return -mulFixed(plan.requestPaper, sign > 0n ? price - off : price + off);
      };
      let edge = start * USD;
      for (let step = 1n << 34n; step > 0n; step >>= 1n)
        while (creditAt(edge + sign * step) >= plan.expectCredit) edge += sign * step;
      const at = async (price: bigint) => {
        await danger.world.setPrice(danger.world.btc, price);
        return danger.simulate(
          danger.world.btc,
          own,
          victim.address,
          plan.requestPaper,
          plan.expectCredit,
        );
      };
      expect(edge === start * USD).toBe(false);
      expect(await at(edge)).toEqual([plan.requestPaper, creditAt(edge)]);
      expect(await reasonFor(at(edge + sign))).toBe("LIQUIDATION_PRICE_PROTECTION");
    },
  );
});

describe("a part of a position", () => {
  it("is what the own margin with its buffer has room for, and a lot more would break it", async () => {
    await inDanger(danger, 1n, 200n);
    const { plan, input } = await planned(danger, 20_600);
    expect(plan.boundBy).toBe("margin");
    expect(plan.requestPaper).toBeGreaterThan(0n);
    expect(plan.requestPaper).toBeLessThan(COIN);
    expect(plan.requestPaper % BTC.paperPerLot).toBe(0n);
    await danger.take(danger.world.btc, plan, own);
    expect(await danger.riskOf(own.address)).toEqual(figures(plan.ownAfter));
    const { netValueCredit, maintenanceMarginCredit } = plan.ownAfter;
    const kept =
      netValueCredit -
      plan.reservedQuote -
      (maintenanceMarginCredit * BigInt(10_000 + input.rules.marginBufferBps)) / 10_000n;
    expect(kept).toBeGreaterThanOrEqual(0n);
    // 20,600 dollars of paper demand 1.5 times 3 %, of which the discount pays 1 %; a fee of 5 bp
    // is set aside.
    expect(kept).toBeLessThan((20_600n * USD * 36n) / 1_000_000n);
  });

  it("is what the book takes at a price that still pays", async () => {
    await inDanger(danger, 1n);
    const confirmation = await danger.confirm(own, victim);
    const bids = [
      { ticks: 206_000, lots: 100 },
      { ticks: 205_000, lots: 200 },
      // Under the liquidation's price of 20,394 and the fee.
      { ticks: 203_900, lots: 5_000 },
    ];
    const input = danger.input(confirmation, [
      [danger.world.btc, venueMarket(BTC, { bids, asks: [{ ticks: 206_001, lots: 1 }] })],
    ]);
    const plan = expectPlan(planTakeover(onlyVictim(confirmation), input));
    expect(plan).toMatchObject({
      requestPaper: (3n * COIN) / 10n,
      unwindLots: 300,
      boundBy: "depth",
    });
    expect(plan.expected.slippageQuote).toBe(20n * USD);
    await danger.take(danger.world.btc, plan, own);
    expect(await danger.riskOf(own.address)).toEqual(figures(plan.ownAfter));
    expect(await danger.riskOf(victim.address)).toEqual(
      figures(plan.victimAfter as NonNullable<typeof plan.victimAfter>),
    );
  });
});

describe("a competitor", () => {
  it("that took a part before leaves the rest at no worse a price than was accepted", async () => {
    await inDanger(danger, 1n);
    // So deep that the rest stays unsafe after the competitor.
    await danger.world.setPrice(danger.world.btc, 19_500n * USD);
    await danger.world.deposit(competitor, 100_000n);
    const { plan } = await planned(danger, 19_500);
    await danger.world.liquidate(
      danger.world.btc,
      competitor,
      victim,
      (7n * COIN) / 10n,
      -(2n ** 127n),
    );
    const receipt = await danger.take(danger.world.btc, plan, own);
    const [, , , paper, credit] = eventOf(receipt, "JoinLiquidation") as [
      string,
      string,
      string,
      bigint,
      bigint,
    ];
    expect(paper).toBe((3n * COIN) / 10n);
    expect(credit * plan.requestPaper).toBeGreaterThanOrEqual(plan.expectCredit * paper);
  });

  it("that took a part, and a price that moved, leave a rest that is refused where its share is too dear", async () => {
    await inDanger(danger, 1n);
    await danger.world.setPrice(danger.world.btc, 15_000n * USD);
    await danger.world.deposit(competitor, 100_000n);
    const { plan } = await planned(danger, 15_000);
    await danger.world.liquidate(
      danger.world.btc,
      competitor,
      victim,
      (7n * COIN) / 10n,
      -(2n ** 127n),
    );
    await danger.world.setPrice(danger.world.btc, 15_100n * USD);
    expect(await reasonFor(danger.take(danger.world.btc, plan, own))).toBe(
      "LIQUIDATION_PRICE_PROTECTION",
    );
  });

  it("that cured the account, or took all, wins the race, and nothing of ours moves", async () => {
    await inDanger(danger, 1n);
    await danger.world.deposit(competitor, 100_000n);
    const { plan } = await planned(danger, 20_600);
    const before = await danger.riskOf(own.address);
    await danger.world.liquidate(danger.world.btc, competitor, victim, COIN / 2n, -(2n ** 127n));
    expect(await reasonFor(danger.take(danger.world.btc, plan, own))).toBe("JOJO_ACCOUNT_IS_SAFE");
    await danger.world.setPrice(danger.world.btc, 9_000n * USD);
    await danger.world.liquidate(danger.world.btc, competitor, victim, COIN / 2n, -(2n ** 127n));
    expect(await reasonFor(danger.take(danger.world.btc, plan, own))).toBe("JOJO_ACCOUNT_IS_SAFE");
    expect(await danger.riskOf(own.address)).toEqual(before);
  });
});

describe("a debt that is left", () => {
  it("goes to the insurance account, not to the liquidator", async () => {
    await inDanger(danger, 1n);
    await danger.world.setPrice(danger.world.btc, 19_000n * USD);
    const { plan } = await planned(danger, 19_000);
    expect(plan.victimAfter).toBeUndefined();
    const receipt = await danger.take(danger.world.btc, plan, own);
    expect(eventOf(receipt, "HandleBadDebt").slice(1)).toEqual([-6_393_100_000n, 5_000n * USD]);
    expect(await danger.world.credit(victim)).toEqual([0n, 0n]);
    expect(await danger.world.credit(danger.world.insurance)).toEqual([
      -6_205n * USD,
      5_000n * USD,
    ]);
    expect(await danger.riskOf(own.address)).toEqual(figures(plan.ownAfter));
  });
});
