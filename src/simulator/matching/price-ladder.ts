import type { Lots, Side, Ticks } from "../../core/units.js";
import type { BookOrder } from "./book-order.js";
import { PriceLevel } from "./price-level.js";

/** One side of the participants' book: price levels sorted with the best at the end, where changes are cheap. */
export class PriceLadder {
  readonly #levels: PriceLevel[] = [];
  readonly #byTicks = new Map<Ticks, PriceLevel>();
  /** +1 when a higher price is better. */
  readonly #better: 1 | -1;

  constructor(readonly side: Side) {
    this.#better = side === "BUY" ? 1 : -1;
  }

  /** The level with the best price, or undefined when nobody rests on this side. */
  best(): PriceLevel | undefined {
    return this.#levels.at(-1);
  }

  levelAt(ticks: Ticks): PriceLevel | undefined {
    return this.#byTicks.get(ticks);
  }

  /** Open lots of participants at a price. */
  lotsAt(ticks: Ticks): Lots {
    return this.#byTicks.get(ticks)?.lots ?? 0;
  }

  add(order: BookOrder): void {
    let level = this.#byTicks.get(order.ticks);
    if (level === undefined) {
      level = new PriceLevel(order.ticks);
      this.#byTicks.set(order.ticks, level);
      this.#levels.splice(this.#placeOf(order.ticks), 0, level);
    }
    level.append(order);
  }

  /** Takes an order out of the book with what is open of it. */
  remove(order: BookOrder): void {
    const level = order.level;
    if (level === null) {
      return;
    }
    level.unlink(order);
    if (level.head === null) {
      this.#byTicks.delete(level.ticks);
      this.#levels.splice(this.#placeOf(level.ticks), 1);
    }
  }

  /** Takes `lots` off a resting order; one with nothing left leaves the book. */
  reduce(order: BookOrder, lots: Lots): void {
    if (order.level !== null) {
      order.level.lots -= lots;
    }
    order.openLots -= lots;
    if (order.openLots === 0) {
      this.remove(order);
    }
  }

  /** Visits levels best first until `visit` returns false. The book must not be changed meanwhile. */
  forEachLevel(visit: (level: PriceLevel) => boolean): void {
    for (let place = this.#levels.length - 1; place >= 0; place -= 1) {
      if (!visit(this.#levels[place] as PriceLevel)) {
        return;
      }
    }
  }

  /** The first place from the bottom whose price is not worse: where a level of this price is, or belongs. */
  #placeOf(ticks: Ticks): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (((this.#levels[middle] as PriceLevel).ticks - ticks) * this.#better < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
