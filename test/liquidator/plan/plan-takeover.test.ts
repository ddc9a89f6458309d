import { describe, expect, it } from "vitest";
import { FormatError } from "../../../src/core/errors.js";
import type { MarginAccount } from "../../../src/liquidator/margin/margin-account.js";
import { isSafe, marginAfter } from "../../../src/liquidator/margin/margin-rules.js";
import { takeoverTerms, victimAfter } from "../../../src/liquidator/margin/takeover-terms.js";
import { allocateTakeovers, withTakeover } from "../../../src/liquidator/plan/allocate-takeovers.js";
import { BookDisposal } from "../../../src/liquidator/plan/disposal.js";
import type { OwnAccount, PlanInput, PlanRules, TakeoverMarket, Victim } from "../../../src/liquidator/plan/plan-input.js";
import { planTakeover } from "../../../src/liquidator/plan/plan-takeover.js";
import type { TakeoverPlan } from "../../../src/liquidator/plan/takeover-plan.js";
import { BTC, ETH, flatBook, GAS, RULES, venueMarket } from "../danger.js";

const USD = 10n ** 6n;
const COIN = 10n ** 18n;
const PERCENT = COIN / 100n;
const [BTC_PERP, ETH_PERP, OWN] = ["b", "e", "0"].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const name = (n: number) => `0x${(n + 1).toString(16).padStart(40, "a")}`;

const ratios = {
  initialMarginRatio: 5n * PERCENT,
  maintenanceMarginRatio: 3n * PERCENT,
  liquidationPriceOff: PERCENT,
  insuranceFeeRate: PERCENT,
};
const btc = (part: Partial<TakeoverMarket> = {}): TakeoverMarket => ({
  ...venueMarket(BTC, flatBook(BTC, 20_000)),
  perp: BTC_PERP,
  markPrice: 20_000n * USD,
  ...ratios,
  ...part,
});
const eth = (part: Partial<TakeoverMarket> = {}): TakeoverMarket => ({
  ...venueMarket(ETH, flatBook(ETH, 2_000)),
  perp: ETH_PERP,
  markPrice: 2_000n * USD,
  ...ratios,
  ...part,
});

const EMPTY: MarginAccount = {
  netValueCredit: 0n,
  exposureCredit: 0n,
  initialMarginCredit: 0n,
  maintenanceMarginCredit: 0n,
  papers: new Map(),
};

/** An account worth so many dollars at these positions, bought at the mark. */
function account(dollars: number, ...positions: readonly (readonly [TakeoverMarket, bigint])[]): MarginAccount {
  const start = { ...EMPTY, netValueCredit: BigInt(Math.round(dollars * 1e6)) };
  return positions.reduce((margin, [market, paper]) => marginAfter(margin, market, paper, -(paper * market.markPrice) / COIN), start);
}

const victim = (...positions: readonly (readonly [TakeoverMarket, bigint])[]): Victim => ({
  account: name(0),
  blockNumber: 7,
  margin: account(1, ...positions),
});

function input(
  markets: readonly TakeoverMarket[],
  {
    own = account(100_000),
    limits = {},
    rules = {},
  }: { own?: MarginAccount; limits?: OwnAccount["limits"]; rules?: Partial<PlanRules> } = {},
): PlanInput {
  return {
    own: { account: OWN, margin: own, limits, maxPositionAmount: 10 },
    markets: new Map(markets.map((market) => [market.perp, market])),
    gas: GAS,
    rules: { ...RULES, ...rules },
  };
}

const plan = (who: Victim, what: PlanInput): TakeoverPlan => {
  const decision = planTakeover(who, what);
  expect(decision).toMatchObject({ kind: "takeover" });
  return decision as TakeoverPlan;
};

