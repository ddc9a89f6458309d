import { expect } from "vitest";
import type {
  OwnAccount,
  PlanInput,
  PlanRules,
  TakeoverMarket,
  Victim,
} from "#liquidator/plan-input.js";
import { planTakeover } from "#liquidator/plan-takeover.js";
import type { TakeoverPlan } from "#liquidator/takeover-plan.js";
import { applyBalanceChange, type MarginAccount } from "#perpetual/margin-account.js";
import { BTC, ETH, flatBook, GAS, RULES, venueMarket } from "../danger.js";

export const USD = 10n ** 6n;
export const COIN = 10n ** 18n;
export const PERCENT = COIN / 100n;
export const [BTC_PERP, ETH_PERP, OWN] = ["b", "e", "0"].map(
  (digit) => `0x${digit.repeat(40)}`,
) as [string, string, string];
export const name = (n: number) => `0x${(n + 1).toString(16).padStart(40, "a")}`;

const ratios = {
  initialMarginRatio: 5n * PERCENT,
  maintenanceMarginRatio: 3n * PERCENT,
  liquidationPriceOff: PERCENT,
  insuranceFeeRate: PERCENT,
};
export const btc = (part: Partial<TakeoverMarket> = {}): TakeoverMarket => ({
  ...venueMarket(BTC, flatBook(BTC, 20_000)),
  perp: BTC_PERP,
  markPrice: 20_000n * USD,
  ...ratios,
  ...part,
});
export const eth = (part: Partial<TakeoverMarket> = {}): TakeoverMarket => ({
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
export function account(
  dollars: number,
  ...positions: readonly (readonly [TakeoverMarket, bigint])[]
): MarginAccount {
  const start = { ...EMPTY, netValueCredit: BigInt(Math.round(dollars * 1e6)) };
  return positions.reduce(
    (margin, [market, paper]) =>
      applyBalanceChange(margin, market, paper, -(paper * market.markPrice) / COIN),
    start,
  );
}

export const victim = (...positions: readonly (readonly [TakeoverMarket, bigint])[]): Victim => ({
  account: name(0),
  blockNumber: 7,
  margin: account(1, ...positions),
});

export function input(
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

export const plan = (who: Victim, what: PlanInput): TakeoverPlan => {
  const decision = planTakeover(who, what);
  expect(decision).toMatchObject({ kind: "takeover" });
  return decision as TakeoverPlan;
};
