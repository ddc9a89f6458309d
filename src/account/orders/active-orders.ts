import { memoise } from "../../core/memoise.js";
import { roundAwayFromTouch } from "../../core/units.js";
import type { OwnBookOrder, OwnRestingOrder } from "../../market/book/own-order-overlay.js";
import { isFinalPhase, type OwnOrder } from "./order.js";

/**
 * The orders of one market that are not final, oldest first. A change makes another list; each list
 * that follows from it is computed once, since every decision and every check before an action is
 * sent reads them.
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

  /** Takes an order as it is now, in place of what it was before, if it was known; one that has become final leaves. */
  put(order: OwnOrder, before: OwnOrder | undefined): void {
    const at = before === undefined ? -1 : this.#all.indexOf(before);
    if (isFinalPhase(order.phase)) {
      if (at >= 0) this.#all = this.#all.toSpliced(at, 1);
    } else this.#all = at < 0 ? [...this.#all, order] : this.#all.with(at, order);
  }

  /** Those whose cancel was answered included. */
  all(): readonly OwnOrder[] {
    return this.#all;
  }

  /** Those that may still fill, intended, sent and unknown ones included. */
  mayStillFill(): readonly OwnOrder[] {
    return this.#fillable(this.#all);
  }

  /** Those that rest, or may rest, on the exchange's book. */
  resting(): readonly OwnRestingOrder[] {
    return this.#resting(this.mayStillFill());
  }

  /** Those that the exchange's book may show, from their sending on. */
  inBook(): readonly OwnBookOrder[] {
    return this.#inBook(this.mayStillFill());
  }
}

/** Own orders as they rest, or may rest, on the exchange's book: one that was placed on a finer grid, at the tick that its price counts at there. */
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

/** Whether the exchange may have it and let it rest (docs/reference/protocol.md#order-statuses). */
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