describe("the size of a takeover", () => {
  const target = (paper = 2n * COIN) => victim([btc(), paper]);

  it.each([
    ["position", {}, {}, 2000],
    ["max-position", { limits: { maxPositionLots: 700 } }, {}, 700],
    ["market-notional", { limits: { maxNotional: 6_000n * USD } }, {}, 300],
    ["account-notional", {}, { maxNotional: 8_000n * USD }, 400],
    // A fifth, and 5 % of a fifth, of 100,000 dollars and of the 190 that the first thousand lots leave of their discount.
    ["leverage", {}, { maxLeverage: 0.2 }, 1001],
    ["margin-use", {}, { maxMarginUseFraction: 0.01 }, 1001],
  ] as const)("ends at %s", (bound, market, limits, lots) => {
    const decided = plan(target(), input([btc(market)], { limits }));
    expect([decided.boundBy, decided.unwindLots]).toEqual([bound, lots]);
    const short = plan(target(-2n * COIN), input([btc(market)], { limits }));
    expect([short.boundBy, short.unwindLots]).toEqual([bound, -lots]);
  });

  it.each([2n, -2n])("ends, if no more is wanted, with the lot that makes the victim safe (%s BTC)", (coins) => {
    const endangered: Victim = { account: name(0), blockNumber: 7, margin: account(1_100, [btc(), coins * COIN]) };
    const wanted = input([btc()], { rules: { takeUpTo: "cure" } });
    const decided = plan(endangered, wanted);
    expect(decided).toMatchObject({ boundBy: "cure", isCured: true });
    expect(Math.abs(decided.unwindLots)).toBeLessThan(2000);
    const oneLotLess = decided.requestPaper - (coins > 0n ? 1n : -1n) * BTC.paperPerLot;
    expect(isSafe(victimAfter(endangered.margin, btc(), takeoverTerms(btc(), coins * COIN, oneLotLess)) as MarginAccount)).toBe(false);
  });

  it("is the whole position where no part of it would make the victim safe, and stays within the other bounds", () => {
    const rules = { takeUpTo: "cure" } as const;
    expect(plan(target(), input([btc()], { rules }))).toMatchObject({ boundBy: "position", unwindLots: 2000 });
    const endangered: Victim = { account: name(0), blockNumber: 7, margin: account(1_100, [btc(), 2n * COIN]) };
    const limits = { maxPositionLots: 50 };
    expect(plan(endangered, input([btc({ limits })], { rules }))).toMatchObject({
      boundBy: "max-position",
      unwindLots: 50,
      isCured: false,
    });
  });

  it("ends where the liquidation price of the own position would come too near", () => {
    const own = account(3_000);
    const decided = plan(target(), input([btc()], { own, limits: { minLiquidationDistanceBps: 2_000 }, rules: { marginBufferBps: 0 } }));
    expect(decided.boundBy).toBe("liquidation-distance");
    // A fifth of the price below: what it is worth then has to cover 3 % of four fifths.
    expect(decided.unwindLots).toBeGreaterThan(600);
    expect(decided.unwindLots).toBeLessThan(750);
  });

  it("counts own orders that may still fill, on the side where they add to it", () => {
    const limits = { maxPositionLots: 700 };
    const working = (buy: number, sell: number) => input([btc({ limits, workingLots: { buy, sell } })]);
    expect(plan(target(), working(200, 900)).unwindLots).toBe(500);
    expect(plan(target(-2n * COIN), working(200, 0)).unwindLots).toBe(-700);
  });

  it("leaves an odd rest with the victim, for the own position would be off the grid", () => {
    const odd = BTC.paperPerLot / 3n;
    expect(plan(target(COIN + odd), input([btc()]))).toMatchObject({ requestPaper: COIN, unwindLots: 1000, boundBy: "position" });
    expect(planTakeover({ ...target(), margin: account(0, [btc(), odd]) }, input([btc()]))).toMatchObject({
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

  it("makes no limit worse that is broken already, and lets what reduces it pass", () => {
    const limits = { maxPositionLots: 100 };
    const own = account(100_000, [btc(), (-8n * COIN) / 10n]);
    expect(plan(victim([btc(), COIN / 2n]), input([btc({ limits })], { own })).requestPaper).toBe(COIN / 2n);
    expect(planTakeover(victim([btc(), -COIN]), input([btc({ limits })], { own }))).toMatchObject({
      kind: "refused",
      reason: "max-position",
    });
  });

  it("is the part beyond the own opposite position that the limits leave, all of which alone is unwound", () => {
    const own = account(100_000, [btc(), -COIN]);
    const decided = plan(victim([btc(), 3n * COIN]), input([btc({ limits: { maxPositionLots: 1000 } })], { own }));
    expect(decided).toMatchObject({ requestPaper: 2n * COIN, unwindLots: 1000, boundBy: "max-position" });
    expect(decided.expected.takerFeeQuote).toBe(10n * USD);
  });
});

describe("profit", () => {
  const target = victim([btc(), COIN]);
  // 1 % of 20,000, less 5 bp of the sale and 1.8 of gas.
  const whole = 200n * USD - 10n * USD - 1_800_000n;

  it("is the discount less fee, slippage and gas; the insurance fee is the victim's", () => {
    const bids = [
      { ticks: 200_000, lots: 500 },
      { ticks: 199_000, lots: 500 },
    ];
    const decided = plan(target, input([btc({ bids })]));
    expect(decided.expected).toMatchObject({
      credit: -19_800n * USD,
      insuranceFee: 198n * USD,
      discountQuote: 200n * USD,
      slippageQuote: 50n * USD,
      takerFeeQuote: 9_975_000n,
      gasQuote: 1_800_000n,
      profitQuote: 200n * USD - 50n * USD - 9_975_000n - 1_800_000n,
    });
    // Half of it as maker at the best ask, at a rebate of 1 bp, and the better half of the bids as taker.
    expect(decided.expected.makerFirstProfitQuote).toBe(200n * USD - 5n * USD + 1n * USD - 1_800_000n);
  });

  it.each([1n, -1n])("is at the bound the least one, whatever share of the rest gas may have (%s)", (sign) => {
    const who = victim([btc(), sign * COIN]);
    for (const gasShareBps of [0, 2_500, 10_000]) {
      const decided = plan(who, input([btc()], { rules: { gasShareBps, minProfitCredit: 20n * USD } }));
      const spare = whole - 20n * USD;
      const gas = 1_800_000n + (spare * BigInt(gasShareBps)) / 10_000n;
      expect(decided.worstProfitQuote).toBe(20n * USD);
      expect(decided.maxCostWei).toBe((gas * COIN) / GAS.creditPerEth);
      // Both signs: what is paid at most for a long, received at least for a short.
      expect(decided.expected.credit - decided.expectCredit).toBe(spare - (gas - 1_800_000n));
    }
  });

  it.each([1n, -1n])("of a fill that a competitor capped is its share of least profit and gas, less the gas (%s)", (sign) => {
    const levels = [200_000, 199_900, 199_500].map((ticks, i) => ({ ticks: sign > 0n ? ticks : 400_000 - ticks, lots: 200 + 300 * i }));
    const market = btc(sign > 0n ? { bids: levels } : { asks: levels });
    const from = input([market], { rules: { minProfitCredit: 20n * USD, unwindReserveBps: 3 } });
    const { requestPaper, expectCredit, maxCostWei } = plan(victim([market, sign * COIN]), from);
    const gas = (maxCostWei * GAS.creditPerEth) / COIN;
    const book = new BookDisposal(market, 0n, sign, from.rules);
    for (const lots of [1n, 7n, 200n, 450n, 999n, 1000n]) {
      const paper = sign * lots * market.instrument.paperPerLot;
      // The most that is paid, or the least that is received, at a price that passes.
      const credit = (expectCredit * paper + (sign < 0n ? requestPaper + 1n : 0n)) / requestPaper;
      const profit = credit + (book.of(paper)?.worstCredit ?? 0n) - gas;
      const share = ((20n * USD + gas) * paper) / requestPaper;
      expect(profit).toBeGreaterThanOrEqual(share - gas - 3n);
      if (lots === 1000n) expect(profit).toBeLessThanOrEqual(20n * USD + 1n);
    }
  });

  it("that falls short is not acted on, and says by how much and what kept it down", () => {
    const at = (minProfitCredit: bigint) => planTakeover(target, input([btc()], { rules: { minProfitCredit } }));
    expect(at(whole)).toMatchObject({ kind: "takeover", expectCredit: -19_800n * USD });
    expect(at(whole + 1n)).toMatchObject({
      kind: "unprofitable",
      shortOfQuote: 1n,
      worstProfitQuote: whole,
      boundBy: "position",
      requestPaper: COIN,
    });
    const bound = planTakeover(target, input([btc({ limits: { maxPositionLots: 5 } })], { rules: { minProfitCredit: USD } }));
    expect(bound).toMatchObject({ kind: "unprofitable", boundBy: "max-position", shortOfQuote: 1_850_000n });
  });

  it("is never reckoned with a book that pays less than the liquidation costs", () => {
    const below = flatBook(BTC, 19_700);
    expect(planTakeover(target, input([btc(below)]))).toMatchObject({ kind: "unprofitable", boundBy: "depth", requestPaper: COIN / 1000n });
    expect(planTakeover(target, input([btc({ bids: [] })]))).toMatchObject({ kind: "refused", reason: "no-book" });
  });

  it("is reckoned with the unwind as much worse as the reserve says, in what is decided by and not in what is expected", () => {
    const rules = { unwindReserveBps: 50 };
    const decided = plan(target, input([btc()], { rules }));
    expect(decided.expected.profitQuote).toBe(whole);
    expect(decided.expectCredit).toBeGreaterThan(plan(target, input([btc()])).expectCredit);
    expect(planTakeover(target, input([btc()], { rules: { unwindReserveBps: 100 } }))).toMatchObject({ kind: "unprofitable" });
  });

  it("of paper that only reduces the own position has no fee and no slippage, at the worse of mark and touch", () => {
    const own = account(100_000, [btc(), -COIN]);
    const decided = plan(
      target,
      input([btc({ bids: [{ ticks: 190_000, lots: 1 }] })], { own, rules: { minProfitCredit: -(2_000n * USD) } }),
    );
    expect(decided).toMatchObject({ unwindLots: 0, expected: { takerFeeQuote: 0n, slippageQuote: 1_000n * USD } });
    const fair = plan(target, input([btc()], { own }));
    expect(fair.expected).toMatchObject({ takerFeeQuote: 0n, slippageQuote: 0n, profitQuote: 200n * USD - 1_800_000n });
    expect(fair.marginUseQuote).toBeLessThan(0n);
  });

  it("comes after what earlier takeovers still have to sell", () => {
    const bids = [
      { ticks: 200_000, lots: 600 },
      { ticks: 199_500, lots: 1_000 },
    ];
    expect(plan(target, input([btc({ bids, underwayLots: 600 })])).expected.slippageQuote).toBe(50n * USD);
    expect(plan(target, input([btc({ bids, underwayLots: -600 })])).expected.slippageQuote).toBe(20n * USD);
  });

  it("cannot be told without a price of ether", () => {
    expect(() => planTakeover(target, { ...input([btc()]), gas: { ...GAS, creditPerEth: 0n } })).toThrow(FormatError);
  });
});

describe("which position", () => {
  it("is the one that earns most; one that the own account holds the other side of costs no unwind", () => {
    const who = victim([btc(), COIN], [eth(), -10n * COIN]);
    expect(plan(who, input([btc(), eth()])).marketId).toBe("btcusdc");
    const own = account(100_000, [eth(), 10n * COIN]);
    // As large in value and free of fee.
    const even = victim([btc(), COIN], [eth(), -10n * COIN]);
    expect(plan(even, input([btc(), eth()], { own })).marketId).toBe("ethusdc");
  });

  it("is none of an account that is safe, empty, ours, or in markets that cannot be unwound in", () => {
    const kinds = (who: Victim, what: PlanInput) => planTakeover(who, what);
    expect(kinds({ ...victim(), margin: account(100_000, [btc(), COIN]) }, input([btc()]))).toMatchObject({
      kind: "refused",
      reason: "safe",
    });
    expect(kinds(victim(), input([btc()]))).toMatchObject({ kind: "refused", reason: "no-position" });
    expect(kinds({ ...victim([btc(), COIN]), account: OWN }, input([btc()]))).toMatchObject({ kind: "refused", reason: "own-account" });
    expect(kinds(victim([btc(), COIN]), input([eth()]))).toMatchObject({ kind: "refused", reason: "unlisted-market", perp: BTC_PERP });
  });
});

describe("several victims", () => {
  const victims = (count: number, paper = COIN): Victim[] =>
    Array.from({ length: count }, (_, i) => ({ ...victim([btc(), paper]), account: name(i) }));

  it("share the own margin: the plans hold together, and the last gets what is left", () => {
    const own = account(1_000);
    const together = allocateTakeovers(victims(5), input([btc()], { own }));
    expect(together.plans.map(({ boundBy }) => boundBy)).toEqual(["position", "margin"]);
    expect(together.others).toHaveLength(3);
    for (const other of together.others) expect(other).toMatchObject({ kind: "refused", reason: "margin" });
    const last = together.plans[together.plans.length - 1] as TakeoverPlan;
    const needed = (last.ownAfter.maintenanceMarginCredit * 15_000n) / 10_000n;
    expect(last.ownAfter.netValueCredit - last.reservedQuote).toBeGreaterThanOrEqual(needed);
    expect(last.ownAfter.papers.get(BTC_PERP)).toBe(together.plans.reduce((sum, { requestPaper }) => sum + requestPaper, 0n));
  });

  it("share the book: what one sells the next cannot", () => {
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

  it("get no more plans than are wanted, the best for their margin first", () => {
    const cheap = { ...victim([eth(), 10n * COIN]), account: name(20) };
    const rich = eth({ liquidationPriceOff: 2n * PERCENT });
    const { plans, others } = allocateTakeovers([...victims(2), cheap], input([btc(), rich]), 1);
    expect(plans.map(({ marketId }) => marketId)).toEqual(["ethusdc"]);
    expect(others).toEqual([]);
  });

  it("are planned for with one in flight as if it had happened", () => {
    const before = input([btc()]);
    const first = plan(victim([btc(), COIN]), before);
    const after = withTakeover(before, first);
    expect(after.own.margin.papers).toEqual(first.ownAfter.papers);
    expect(after.own.margin.netValueCredit).toBe(first.ownAfter.netValueCredit - first.reservedQuote);
    expect(after.markets.get(BTC_PERP)?.underwayLots).toBe(1000);
  });
});
