import type { Lots } from "../../core/units.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import { liquidatorAfterTakeover } from "../../perpetual/liquidation.js";
import { type LimitsInput, OwnLimits } from "./own-limits.js";
import type { TakeoverMarket } from "./plan-input.js";
import type { TakeoverBound } from "./takeover-plan.js";

/** How much of a market the own account could take over, and what keeps it from more. */
export interface TakeoverCapacity {
  /** Without sign. */
  readonly lots: Lots;
  /** Undefined where nothing of the account's own bounds it. */
  readonly boundBy: TakeoverBound | "too-many-positions" | undefined;
}

/** More than any book holds. */
const MOST_LOTS = 2 ** 40;

/**
 * The most that margin, its buffer and the limits leave room for, reckoned at the mark: neither the discount that a takeover brings nor what
 * its sale and its gas cost is in it.
 * @param sign of the paper: 1n takes longs over, -1n shorts.
 */
export function takeoverCapacity(
  input: LimitsInput,
  market: TakeoverMarket,
  sign: 1n | -1n,
): TakeoverCapacity {
  const { own } = input;
  if (!own.margin.papers.has(market.perp) && own.margin.papers.size >= own.maxPositionAmount)
    return { lots: 0, boundBy: "too-many-positions" };
  const limits = new OwnLimits(input, market, sign);
  const brokenAt = (lots: Lots): TakeoverBound | undefined => {
    const paper = sign * market.instrument.paperOf(lots);
    return limits.findBreached(
      liquidatorAfterTakeover(own.margin, market, {
        paper,
        credit: -mulFixed(paper, market.markPrice),
        insuranceFee: 0n,
      }),
      0n,
    );
  };
  let [fits, breaks] = [0, 1];
  while (brokenAt(breaks) === undefined) {
    fits = breaks;
    breaks *= 2;
    if (breaks > MOST_LOTS) return { lots: MOST_LOTS, boundBy: undefined };
  }
  while (breaks - fits > 1) {
    const middle = Math.floor((fits + breaks) / 2);
    if (brokenAt(middle) === undefined) fits = middle;
    else breaks = middle;
  }
  return { lots: fits, boundBy: brokenAt(breaks) };
}
