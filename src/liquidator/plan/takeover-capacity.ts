import type { Lots } from "../../core/units.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import { liquidatorAfterTakeover } from "../../perpetual/liquidation.js";
import { type LimitsInput, OwnLimits } from "./own-limits.js";
import type { TakeoverMarket } from "./plan-input.js";
import type { TakeoverBound } from "./takeover-plan.js";

/** Size that the own account could take over in a market, and the limit that binds. */
export interface TakeoverCapacity {
  /** Unsigned. */
  readonly lots: Lots;
  /** The binding limit; undefined if no limit of the account binds. */
  readonly boundBy: TakeoverBound | "too-many-positions" | undefined;
}

/** Above any real book. */
const MOST_LOTS = 2 ** 40;

/**
 * Returns the largest size for which margin, its buffer and the limits leave room, valued at the
 * mark. It excludes the discount of the takeover, the cost of its sale, and gas.
 * @param sign the sign of the paper: 1n takes longs over, -1n shorts.
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
    const paper = sign * market.instrument.lotsToPaper(lots);
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
