import { describe, expect, it } from "vitest";
import { allocateTakeovers } from "#liquidator/allocate-takeovers.js";
import type { TakeoverInFlight } from "#liquidator/liquidation-executor.js";
import type { Victim } from "#liquidator/plan-input.js";
import { planTakeover } from "#liquidator/plan-takeover.js";
import { projectMarkets, projectOwnAccount } from "#liquidator/project-own-account.js";
import type { AccountLimits } from "#risk/limits.js";
import {
  account,
  BTC_PERP,
  btc,
  COIN,
  eth,
  input,
  name,
  OWN,
  plan,
  USD,
  victim,
} from "./planned-victims.js";

const limits = { maxPositionLots: 1000 };

/** Accounts in danger, each with so many coins. */
function victims(...coins: readonly bigint[]): Victim[] {
  return coins.map((paper, i) => ({ ...victim([btc(), paper]), account: name(i) }));
}

const sent = (requestPaper: bigint, part: Partial<TakeoverInFlight> = {}): TakeoverInFlight => ({
  jobId: "1",
  victim: name(5),
  perp: BTC_PERP,
  requestPaper,
  reservedQuote: 0n,
  minedBlock: undefined,
  ...part,
});

/** Plans while those are in flight, from an account that holds nothing on the chain. */
function beside(inFlight: readonly TakeoverInFlight[], positionLots = 0) {
  const only = btc({ limits, positionLots });
  const { markets } = input([only]);
  const own = projectOwnAccount({
    margin: account(100_000),
    blockNumber: 7,
    inFlight,
    markets,
    limits: {},
    settings: { account: OWN, maxNotionalCredit: undefined, maxPositionAmount: 10 },
    unwindingCredit: 0n,
  });
  return { ...input([only]), own, markets: projectMarkets(markets, inFlight) };
}

describe("a takeover reserves its room in maxPositionLots", () => {
  it("in the same round: what is planned first may come or not, so an opposite one makes no room for a third", () => {
    const { plans } = allocateTakeovers(
      victims(COIN, -COIN, COIN),
      input([btc({ limits, positionLots: 0 })]),
    );
    const of = (sign: number) =>
      plans.reduce(
        (sum, { requestPaper }) => (Number(requestPaper) * sign > 0 ? sum + requestPaper : sum),
        0n,
      );
    expect([of(1), of(-1)]).toEqual([COIN, -COIN]);
  });

  it("in later rounds, until it is held: one that was sent takes its whole size on its side", () => {
    expect(planTakeover(victim([btc(), COIN]), beside([sent(COIN)]))).toMatchObject({
      kind: "refused",
      reason: "max-position",
    });
    expect(plan(victim([btc(), COIN]), beside([sent((6n * COIN) / 10n)])).requestPaper).toBe(
      (4n * COIN) / 10n,
    );
    // The opposite one may never be mined.
    expect(plan(victim([btc(), 2n * COIN]), beside([sent(-COIN)])).requestPaper).toBe(COIN);
  });

  it("and a position that the exchange has reported counts once more beside it, until the receipt says that they are one", () => {
    expect(plan(victim([btc(), COIN]), beside([sent((3n * COIN) / 10n)], 300)).requestPaper).toBe(
      (4n * COIN) / 10n,
    );
    expect(
      plan(victim([btc(), COIN]), beside([sent((3n * COIN) / 10n, { minedBlock: 7 })], 300))
        .requestPaper,
    ).toBe((7n * COIN) / 10n);
  });
});

describe("a plan starts from the position with the trades that have not settled", () => {
  it("where they add: what was bought and not settled takes room", () => {
    expect(
      plan(victim([btc(), COIN]), input([btc({ limits, positionLots: 700 })])).requestPaper,
    ).toBe((3n * COIN) / 10n);
  });

  it("where they reduce: a sale may still fail, so the chain's position counts until then", () => {
    const own = account(100_000, [btc(), (8n * COIN) / 10n]);
    expect(
      plan(victim([btc(), COIN]), input([btc({ limits, positionLots: 0 })], { own })).requestPaper,
    ).toBe((2n * COIN) / 10n);
    expect(
      plan(victim([btc(), -2n * COIN]), input([btc({ limits, positionLots: 0 })], { own }))
        .requestPaper,
    ).toBe(-COIN);
  });

  it("and where they do both: those that add have settled and those that reduce have failed, in the worst case", () => {
    // 200 are on the chain, 500 more were bought and 500 sold: 700 are left where the sale fails,
    // and 300 are owed where the purchase does.
    const own = account(100_000, [btc(), COIN / 5n]);
    const both = btc({ limits, positionLots: 200, unsettledLots: { buy: 500, sell: 500 } });
    expect(plan(victim([btc(), 2n * COIN]), input([both], { own })).requestPaper).toBe(
      (3n * COIN) / 10n,
    );
    expect(plan(victim([btc(), -2n * COIN]), input([both], { own })).requestPaper).toBe(
      (-7n * COIN) / 10n,
    );
    expect(
      plan(victim([btc(), -COIN / 5n]), input([both], { own })).unwindLots,
      "nothing of it is certain to be there",
    ).toBe(-200);
  });

  it("and nets only what is held for certain: a position that was sold already has to be bought back on the book", () => {
    const own = account(100_000, [btc(), COIN]);
    expect(
      plan(victim([btc(), -COIN]), input([btc({ positionLots: 0 })], { own })).unwindLots,
    ).toBe(-1000);
    expect(
      plan(victim([btc(), -COIN]), input([btc({ positionLots: 400 })], { own })).unwindLots,
    ).toBe(-600);
    expect(
      plan(victim([btc(), -COIN]), input([btc({ positionLots: 1000 })], { own })).unwindLots,
    ).toBe(0);
  });
});

