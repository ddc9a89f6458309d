import type { Lots, Ticks } from "../../core/units.js";
import type { BookOrder } from "./book-order.js";

/** The orders that rest at one price, oldest first. */
export class PriceLevel {
  /** Sum of the open lots of its orders. */
  lots: Lots = 0;
  head: BookOrder | null = null;
  #tail: BookOrder | null = null;

  constructor(readonly ticks: Ticks) {}

  /** Puts an order at the end of the queue. */
  append(order: BookOrder): void {
    order.level = this;
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

  /** Takes an order out of the queue, wherever it stands. */
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
    order.level = null;
    order.previous = null;
    order.next = null;
  }
}
