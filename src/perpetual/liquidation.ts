import { absolute, atLeastZero, ceilDivide } from "../core/bigints.js";
import type { CreditUnits, PaperUnits } from "../core/units.js";
import { mulFixed, ONE } from "./fixed-point.js";
import { type AccountMargin, isSafe, maintenanceMargin } from "./margin.js";
import {
  applyBalanceChange,
  computePositionMargin,
  type MarginAccount,
  type MarginMarket,
} from "./margin-account.js";

/** A position, whose holder becomes unsafe at some mark. */
export interface ValuedPosition {
  /** Signed: long is positive. */
  readonly paper: PaperUnits;
  /** Its worth at the mark, signed as the paper is. */
  readonly value: CreditUnits;
  /** In fixed point. */
  readonly maintenanceRatio: bigint;
  /** PaperUnits of one whole base unit. */
  readonly paperUnit: PaperUnits;
}

/**
 * The mark at which the account becomes unsafe, all else equal, in credit units per whole base
 * unit; 0 for never, already or no position (docs/reference/protocol.md#liquidation-price, as
 * `Dealer.getLiquidationPrice` rounds it). A long is safe at it and unsafe a unit below, a short
 * safe up to a unit above.
 */
export function liquidationPrice(
  account: Pick<AccountMargin, "netValueCredit" | "maintenanceMarginCredit">,
  { paper, value, maintenanceRatio, paperUnit }: ValuedPosition,
): CreditUnits {
  if (paper === 0n) return 0n;
  const maintenance = maintenanceMargin(value, maintenanceRatio);
  // Its own credit stays in net value once its value is taken out.
  const missing = account.maintenanceMarginCredit - maintenance - (account.netValueCredit - value);
  const keep = paper > 0n ? ONE - maintenanceRatio : ONE + maintenanceRatio;
  return atLeastZero((((missing * paperUnit) / paper) * ONE) / keep);
}

/** The same of an account on chain. */
export function liquidationPriceOnChain(account: MarginAccount, market: MarginMarket): CreditUnits {
  const paper = account.papers.get(market.perp) ?? 0n;
  const { value } = computePositionMargin(market, paper);
  const { maintenanceMarginRatio: maintenanceRatio } = market;
  return liquidationPrice(account, { paper, value, maintenanceRatio, paperUnit: ONE });
}

/**
 * What a liquidation does, in the words of the contracts (docs/reference/protocol.md#liquidations).
 */
export interface TakeoverTerms {
  /** `liqtorPaperChange`: the request, capped to the position. */
  readonly paper: PaperUnits;
  /** `liqtorCreditChange`: negative when a long is taken, positive when a short is. */
  readonly credit: CreditUnits;
  /** The victim pays it on top. */
  readonly insuranceFee: CreditUnits;
}

/** The price that a liquidator gets, credit units per 1e18 paper: the mark less the discount for a long, more for a short. */
export function takeoverPrice(
  { markPrice, liquidationPriceOff }: Pick<MarginMarket, "markPrice" | "liquidationPriceOff">,
  position: PaperUnits,
): bigint {
  const discount = mulFixed(markPrice, liquidationPriceOff);
  return position > 0n ? markPrice - discount : markPrice + discount;
}

/** What a request gets. @param request of the sign of `position`, as the contract demands. */
export function computeTakeoverTerms(
  market: MarginMarket,
  position: PaperUnits,
  request: PaperUnits,
): TakeoverTerms {
  const paper = absolute(request) > absolute(position) ? position : request;
  const credit = -mulFixed(paper, takeoverPrice(market, position));
  return { paper, credit, insuranceFee: mulFixed(absolute(credit), market.insuranceFeeRate) };
}

/** The liquidator's account afterwards. */
export function liquidatorAfterTakeover(
  own: MarginAccount,
  market: MarginMarket,
  { paper, credit }: TakeoverTerms,
): MarginAccount {
  return applyBalanceChange(own, market, paper, credit);
}

/** The victim's account afterwards; undefined when it lost its last position and still owed, so that all went to the insurance account. */
export function victimAfterTakeover(
  victim: MarginAccount,
  market: MarginMarket,
  terms: TakeoverTerms,
): MarginAccount | undefined {
  const after = applyBalanceChange(
    victim,
    market,
    -terms.paper,
    -terms.credit - terms.insuranceFee,
  );
  return after.papers.size === 0 && !isSafe(after) ? undefined : after;
}

/**
 * The smallest size, without sign, that makes the victim safe again when this one market is
 * touched; undefined when none does (the fee eats what the discount leaves, or it takes more than
 * the position). From the closed form of docs/reference/protocol.md#size-that-cures, good to 1e-8
 * coins.
 */
export function sizeToRestoreSafety(
  victim: MarginAccount,
  market: MarginMarket,
): PaperUnits | undefined {
  const position = victim.papers.get(market.perp) ?? 0n;
  const missing = victim.maintenanceMarginCredit - victim.netValueCredit;
  if (missing <= 0n) return 0n;
  const { liquidationPriceOff, maintenanceMarginRatio, insuranceFeeRate } = market;
  const paid = mulFixed(
    takeoverPrice({ markPrice: ONE, liquidationPriceOff }, position),
    insuranceFeeRate,
  );
  const gained = market.markPrice * (maintenanceMarginRatio - liquidationPriceOff - paid);
  if (gained <= 0n) return undefined;
  const size = ceilDivide(missing * ONE * ONE, gained);
  return size > absolute(position) ? undefined : size;
}
