import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allocateTakeovers } from "#liquidator/allocate-takeovers.js";
import { planTakeover } from "#liquidator/plan-takeover.js";
import { findVictims } from "#liquidator/victims.js";
import { reasonFor } from "../../contracts/evm.js";
import { COIN, type Market, USD } from "../../contracts/world.js";
import { BTC, Danger, ETH, figures, flatBook, onlyVictim, perpOf, venueMarket } from "../danger.js";
import {
  competitor,
  expectPlan,
  inDanger,
  operator,
  other,
  own,
  planned,
  victim,
} from "./published-account.js";

let danger: Danger;
beforeAll(async () => {
  danger = await Danger.create();
});
beforeEach(() => danger.world.evm.restore());
afterAll(() => danger.close());

describe("a victim with five markets", () => {
  it("is taken from in as many as it takes to cure it, the best first, each as foretold", async () => {
    const { world } = danger;
    const markets: Market[] = [world.btc, world.eth];
    for (const name of ["third", "fourth", "fifth"]) markets.push(await world.addMarket(name));
    for (const trader of [victim, other, own]) await world.deposit(trader, 10_000n);
    const sizes = [COIN / 10n, -COIN, 1_000n * COIN, -1_000n * COIN, 2_000n * COIN];
    const prices = [30_000n, 2_000n, 1n, 1n, 1n];
    for (const [i, market] of markets.entries()) {
      const [paper, price] = [sizes[i] as bigint, prices[i] as bigint];
      await world.trade(
        market,
        { trader: victim, paper, price },
        { trader: other, paper: -paper, price },
      );
    }
    // All of its credit but a little leaves, and each price moves against it by a percent.
    const excess = (await danger.riskOf(victim.address)) as [bigint, bigint, bigint, bigint];
    await world.dealer.send(
      victim,
      "fastWithdraw",
      victim.address,
      victim.address,
      excess[0] - excess[2],
      0,
      false,
      "0x",
    );
    for (const [i, market] of markets.entries()) {
      const price = (prices[i] as bigint) * USD;
      await world.setPrice(
        market,
        (sizes[i] as bigint) > 0n ? (price * 96n) / 100n : (price * 104n) / 100n,
      );
    }
    const confirmation = await danger.confirm(own, victim);
    const venue = markets.map((market, i) => {
      const instrument = i === 0 ? BTC : ETH;
      const mark = confirmation.markets.get(perpOf(market))?.markPrice;
      const price = mark?.ok === true ? Number(mark.creditPerCoin) / 1e6 : 0;
      return [
        market,
        { ...venueMarket(instrument, flatBook(instrument, price)), marketId: `market${i}` },
      ] as const;
    });
    const { victims } = findVictims(confirmation);
    expect(victims[0]?.margin.papers.size).toBe(5);
    const { plans, others } = allocateTakeovers(victims, danger.input(confirmation, venue));
    expect(others).toEqual([]);
    expect(plans.length).toBeGreaterThan(1);
    expect(new Set(plans.map(({ perp }) => perp)).size).toBe(plans.length);
    expect(plans.slice(0, -1).every(({ isCured }) => !isCured)).toBe(true);
    let reserved = 0n;
    for (const plan of plans) {
      const market = markets.find((each) => perpOf(each) === plan.perp) as Market;
      await danger.take(market, plan, own);
      // The credit that earlier plans reserved for gas and unwinds is still there.
      const [netValue, ...others] = await danger.riskOf(own.address);
      expect([(netValue as bigint) - reserved, ...others]).toEqual(figures(plan.ownAfter));
      if (plan.victimAfter !== undefined)
        expect(await danger.riskOf(victim.address)).toEqual(figures(plan.victimAfter));
      reserved += plan.reservedQuote;
    }
    expect(await world.isSafe(victim)).toBe(plans[plans.length - 1]?.isCured);
  });
});

