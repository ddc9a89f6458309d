import type { Lots, Ms } from "../core/units.js";
import type { OwnRestingOrder } from "./net-book.js";
import type { ReadableBook } from "./readable-book.js";

/** How long the book's stream may be behind the news of our own orders: it gathers changes, and the two come on ways of their own. */
const BEHIND_MS: Ms = 300;

/** An own amount that is over, with what its level showed when that was heard. */
interface Left extends OwnRestingOrder {
  readonly shownLots: Lots;
  readonly untilMs: Ms;
}

/**
 * What was cancelled or filled of our own orders and the book still shows, since its next update has not come. Taken for somebody else's, it
 * moves the mid half way to where our quote was, and the quotes that follow move it further.
 */
export class LeftInBook {
  #own: readonly OwnRestingOrder[] = NONE;
  #left: readonly Left[] = NONE;

  /**
   * Takes our orders as they rest now. @param own the same list as long as nothing of it has changed. @param nowMs of a clock that never
   * steps back.
   */
  note(own: readonly OwnRestingOrder[], book: ReadableBook, nowMs: Ms): void {
    const before = this.#own;
    if (own === before && this.#left.length === 0) return;
    this.#own = own;
    const shown = ({ side, ticks }: OwnRestingOrder): Lots => (side === "BUY" ? book.bids : book.asks).lotsOf(ticks);
    const left = this.#left.filter((one) => nowMs < one.untilMs && shown(one) === one.shownLots);
    if (own !== before) {
      const seen: OwnRestingOrder[] = [];
      for (const order of before) {
        if (seen.some((other) => isBeside(order, other))) continue;
        seen.push(order);
        const had = lotsBeside(before, order);
        const lots = had - lotsBeside(own, order);
        const shownLots = shown(order);
        // A level with less than we had was told first.
        if (lots > 0 && shownLots >= had) left.push({ side: order.side, ticks: order.ticks, lots, shownLots, untilMs: nowMs + BEHIND_MS });
      }
    }
    this.#left = left.length === 0 ? NONE : left;
  }

  /** Own orders, and what the book may still show beside them. */
  with(own: readonly OwnRestingOrder[]): readonly OwnRestingOrder[] {
    return this.#left.length === 0 ? own : [...own, ...this.#left];
  }
}

const NONE: readonly never[] = [];

function isBeside(one: OwnRestingOrder, other: OwnRestingOrder): boolean {
  return one.ticks === other.ticks && one.side === other.side;
}

function lotsBeside(orders: readonly OwnRestingOrder[], order: OwnRestingOrder): Lots {
  return orders.reduce((sum, other) => (isBeside(order, other) ? sum + other.lots : sum), 0);
}
