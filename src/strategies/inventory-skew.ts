import type { Instrument } from "../core/instrument.js";
import type { QuotingBounds } from "./shape-quotes.js";

/** Multipliers of the size of each side; the two always sum to 2. */
export interface SizeMultipliers {
  /** Factor of the bid's size. */
  readonly bid: number;
  /** Factor of the ask's size. */
  readonly ask: number;
}

/**
 * Size skew, piecewise linear in the position. The bid's multiplier falls from 2 at
 * `target - range` over 1 at the target to 0 at `target + range`; the ask's is 2 minus it (the
 * inventory skew of Hummingbot's pure market making). A range of 0 or less gives 0 on both sides:
 * no quotes.
 * @example
 * ```ts
 * import { sizeMultipliers } from "marketwright";
 *
 * sizeMultipliers(0, 0, 100); // => { bid: 1, ask: 1 }
 * sizeMultipliers(50, 0, 100); // => { bid: 0.5, ask: 1.5 }
 * ```
 */
export function sizeMultipliers(position: number, target: number, range: number): SizeMultipliers {
  if (!(range > 0)) return { bid: 0, ask: 0 };
  const bid = 1 - inventoryFraction(position, target, range);
  return { bid, ask: 2 - bid };
}

/**
 * The inventory as a fraction of the range: from -1 (short by the whole range) over 0 (at the
 * target) to 1. 0 for an empty range.
 * @example
 * ```ts
 * import { inventoryFraction } from "marketwright";
 *
 * inventoryFraction(50, 0, 100); // => 0.5
 * inventoryFraction(-300, 0, 100); // => -1
 * ```
 */
export function inventoryFraction(position: number, target: number, range: number): number {
  return range > 0 ? Math.max(-1, Math.min(1, (position - target) / range)) : 0;
}

/** A full inventory in lots: `inventoryRangeBase`, or the market's limit, or else ten orders. */
export function inventoryRangeLots(
  params: { readonly inventoryRangeBase?: number | undefined; readonly sizeBase: number },
  instrument: Instrument,
  { maxPositionLots }: Pick<QuotingBounds, "maxPositionLots">,
): number {
  if (params.inventoryRangeBase !== undefined)
    return params.inventoryRangeBase / instrument.lotBase;
  return Number.isFinite(maxPositionLots)
    ? maxPositionLots
    : (10 * params.sizeBase) / instrument.lotBase;
}
