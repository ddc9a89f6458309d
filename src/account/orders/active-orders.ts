import { memoise } from "../../core/memoise.js";
import { roundAwayFromTouch } from "../../core/units.js";
import type { OwnBookOrder, OwnRestingOrder } from "../../market/book/own-order-overlay.js";
import { isFinalPhase, type OwnOrder } from "./order.js";

/**
 * The orders of one market that are not final, oldest first. Each derived list is computed once
 * after a change, because every decision and every pre-trade check reads them.
 */
export class ActiveOrders {
  readonly #fillable = memoise((orders: readonly OwnOrder[]) =>
    orders.filter(({ mayFillLots }) => mayFillLots > 0),
  );
  readonly #resting = memoise(toRestingOrders);
  readonly #inBook = memoise((orders: readonly OwnOrder[]) =>
    orders.filter(mayRest).map(bookOrderOf),
  );
  #all: readonly OwnOrder[] = [];

  /** Stores the present state of an order in place of `before`. A final order is removed. */
  put(order: OwnOrder, before: OwnOrder | undefined): void {
    const at = before === undefined ? -1 : this.#all.indexOf(before);
    if (isFinalPhase(order.phase)) {
      if (at >= 0) this.#all = this.#all.toSpliced(at, 1);
    } else this.#all = at < 0 ? [...this.#all, order] : this.#all.with(at, order);
  }

  /** All active orders, including those whose cancel was answered. */
  all(): readonly OwnOrder[] {
    return this.#all;
  }

  /** Orders that may still fill, including intended, sent and unknown ones. */
  mayStillFill(): readonly OwnOrder[] {
    return this.#fillable(this.#all);
  }

  /** Orders that rest, or may rest, on the exchange's book. */
  resting(): readonly OwnRestingOrder[] {
    return this.#resting(this.mayStillFill());
  }

  /** Orders that the exchange's book may show, from the time they are sent. */
  inBook(): readonly OwnBookOrder[] {
    return this.#inBook(this.mayStillFill());
  }
}

/**
 * The resting form of own orders. An order that was placed on a finer grid rests at the tick at
 * which the exchange's book counts its price.
 */
export function toRestingOrders(orders: readonly OwnOrder[]): readonly OwnRestingOrder[] {
  return orders.filter(isResting).map(({ side, ticks, availableLots }) => ({
    side,
    ticks: roundAwayFromTouch(side, ticks),
    lots: availableLots,
  }));
}

function isResting({ phase }: OwnOrder): boolean {
  return phase === "open" || phase === "partly-filled" || phase === "cancelling";
}

/**
 * Returns true if the exchange may have the order and let it rest
 * (docs/reference/protocol.md#order-statuses).
 */
function mayRest({ place, timeInForce }: OwnOrder): boolean {
  return place !== "intended" && timeInForce !== "IOC" && timeInForce !== "FOK";
}

function bookOrderOf({ side, ticks, place, phase, availableLots }: OwnOrder): OwnBookOrder {
  const dueLots = phase === "cancelling" ? 0 : availableLots;
  return {
    side,
    ticks: roundAwayFromTouch(side, ticks),
    lots: place === "seen" ? availableLots : 0,
    dueLots,
  };
}
