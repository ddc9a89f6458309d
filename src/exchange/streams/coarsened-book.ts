import { roundAwayFromTouch, type Side, type Ticks } from "../../core/units.js";
import { OrderBook } from "../../market/book/order-book.js";

/** The sides of a book or of an update, as flat pairs of ticks and lots. */
interface FlatSides {
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}

/**
 * The book of a market whose tick was made coarser while orders rested on the finer grid. A level
 * between two ticks counts at the tick further from the touch, where an order of the new grid would
 * meet it, together with the orders at that tick. An update gives each price separately, so every
 * level is kept from a snapshot on.
 */
export class CoarsenedBook {
  /** By the price on the finer grid, in fractions of a tick. */
  readonly #finer = new OrderBook();
  /** The same in whole ticks. */
  readonly #whole = new OrderBook();

  /**
   * Applies a snapshot or an update, a snapshot first.
   * @returns the same in whole ticks, with 0 lots for a level that is empty now.
   */
  apply({ bids, asks }: FlatSides): {
    readonly bids: number[];
    readonly asks: number[];
    readonly isRounded: true;
  } {
    return {
      bids: this.#coarsenSide("BUY", bids),
      asks: this.#coarsenSide("SELL", asks),
      isRounded: true,
    };
  }

  #coarsenSide(side: Side, levels: readonly number[]): number[] {
    const [finer, whole] = [this.#finer.side(side), this.#whole.side(side)];
    const changed = new Set<Ticks>();
    for (let at = 0; at + 1 < levels.length; at += 2) {
      const [price, lots] = [levels[at] as number, levels[at + 1] as number];
      const ticks = roundAwayFromTouch(side, price);
      // No order of this grid meets a bid below its first tick.
      if (ticks === 0) continue;
      changed.add(ticks);
      whole.set(ticks, whole.lotsAt(ticks) + lots - finer.lotsAt(price));
      finer.set(price, lots);
    }
    return [...changed].flatMap((ticks) => [ticks, whole.lotsAt(ticks)]);
  }
}

/** Returns true if a price lies between two ticks. */
export function hasPriceBetweenTicks({ bids, asks }: FlatSides): boolean {
  const isBetween = (value: number, at: number): boolean =>
    at % 2 === 0 && !Number.isInteger(value);
  return bids.some(isBetween) || asks.some(isBetween);
}
