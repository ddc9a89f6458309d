import type { CreditUnits } from "../../core/units.js";
import { absolute, ceilDivide, mulFixed, ONE } from "./fixed-point.js";
import type { MarginAccount, MarginMarket, Paper } from "./margin-account.js";
import { isSafe, marginAfter } from "./margin-rules.js";

/** What a liquidation does, in the words of the contracts (protocol 7.7). */
export interface TakeoverTerms {
  /** `liqtorPaperChange`: the request, capped to the position. */
  readonly paper: Paper;
  /** `liqtorCreditChange`: negative when a long is taken, positive when a short is. */
  readonly credit: CreditUnits;
  /** The victim pays it on top. */
  readonly insuranceFee: CreditUnits;
}

/** The price that a liquidator gets, credit units per 1e18 paper: the mark less the discount for a long, more for a short. */
export function takeoverPrice(
  { markPrice, liquidationPriceOff }: MarginMarket,
  position: Paper,
): bigint {
  const discount = mulFixed(markPrice, liquidationPriceOff);
  return position > 0n ? markPrice - discount : markPrice + discount;
}

/** What a request gets. @param request of the sign of `position`, as the contract demands. */
export function takeoverTerms(
  market: MarginMarket,
  position: Paper,
  request: Paper,
): TakeoverTerms {
  const paper = absolute(request) > absolute(position) ? position : request;
  const credit = -mulFixed(paper, takeoverPrice(market, position));
  return { paper, credit, insuranceFee: mulFixed(absolute(credit), market.insuranceFeeRate) };
}

/** The liquidator's account afterwards. */
export function liquidatorAfter(
  own: MarginAccount,
  market: MarginMarket,
  { paper, credit }: TakeoverTerms,
): MarginAccount {
  return marginAfter(own, market, paper, credit);
}

/** The victim's account afterwards; undefined when it lost its last position and still owed, so that all went to the insurance account. */
export function victimAfter(
  victim: MarginAccount,
  market: MarginMarket,
  terms: TakeoverTerms,
): MarginAccount | undefined {
  const after = marginAfter(victim, market, -terms.paper, -terms.credit - terms.insuranceFee);
  return after.papers.size === 0 && !isSafe(after) ? undefined : after;
}

/**
 * The smallest size, without sign, that makes the victim safe again when this one market is touched; undefined when none does (the
 * fee eats what the discount leaves, or it takes more than the position). From the closed form of protocol 7.7, good to 1e-8 coins.
 */
export function cureSize(victim: MarginAccount, market: MarginMarket): Paper | undefined {
  const position = victim.papers.get(market.perp) ?? 0n;
  const missing = victim.maintenanceMarginCredit - victim.netValueCredit;
  if (missing <= 0n) return 0n;
  const { liquidationPriceOff: off, maintenanceMarginRatio, insuranceFeeRate } = market;
  const paid = mulFixed(position > 0n ? ONE - off : ONE + off, insuranceFeeRate);
  const gained = market.markPrice * (maintenanceMarginRatio - off - paid);
  if (gained <= 0n) return undefined;
  const size = ceilDivide(missing * ONE * ONE, gained);
  return size > absolute(position) ? undefined : size;
}
