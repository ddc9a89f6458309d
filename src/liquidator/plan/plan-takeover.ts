import type { Hex } from "../../core/units.js";
import { BPS, mulFixed } from "../../perpetual/fixed-point.js";
import { sizeToRestoreSafety, victimAfterTakeover } from "../../perpetual/liquidation.js";
import { isSafe } from "../../perpetual/margin.js";
import type { MarginAccount } from "../../perpetual/margin-account.js";
import { estimateGasCost, toWei } from "./gas-cost.js";
import type { PlanInput, TakeoverMarket, Victim } from "./plan-input.js";
import type {
  ExpectedTakeover,
  RefusalReason,
  Refused,
  TakeoverBound,
  TakeoverDecision,
} from "./takeover-plan.js";
import { type SizedTakeover, TakeoverSizer } from "./takeover-size.js";

const BOUND_WORDS: Readonly<Record<TakeoverBound, string>> = {
  position: "the position ends there",
  cure: "the account is safe from there on",
  depth: "the book is too thin",
  margin: "the own margin less its buffer has no room for a lot",
  "max-position": "maxPositionLots leaves no room for a lot",
  "market-notional": "the market's maxNotional leaves no room for a lot",
  "account-notional": "the account's maxNotional leaves no room for a lot",
  leverage: "maxLeverage leaves no room for a lot",
  "margin-use": "maxMarginUseFraction leaves no room for a lot",
  "liquidation-distance": "minLiquidationDistanceBps leaves no room for a lot",
};

/**
 * Plans the most profitable takeover of one account in danger: any of its positions, in any size.
 * If none is profitable, returns the nearest with its shortfall; if none is possible, the reason.
 * @throws FormatError when ether has no price.
 */
export function planTakeover(victim: Victim, input: PlanInput): TakeoverDecision {
  if (victim.margin.papers.size === 0)
    return refusal(victim, undefined, "no-position", "it holds no position");
  const decisions = [...victim.margin.papers.keys()].map((perp) =>
    planPosition(victim, perp, input),
  );
  return decisions.reduce((best, next) => (isBetter(next, best) ? next : best));
}

/**
 * Plans the takeover of one position of an account in danger. @throws FormatError when ether has no
 * price.
 */
export function planPosition(victim: Victim, perp: Hex, input: PlanInput): TakeoverDecision {
  const { account, blockNumber, margin } = victim;
  const refuse = (reason: RefusalReason, detail: string): Refused =>
    refusal(victim, perp, reason, detail);
  const { own, markets, gas, rules } = input;
  const paper = margin.papers.get(perp) ?? 0n;
  const market = markets.get(perp);
  if (account === own.account) return refuse("own-account", "an account cannot liquidate itself");
  if (isSafe(margin)) return refuse("safe", "its net value covers its maintenance margin");
  if (paper === 0n) return refuse("no-position", "it holds nothing in this market");
  if (market === undefined)
    return refuse("unlisted-market", "the market is not listed, or cannot be unwound in");
  if (!own.margin.papers.has(perp) && own.margin.papers.size >= own.maxPositionAmount)
    return refuse(
      "too-many-positions",
      `the own account holds positions in ${own.margin.papers.size} markets, as many as it may`,
    );

  const gasCost = estimateGasCost(gas);
  const enough = rules.takeUpTo === "cure" ? sizeToRestoreSafety(margin, market) : undefined;
  const sizer = new TakeoverSizer(market, paper, input, gasCost.credit, enough);
  const sized = sizer.search();
  if (sized === "less-than-a-lot")
    return refuse("less-than-a-lot", `its position of ${paper} paper is smaller than a lot`);
  if (sized === "no-book") return refuse("no-book", "the book has no orders to unwind against");
  if ("brokenAtOnce" in sized) {
    const unlimited = sizer.sizeWithoutLimits();
    const expected = expectationOf(market, unlimited, gasCost.credit);
    const missed = { requestPaper: unlimited.terms.paper, expected };
    return { ...refuse(sized.brokenAtOnce, BOUND_WORDS[sized.brokenAtOnce]), missed };
  }

  const { terms, unwindEstimate, ownAfter, lossCredit, boundBy } = sized;
  const expected = expectationOf(market, sized, gasCost.credit);
  const worstAtMark = terms.credit + unwindEstimate.worstCredit - gasCost.credit;
  const spare = worstAtMark - rules.minProfitCredit;
  const common = {
    victim: account,
    perp,
    marketId: market.marketId,
    blockNumber,
    requestPaper: terms.paper,
    expected,
    boundBy,
  };
  if (spare < 0n)
    return { kind: "unprofitable", ...common, worstProfitQuote: worstAtMark, shortOfQuote: -spare };

  const gasCeiling = gasCost.credit + (spare * BigInt(rules.gasShareBps)) / BPS;
  const expectCredit = rules.minProfitCredit + gasCeiling - unwindEstimate.worstCredit;
  const after = victimAfterTakeover(margin, market, terms);
  const [roomBefore, roomAfter] = [roomOf(own.margin), roomOf(ownAfter) - lossCredit];
  return {
    kind: "takeover",
    ...common,
    expectCredit,
    maxCostWei: toWei(gasCeiling, gas),
    worstProfitQuote: expectCredit + unwindEstimate.worstCredit - gasCeiling,
    unwindLots: unwindEstimate.unwindLots,
    unwindWay: unwindEstimate.way,
    marginUseQuote: roomBefore - roomAfter,
    reservedQuote: lossCredit,
    ownAfter,
    victimAfter: after,
    isCured: after === undefined || isSafe(after),
  };
}

function refusal(
  { account, blockNumber }: Victim,
  perp: Hex | undefined,
  reason: RefusalReason,
  detail: string,
): Refused {
  return { kind: "refused", victim: account, perp, blockNumber, reason, detail };
}

function expectationOf(
  market: TakeoverMarket,
  { terms, unwindEstimate }: Pick<SizedTakeover, "terms" | "unwindEstimate">,
  gasQuote: bigint,
): ExpectedTakeover {
  const { credit, insuranceFee, paper } = terms;
  const { nettedCredit, unwindCredit, takerFee, layOffCost, makerFirstCredit } = unwindEstimate;
  const atMark = mulFixed(paper, market.markPrice);
  return {
    credit,
    insuranceFee,
    discountQuote: atMark + credit,
    takerFeeQuote: takerFee,
    slippageQuote: atMark - nettedCredit - unwindCredit,
    layOffQuote: layOffCost,
    gasQuote,
    profitQuote: credit + nettedCredit + unwindCredit - takerFee - layOffCost - gasQuote,
    makerFirstProfitQuote: credit + makerFirstCredit - gasQuote,
  };
}

function roomOf({ netValueCredit, maintenanceMarginCredit }: MarginAccount): bigint {
  return netValueCredit - maintenanceMarginCredit;
}

const KIND_RANK = { takeover: 0, unprofitable: 1, refused: 2 } as const;

function isBetter(a: TakeoverDecision, b: TakeoverDecision): boolean {
  if (a.kind !== b.kind) return KIND_RANK[a.kind] < KIND_RANK[b.kind];
  if (a.kind === "takeover" && b.kind === "takeover")
    return a.expected.profitQuote > b.expected.profitQuote;
  return a.kind === "unprofitable" && b.kind === "unprofitable" && a.shortOfQuote < b.shortOfQuote;
}
