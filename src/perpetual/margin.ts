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

/** An account's margin as the exchange takes orders by it. */
export interface OrderMargin extends AccountMargin {
  /** Initial margin that open orders add when those of the worse side all fill. */
  readonly frozenMarginCredit: CreditUnits;
}

/** One market's part in the margin of an account: its position at the mark, and its open orders at their own prices. */
export interface MarginPosition {
  /** Signed: a short's is negative. */
  readonly value: CreditUnits;
  /** The credit that belongs to the position: negative where it was bought. */
  readonly credit: CreditUnits;
  readonly openBuyCredit: CreditUnits;
  readonly openSellCredit: CreditUnits;
  /** Maintenance margin as a share of the notional, in fixed point. */
  readonly maintenanceRatio: bigint;
  /** Notional that one unit of margin carries. */
  readonly maxLeverage: bigint;
}

/** How much more notional an account may buy and sell in a market, and what bounds it. */
export interface Capacity {
  readonly buy: CreditUnits;
  readonly sell: CreditUnits;
  /** True where the market's largest exposure is the bound, and not margin. */
  readonly boundByExposure: boolean;
}

/**
 * The dealer's judgement: net value covers maintenance margin (docs/reference/protocol.md#margin).
 */
export function isSafe({
  netValueCredit,
  maintenanceMarginCredit,
}: Pick<AccountMargin, "netValueCredit" | "maintenanceMarginCredit">): boolean {
  return netValueCredit >= maintenanceMarginCredit;
}

/**
 * The maintenance margin of a position of that value, cut off as the contracts do
 * (docs/reference/protocol.md#margin).
 */
export function maintenanceMargin(value: CreditUnits, ratio: bigint): CreditUnits {
  return mulFixed(absolute(value), ratio);
}

/** The account's margin. @param credit all of its credit that belongs to no position */
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

/** Of {@link computeAccountMargin} what {@link isSafe} depends on. */
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
 * The notional that may still be bought and sold in one market: that of the margin which the other markets leave free, or what is
 * left of its largest exposure.
 * @param credit all of the account's credit that belongs to no position
 * @param positions those of the account; `own` may be among them
 * @param maxExposure absent for a market without a bound
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
 * Tells whether orders of one side, when all of them fill, only bring a position towards zero.
 * @param held signed; in lots or in units of paper, as `ordered` is
 * @param ordered the size of the order in question with all others of its side, above zero
 */
export function isOnlyReducingSize<Amount extends number | bigint>(
  held: Amount,
  side: Side,
  ordered: Amount,
): boolean {
  return side === "BUY" ? ordered <= -held : ordered <= held;
}

/** The exchange rounds up. The contracts, which hold withdrawals to it, go by a ratio instead (`weightOf`). */
function initialMargin({ maxLeverage }: MarginPosition, notional: CreditUnits): CreditUnits {
  return ceilDivide(notional, maxLeverage);
}

/** The largest notional that the market can come to when the open orders of either side all fill. */
function worstNotional({ value, openBuyCredit, openSellCredit }: MarginPosition): CreditUnits {
  return larger(absolute(value + openBuyCredit), absolute(value - openSellCredit));
}
