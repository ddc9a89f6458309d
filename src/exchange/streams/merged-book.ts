import { type Lots, outerTick, type Side, type Ticks } from "../../core/units.js";

/** The sides of a book, or of a change of it, as flat pairs of ticks and lots. */
export interface FlatSides {
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}

/** By the tick that they count at, and there by the price that they stand at: what is left of orders that were placed on a finer grid lies between ticks. */
type MergedSide = Map<Ticks, Map<number, Lots>>;

/**
 * The book of a market whose ticks were made coarser while orders rested between those of now. A level between two ticks counts at the outer
 * one, where an order of this grid would meet it, together with what stands there. Since a change tells of each price by itself, all of them are
 * kept, from a snapshot on.
 */
export class MergedBook {
  readonly #bids: MergedSide = new Map();
  readonly #asks: MergedSide = new Map();

  /** Takes what was told, a snapshot first. @returns the same in whole ticks, 0 lots where nothing is left at one. */
  take({ bids, asks }: FlatSides): {
    readonly bids: number[];
    readonly asks: number[];
    readonly isRounded: true;
  } {
    return {
      bids: merged(this.#bids, "BUY", bids),
      asks: merged(this.#asks, "SELL", asks),
      isRounded: true,
    };
  }
}

/** Whether a price lies between two ticks. */
export function isBetweenTicks({ bids, asks }: FlatSides): boolean {
  const isBetween = (value: number, at: number): boolean =>
    at % 2 === 0 && !Number.isInteger(value);
  return bids.some(isBetween) || asks.some(isBetween);
}

function merged(known: MergedSide, side: Side, told: readonly number[]): number[] {
  const changed = new Set<Ticks>();
  for (let at = 0; at + 1 < told.length; at += 2) {
    const [price, lots] = [told[at] as number, told[at + 1] as number];
    const ticks = outerTick(side, price);
    // No order of this grid meets a bid below its first tick.
    if (ticks === 0) continue;
    changed.add(ticks);
    const parts = known.get(ticks) ?? new Map<number, Lots>();
    if (lots === 0) parts.delete(price);
    else parts.set(price, lots);
    if (parts.size === 0) known.delete(ticks);
    else known.set(ticks, parts);
  }
  return [...changed].flatMap((ticks) => [ticks, lotsOf(known.get(ticks))]);
}

function lotsOf(parts: ReadonlyMap<number, Lots> | undefined): Lots {
  let sum = 0;
  for (const lots of parts?.values() ?? []) sum += lots;
  return sum;
}
