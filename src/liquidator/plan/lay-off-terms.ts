import { absolute, ceilDivide, larger } from "../../core/bigints.js";
import type { CreditUnits, Lots, SideLots } from "../../core/units.js";
import { ONE } from "../../perpetual/fixed-point.js";

/**
 * The terms on which a market's position can be laid off at its hedge venue. Rates are fractions of
 * the value, scaled by 1e18; lots are the market's.
 */
export interface LayOffTerms {
  /** From the mid of the venue's book to its touch. */
  readonly halfSpreadRate: bigint;
  /** From that mid to the worst price of a hedge: for what the touch does not take. */
  readonly slippageRate: bigint;
  /** Taker fee of the venue. */
  readonly takerFeeRate: bigint;
  /** Lots at the venue's touch that a hedge buys or sells. */
  readonly touchLots: SideLots;
  /** The smallest hedge. */
  readonly leastLots: Lots;
  /** The most that the venue's margin allows. */
  readonly mostLots: Lots;
  /** True if a position is laid off even where selling it here is cheaper. */
  readonly isAlways?: boolean;
}

/**
 * The cost of laying lots off, from the venue's mid: half a spread at its touch, the worst price of
 * a hedge beyond it, and the taker fee. Only the first leg is charged: the quotes that work the
 * position off pay for the second, as for each of their fills.
 * @param lots signed: a long position is laid off by selling
 * @param aheadLots of earlier takeovers, which the touch and the margin take first
 * @returns undefined if the venue cannot take as many
 */
export function layOffCost(
  { halfSpreadRate, slippageRate, takerFeeRate, touchLots, leastLots, mostLots }: LayOffTerms,
  lots: Lots,
  valueCredit: CreditUnits,
  aheadLots: Lots,
): CreditUnits | undefined {
  const size = Math.abs(lots);
  if (size < leastLots || size + aheadLots > mostLots) return undefined;
  const touch = Math.max(0, (lots > 0 ? touchLots.sell : touchLots.buy) - aheadLots);
  const near = BigInt(Math.min(size, touch));
  const far = BigInt(size) - near;
  const weighted =
    near * halfSpreadRate +
    far * larger(halfSpreadRate, slippageRate) +
    BigInt(size) * takerFeeRate;
  return ceilDivide(absolute(valueCredit) * weighted, BigInt(size) * ONE);
}
