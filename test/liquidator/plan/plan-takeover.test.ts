import { describe, expect, it } from "vitest";
import { allocateTakeovers, reserveForTakeover } from "#liquidator/allocate-takeovers.js";
import type { PlanInput, Victim } from "#liquidator/plan-input.js";
import { planTakeover } from "#liquidator/plan-takeover.js";
import type { TakeoverPlan } from "#liquidator/takeover-plan.js";
import {
  account,
  BTC_PERP,
  btc,
  COIN,
  eth,
  input,
  name,
  OWN,
  PERCENT,
  plan,
  USD,
  victim,
} from "./planned-victims.js";

describe("which position", () => {
  it("is the most profitable one; one opposite to the own position costs no unwind", () => {
    const who = victim([btc(), COIN], [eth(), -10n * COIN]);
    expect(plan(who, input([btc(), eth()])).marketId).toBe("btcusdc");
    const own = account(100_000, [eth(), 10n * COIN]);
    // As large in value and free of fee.
    const even = victim([btc(), COIN], [eth(), -10n * COIN]);
    expect(plan(even, input([btc(), eth()], { own })).marketId).toBe("ethusdc");
  });

  it("is none for an account that is safe, empty, ours, or in markets without a way to unwind", () => {
    const kinds = (who: Victim, what: PlanInput) => planTakeover(who, what);
    expect(
      kinds({ ...victim(), margin: account(100_000, [btc(), COIN]) }, input([btc()])),
    ).toMatchObject({
      kind: "refused",
      reason: "safe",
    });
    expect(kinds(victim(), input([btc()]))).toMatchObject({
      kind: "refused",
      reason: "no-position",
    });
    expect(kinds({ ...victim([btc(), COIN]), account: OWN }, input([btc()]))).toMatchObject({
      kind: "refused",
      reason: "own-account",
    });
    expect(kinds(victim([btc(), COIN]), input([eth()]))).toMatchObject({
      kind: "refused",
      reason: "unlisted-market",
      perp: BTC_PERP,
    });
  });
});

describe("several victims", () => {
  const victims = (count: number, paper = COIN): Victim[] =>
    Array.from({ length: count }, (_, i) => ({ ...victim([btc(), paper]), account: name(i) }));

  it("share the own margin: the plans are valid together, and the last gets what is left", () => {
    const own = account(1_000);
    const together = allocateTakeovers(victims(5), input([btc()], { own }));
    expect(together.plans.map(({ boundBy }) => boundBy)).toEqual(["position", "margin"]);
    expect(together.others).toHaveLength(3);
    for (const other of together.others)
      expect(other).toMatchObject({ kind: "refused", reason: "margin" });
    const last = together.plans[together.plans.length - 1] as TakeoverPlan;
    const needed = (last.ownAfter.maintenanceMarginCredit * 15_000n) / 10_000n;
    expect(last.ownAfter.netValueCredit - last.reservedQuote).toBeGreaterThanOrEqual(needed);
    expect(last.ownAfter.papers.get(BTC_PERP)).toBe(
      together.plans.reduce((sum, { requestPaper }) => sum + requestPaper, 0n),
    );
  });

  it("share the book: depth that one uses is gone for the next", () => {
    const bids = [
      { ticks: 200_000, lots: 1_000 },
      { ticks: 199_000, lots: 1_000 },
    ];
    const { plans } = allocateTakeovers(victims(3), input([btc({ bids })]));
    expect(plans.map(({ expected, unwindLots }) => [expected.slippageQuote, unwindLots])).toEqual([
      [0n, 1000],
      [100n * USD, 1000],
    ]);
  });

  it("of opposite signs net each other: the second frees the margin that the first took", () => {
    const both = [...victims(1), { ...victim([btc(), -COIN]), account: name(9) }];
    const { plans } = allocateTakeovers(both, input([btc()], { own: account(800) }));
    expect(plans.map(({ unwindLots }) => Math.abs(unwindLots))).toEqual([1000, 0]);
    expect(plans[1]?.marginUseQuote).toBeLessThan(0n);
    expect(plans[1]?.ownAfter.papers.size).toBe(0);
  });

  it("get no more plans than requested, the best for their margin first", () => {
    const cheap = { ...victim([eth(), 10n * COIN]), account: name(20) };
    const rich = eth({ liquidationPriceOff: 2n * PERCENT });
    const { plans, others } = allocateTakeovers([...victims(2), cheap], input([btc(), rich]), 1);
    expect(plans.map(({ marketId }) => marketId)).toEqual(["ethusdc"]);
    expect(others).toEqual([]);
  });

  it("are planned for with one in flight as if it had happened", () => {
    const before = input([btc()]);
    const first = plan(victim([btc(), COIN]), before);
    const after = reserveForTakeover(before, first);
    expect(after.own.margin.papers).toEqual(first.ownAfter.papers);
    expect(after.own.margin.netValueCredit).toBe(
      first.ownAfter.netValueCredit - first.reservedQuote,
    );
    expect(after.markets.get(BTC_PERP)?.pendingUnwindLots).toBe(1000);
  });
});
