import type { Instrument } from "../core/instrument.js";
import type { QuotingBounds } from "./shape-quotes.js";

/**
 * Plain factors of the size of each side, from 0 to 2. They sum to 2, or are both 0 without a
 * range.
 */
export interface SizeMultipliers {
  /** Factor of the bid's size. */
  readonly bid: number;
  /** Factor of the ask's size. */
  readonly ask: number;
}

/**
 * Size skew, piecewise linear in the position: the bid's multiplier falls from 2 at `target - range` over 1 at the target to
 * 0 at `target + range`, the ask's is 2 minus it (the inventory skew of Hummingbot's pure market making). A range of 0 or
 * less gives 0 on both sides: no quotes.
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
 * The position as a share of its range: from -1 (short by the whole range) over 0 (at the target)
 * to 1; 0 for an empty range. The three arguments are in one unit of amount, such as lots.
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

/** What counts as a full inventory, in lots: `inventoryRangeBase`, else the market's limit; without one, ten orders stand for it. */
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
