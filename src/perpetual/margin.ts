import { absolute, atLeastZero, ceilDivide, larger, smaller } from "../core/bigints.js";
import type { CreditUnits, Side } from "../core/units.js";
import { mulFixed } from "./fixed-point.js";

/** The margin of an account over all its positions (docs/reference/protocol.md#margin). */
export interface AccountMargin {
  readonly netValueCredit: CreditUnits;
  readonly exposureCredit: CreditUnits;
  readonly initialMarginCredit: CreditUnits;
  readonly maintenanceMarginCredit: CreditUnits;
}

/** The margin by which the exchange accepts an account's orders. */
export interface OrderMargin extends AccountMargin {
  /** Initial margin that open orders add if all of the worse side fill. */
  readonly frozenMarginCredit: CreditUnits;
}

/**
 * One market's part of an account's margin: its position at the mark, and its open orders at their
 * own prices.
 */
export interface MarginPosition {
  /** Signed: a short's is negative. */
  readonly value: CreditUnits;
  /** The credit that belongs to the position; negative if it was bought. */
  readonly credit: CreditUnits;
  readonly openBuyCredit: CreditUnits;
  readonly openSellCredit: CreditUnits;
  /** Maintenance margin as a share of the notional, in fixed point. */
  readonly maintenanceRatio: bigint;
  /** Maximum notional per unit of margin. */
  readonly maxLeverage: bigint;
}

/** The notional that an account may still buy and sell in a market, and its binding limit. */
export interface Capacity {
  readonly buy: CreditUnits;
  readonly sell: CreditUnits;
  /** True if the market's exposure cap binds, and not margin. */
  readonly boundByExposure: boolean;
}

/**
 * Returns true if net value covers maintenance margin, as the dealer contract checks
 * (docs/reference/protocol.md#margin).
 */
export function isSafe({
  netValueCredit,
  maintenanceMarginCredit,
}: Pick<AccountMargin, "netValueCredit" | "maintenanceMarginCredit">): boolean {
  return netValueCredit >= maintenanceMarginCredit;
}

/**
 * The maintenance margin of a position of that value, truncated as the contracts do
 * (docs/reference/protocol.md#margin).
 */
export function maintenanceMargin(value: CreditUnits, ratio: bigint): CreditUnits {
  return mulFixed(absolute(value), ratio);
}

/**
 * The account's margin.
 * @param credit all of its credit that belongs to no position
 */
export function computeAccountMargin(
  credit: CreditUnits,
  positions: readonly MarginPosition[],
): OrderMargin {
  let exposureCredit = 0n;
  let initialMarginCredit = 0n;
  let worstMargin = 0n;
  for (const position of positions) {
    const notional = absolute(position.value);
    exposureCredit += notional;
    initialMarginCredit += initialMargin(position, notional);
    worstMargin += initialMargin(position, worstNotional(position));
  }
  return {
    ...computeAccountSafety(credit, positions),
    exposureCredit,
    initialMarginCredit,
    frozenMarginCredit: worstMargin - initialMarginCredit,
  };
}

/** The part of {@link computeAccountMargin} that {@link isSafe} needs. */
export function computeAccountSafety(
  credit: CreditUnits,
  positions: readonly MarginPosition[],
): Pick<AccountMargin, "netValueCredit" | "maintenanceMarginCredit"> {
  let netValueCredit = credit;
  let maintenanceMarginCredit = 0n;
  for (const position of positions) {
    netValueCredit += position.value + position.credit;
    maintenanceMarginCredit += maintenanceMargin(position.value, position.maintenanceRatio);
  }
  return { netValueCredit, maintenanceMarginCredit };
}

/**
 * The notional that may still be bought and sold in one market: as much as the margin that the
 * other markets leave free allows, or the remainder of the market's exposure cap.
 * @param credit all of the account's credit that belongs to no position
 * @param positions those of the account; may include `own`
 * @param maxExposure absent for a market without a cap
 */
export function computeOrderCapacity(
  credit: CreditUnits,
  positions: readonly MarginPosition[],
  own: MarginPosition,
  maxExposure?: CreditUnits,
): Capacity {
  let free = credit + own.value + own.credit;
  for (const other of positions) {
    if (other !== own)
      free += other.value + other.credit - initialMargin(other, worstNotional(other));
  }
  const byMargin = atLeastZero(free) * own.maxLeverage;
  const largest = maxExposure === undefined ? byMargin : smaller(byMargin, maxExposure);
  return {
    buy: atLeastZero(largest - own.value - own.openBuyCredit),
    sell: atLeastZero(largest + own.value - own.openSellCredit),
    boundByExposure: largest < byMargin,
  };
}

/**
 * Returns true if the orders of one side only reduce a position when all of them fill.
 * @param held signed; in lots or in units of paper, like `ordered`
 * @param ordered size of the checked order and all others of its side, above zero
 */
export function isOnlyReducingSize<Amount extends number | bigint>(
  held: Amount,
  side: Side,
  ordered: Amount,
): boolean {
  return side === "BUY" ? ordered <= -held : ordered <= held;
}

/**
 * The exchange rounds up. The contracts, which check withdrawals by it, use a ratio instead
 * (`weightOf`).
 */
function initialMargin({ maxLeverage }: MarginPosition, notional: CreditUnits): CreditUnits {
  return ceilDivide(notional, maxLeverage);
}

/** The largest notional that the market can reach if the open orders of either side all fill. */
function worstNotional({ value, openBuyCredit, openSellCredit }: MarginPosition): CreditUnits {
  return larger(absolute(value + openBuyCredit), absolute(value - openSellCredit));
}
