import type { Lots, Side, Ticks } from "../../core/units.js";
import type { BookOrder } from "./book-order.js";

/**
 * One side of the participants' book: price levels sorted with the best at the end, where changes
 * are cheap.
 */
export class PriceLadder {
  readonly #levels: PriceLevel[] = [];
  readonly #byTicks = new Map<Ticks, PriceLevel>();
  /** +1 when a higher price is better. */
  readonly #better: 1 | -1;

  constructor(readonly side: Side) {
    this.#better = side === "BUY" ? 1 : -1;
  }

  /** The level with the best price, or undefined if the side is empty. */
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

  /** Removes an order and its open lots from the book. */
  remove(order: BookOrder): void {
    const level = this.#levelOf(order);
    if (level === undefined) {
      return;
    }
    level.unlink(order);
    if (level.head === null) {
      this.#byTicks.delete(level.ticks);
      this.#levels.splice(this.#placeOf(level.ticks), 1);
    }
  }

  /** Subtracts `lots` from a resting order; an order with nothing left is removed from the book. */
  reduce(order: BookOrder, lots: Lots): void {
    const level = this.#levelOf(order);
    if (level !== undefined) {
      level.lots -= lots;
    }
    order.openLots -= lots;
    if (order.openLots === 0) {
      this.remove(order);
    }
  }

  /**
   * Visits levels best first until `visit` returns false. The book must not be changed during the
   * visit.
   */
  forEachLevel(visit: (level: PriceLevel) => boolean): void {
    for (let place = this.#levels.length - 1; place >= 0; place -= 1) {
      if (!visit(this.#levels[place] as PriceLevel)) {
        return;
      }
    }
  }

  /** The level of an order; undefined if it is not in the book. */
  #levelOf(order: BookOrder): PriceLevel | undefined {
    return order.isResting ? this.#byTicks.get(order.ticks) : undefined;
  }

  /**
   * The index from the bottom of the first price that is not worse: the level's place, existing or
   * new.
   */
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

/** The orders that rest at one price, oldest first. */
class PriceLevel {
  /** Sum of the open lots of its orders. */
  lots: Lots = 0;
  head: BookOrder | null = null;
  #tail: BookOrder | null = null;

  constructor(readonly ticks: Ticks) {}

  /** Adds an order at the end of the queue. */
  append(order: BookOrder): void {
    order.isResting = true;
    order.previous = this.#tail;
    order.next = null;
    if (this.#tail === null) {
      this.head = order;
    } else {
      this.#tail.next = order;
    }
    this.#tail = order;
    this.lots += order.openLots;
  }

  /** Removes an order from any position in the queue. */
  unlink(order: BookOrder): void {
    if (order.previous === null) {
      this.head = order.next;
    } else {
      order.previous.next = order.next;
    }
    if (order.next === null) {
      this.#tail = order.previous;
    } else {
      order.next.previous = order.previous;
    }
    this.lots -= order.openLots;
    order.isResting = false;
    order.previous = null;
    order.next = null;
  }
}
