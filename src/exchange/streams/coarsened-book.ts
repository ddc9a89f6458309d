import { roundAwayFromTouch, type Side, type Ticks } from "../../core/units.js";
import { OrderBook } from "../../market/book/order-book.js";

/** The sides of a book, or of a change of it, as flat pairs of ticks and lots. */
interface FlatSides {
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}

/**
 * The book of a market whose ticks were made coarser while orders rested between those of now. A
 * level between two ticks counts at the outer one, where an order of this grid would meet it,
 * together with what stands there. Since a change tells of each price by itself, all of them are
 * kept, from a snapshot on.
 */
export class CoarsenedBook {
  /** By the price that they stand at, on the finer grid: in fractions of a tick. */
  readonly #finer = new OrderBook();
  /** The same in whole ticks. */
  readonly #whole = new OrderBook();

  /**
   * Takes what was told, a snapshot first.
   * @returns the same in whole ticks, 0 lots where nothing is left at one.
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

  #coarsenSide(side: Side, told: readonly number[]): number[] {
    const [finer, whole] = [this.#finer.side(side), this.#whole.side(side)];
    const changed = new Set<Ticks>();
    for (let at = 0; at + 1 < told.length; at += 2) {
      const [price, lots] = [told[at] as number, told[at + 1] as number];
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

/** Whether a price lies between two ticks. */
export function hasPriceBetweenTicks({ bids, asks }: FlatSides): boolean {
  const isBetween = (value: number, at: number): boolean =>
    at % 2 === 0 && !Number.isInteger(value);
  return bids.some(isBetween) || asks.some(isBetween);
}
