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

/** A position whose holder becomes unsafe at some mark. */
export interface ValuedPosition {
  /** Signed: long is positive. */
  readonly paper: PaperUnits;
  /** Value at the mark, with the sign of the paper. */
  readonly value: CreditUnits;
  /** In fixed point. */
  readonly maintenanceRatio: bigint;
  /** PaperUnits of one whole base unit. */
  readonly paperUnit: PaperUnits;
}

/**
 * The mark at which the account becomes unsafe, all else equal, in credit units per whole base
 * unit. 0 means never, already unsafe, or no position
 * (docs/reference/protocol.md#liquidation-price, rounded as `Dealer.getLiquidationPrice`). A long
 * is safe at it and unsafe a unit below, a short safe up to a unit above.
 */
export function liquidationPrice(
  account: Pick<AccountMargin, "netValueCredit" | "maintenanceMarginCredit">,
  { paper, value, maintenanceRatio, paperUnit }: ValuedPosition,
): CreditUnits {
  if (paper === 0n) return 0n;
  const maintenance = maintenanceMargin(value, maintenanceRatio);
  // The position's own credit stays in net value once its value is subtracted.
  const missing = account.maintenanceMarginCredit - maintenance - (account.netValueCredit - value);
  const keep = paper > 0n ? ONE - maintenanceRatio : ONE + maintenanceRatio;
  return atLeastZero((((missing * paperUnit) / paper) * ONE) / keep);
}

/** The liquidation price of an account on chain. */
export function liquidationPriceOnChain(account: MarginAccount, market: MarginMarket): CreditUnits {
  const paper = account.papers.get(market.perp) ?? 0n;
  const { value } = computePositionMargin(market, paper);
  const { maintenanceMarginRatio: maintenanceRatio } = market;
  return liquidationPrice(account, { paper, value, maintenanceRatio, paperUnit: ONE });
}

/**
 * The result of a liquidation, with the contracts' names (docs/reference/protocol.md#liquidations).
 */
export interface TakeoverTerms {
  /** `liqtorPaperChange`: the request, capped to the position. */
  readonly paper: PaperUnits;
  /** `liqtorCreditChange`: negative if a long is acquired, positive if a short is. */
  readonly credit: CreditUnits;
  /** Paid by the liquidated account in addition. */
  readonly insuranceFee: CreditUnits;
}

/**
 * The price for a liquidator, in credit units per 1e18 paper: the mark less the discount for a
 * long, plus it for a short.
 */
export function takeoverPrice(
  { markPrice, liquidationPriceOff }: Pick<MarginMarket, "markPrice" | "liquidationPriceOff">,
  position: PaperUnits,
): bigint {
  const discount = mulFixed(markPrice, liquidationPriceOff);
  return position > 0n ? markPrice - discount : markPrice + discount;
}

/**
 * The terms that a liquidation request gets.
 * @param request of the sign of `position`, as the contract demands
 */
export function computeTakeoverTerms(
  market: MarginMarket,
  position: PaperUnits,
  request: PaperUnits,
): TakeoverTerms {
  const paper = absolute(request) > absolute(position) ? position : request;
  const credit = -mulFixed(paper, takeoverPrice(market, position));
  return { paper, credit, insuranceFee: mulFixed(absolute(credit), market.insuranceFeeRate) };
}

/** The liquidator's account after the liquidation. */
export function liquidatorAfterTakeover(
  own: MarginAccount,
  market: MarginMarket,
  { paper, credit }: TakeoverTerms,
): MarginAccount {
  return applyBalanceChange(own, market, paper, credit);
}

/**
 * The liquidated account afterwards. Undefined if it lost its last position and still owed credit,
 * so that everything went to the insurance account.
 */
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
 * The smallest size, without sign, that makes the liquidated account safe again if only this market
 * is liquidated. Undefined if none does: the fee uses up the effect of the discount, or the size
 * exceeds the position. From the closed form of docs/reference/protocol.md#size-that-cures,
 * accurate to 1e-8 coins.
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