describe("a stale price source", () => {
  it("in one account does not prevent the takeover of another, and is reported for that account", async () => {
    await inDanger(danger, 1n);
    const { world } = danger;
    await world.deposit(competitor, 100_000n);
    await world.open(world.eth, competitor, other, COIN, 2_000n);
    await world.makeStale(world.eth);
    const confirmation = await danger.confirm(own, competitor, victim);
    expect(confirmation.accounts.map(({ kind }) => kind)).toEqual(["unreadable", "read"]);
    const { victims, refused } = findVictims(confirmation);
    expect(refused).toMatchObject([
      {
        victim: competitor.address.toLowerCase(),
        reason: "stale-victim",
        detail: "ORACLE_HEARTBEAT_FAILED",
      },
    ]);
    const [first] = victims;
    const input = danger.input(confirmation, [
      [world.btc, venueMarket(BTC, flatBook(BTC, 20_600))],
    ]);
    const plan = expectPlan(planTakeover(first as NonNullable<typeof first>, input));
    await danger.take(world.btc, plan, own);
    expect(await danger.riskOf(own.address)).toEqual(figures(plan.ownAfter));
  });

  it("in the own account prevents every plan, with the reason for each victim", async () => {
    await inDanger(danger, 1n);
    const { world } = danger;
    await world.deposit(competitor, 100_000n);
    await world.open(world.eth, own, competitor, COIN, 2_000n);
    await world.makeStale(world.eth);
    const { victims, refused } = findVictims(await danger.confirm(own, victim));
    expect(victims).toEqual([]);
    expect(refused).toMatchObject([{ victim: victim.address.toLowerCase(), reason: "stale-own" }]);
    const { btc } = world;
    expect(await reasonFor(world.liquidate(btc, own, victim, COIN, -(2n ** 127n)))).toBe(
      "ORACLE_HEARTBEAT_FAILED",
    );
  });
});

describe("a liquidator", () => {
  it("without margin plans nothing, as the contract would refuse it", async () => {
    await inDanger(danger, 1n, 0n);
    const confirmation = await danger.confirm(own, victim);
    const input = danger.input(confirmation, [
      [danger.world.btc, venueMarket(BTC, flatBook(BTC, 20_600))],
    ]);
    expect(planTakeover(onlyVictim(confirmation), input)).toMatchObject({
      kind: "refused",
      reason: "margin",
    });
    expect(
      await reasonFor(danger.world.liquidate(danger.world.btc, own, victim, COIN, -(2n ** 127n))),
    ).toBe("LIQUIDATOR_NOT_SAFE");
  });

  it("that holds positions in as many markets as it may plans only where it holds one", async () => {
    await inDanger(danger, 1n);
    const { world } = danger;
    await world.deposit(competitor, 100_000n);
    await world.open(world.eth, own, competitor, COIN, 2_000n);
    await world.dealer.send(world.owner, "setMaxPositionAmount", 1);
    const confirmation = await danger.confirm(own, victim);
    const input = danger.input(confirmation, [
      [world.btc, venueMarket(BTC, flatBook(BTC, 20_600))],
    ]);
    const full = { ...input, own: { ...input.own, maxPositionAmount: 1 } };
    expect(planTakeover(onlyVictim(confirmation), full)).toMatchObject({
      kind: "refused",
      reason: "too-many-positions",
    });
    expect(await reasonFor(world.liquidate(world.btc, own, victim, COIN, -(2n ** 127n)))).toBe(
      "JOJO_POSITION_AMOUNT_REACH_UPPER_LIMIT",
    );
  });

  it("is acted for by its operator, once it is registered", async () => {
    await inDanger(danger, 1n);
    const { world } = danger;
    const { plan } = await planned(danger, 20_600);
    expect(await reasonFor(danger.take(world.btc, plan, own, operator))).toBe(
      "JOJO_INVALID_LIQUIDATION_EXECUTOR",
    );
    await world.dealer.send(own, "setOperator", operator.address, true);
    await danger.take(world.btc, plan, own, operator);
    expect(await danger.riskOf(own.address)).toEqual(figures(plan.ownAfter));
    expect((await world.balance(world.btc, operator))[0]).toBe(0n);
  });
});