describe("a position beyond the limit on one side", () => {
  it("permits nothing on the other: a takeover that flips the position stays within the limit there", () => {
    const own = account(200_000, [btc(), (-15n * COIN) / 10n]);
    const decided = plan(
      victim([btc(), 4n * COIN]),
      input([btc({ limits, positionLots: -1500 })], { own }),
    );
    expect([decided.boundBy, decided.requestPaper]).toEqual(["max-position", (25n * COIN) / 10n]);
  });

  it("permits nothing beyond an account limit either, which both sides of a market share", () => {
    const own = account(1_000_000, [btc(), -3n * COIN]);
    const taken = (limits: AccountLimits) =>
      plan(victim([btc(), 4n * COIN]), input([btc({ positionLots: 500 })], { own, limits }))
        .requestPaper;
    expect(taken({ maxNotional: 40_000n * USD })).toBe((15n * COIN) / 10n);
    // The net value includes the takeover's profit and cost.
    expect(Number(taken({ maxLeverage: 0.04 })) / 1e18).toBeCloseTo(1.5, 1);
  });

  it("permits nothing if only the chain has it, as while a takeover's receipt is missing", () => {
    const own = account(200_000, [btc(), (-15n * COIN) / 10n]);
    expect(
      plan(victim([btc(), 2n * COIN]), input([btc({ limits, positionLots: 500 })], { own }))
        .requestPaper,
    ).toBe(COIN / 2n);
  });

  it("does not prevent a takeover that only reduces it", () => {
    const own = account(200_000, [btc(), (-25n * COIN) / 10n]);
    expect(
      plan(victim([btc(), COIN]), input([btc({ limits, positionLots: -2500 })], { own }))
        .requestPaper,
    ).toBe(COIN);
  });
});

describe("the limits of the account", () => {
  const bought = (lots: number) => eth({ positionLots: lots, limits: {} });

  it("count what other markets may come to: trades that have not settled, orders, and takeovers that were sent", () => {
    // 20,000 dollars are left of 40,000 by ten coins of the other market at 2,000, whichever of the
    // three they are.
    for (const other of [
      bought(1000),
      { ...bought(0), workingLots: { buy: 0, sell: 1000 } },
      { ...bought(0), reservedLots: { buy: 1000, sell: 0 } },
    ]) {
      const decided = plan(
        victim([btc(), 2n * COIN]),
        input([btc({ positionLots: 0 }), other], { limits: { maxNotional: 40_000n * USD } }),
      );
      expect([decided.boundBy, decided.requestPaper]).toEqual(["account-notional", COIN]);
    }
  });

  it.each([
    ["leverage", { maxLeverage: 0.4 }],
    ["margin-use", { maxMarginUseFraction: 0.02 }],
  ] as const)("and %s with them", (bound, account) => {
    const decided = plan(
      victim([btc(), 2n * COIN]),
      input([btc({ positionLots: 0 }), bought(1000)], { limits: account }),
    );
    expect(decided.boundBy).toBe(bound);
    expect(decided.unwindLots).toBeGreaterThan(990);
    expect(decided.unwindLots).toBeLessThan(1_010);
  });

  it("leave the liquidator's own bound to what takeovers bring: quotes use up none of it", () => {
    const markets = new Map([[BTC_PERP, btc({ workingLots: { buy: 5000, sell: 0 } })]]);
    const settings = { account: OWN, maxNotionalCredit: 10_000n * USD, maxPositionAmount: 10 };
    const parts = {
      margin: account(100_000),
      blockNumber: 7,
      inFlight: [],
      markets,
      limits: {},
      settings,
      unwindingCredit: 0n,
    };
    const decided = plan(victim([btc(), 2n * COIN]), {
      ...input([btc()]),
      own: projectOwnAccount(parts),
      markets,
    });
    expect([decided.boundBy, decided.unwindLots]).toEqual(["account-notional", 500]);
  });
});
