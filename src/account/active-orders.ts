import { outerTick } from "../core/units.js";
import type { OwnBookOrder, OwnRestingOrder } from "../market/book/own-order-overlay.js";
import { isFinalPhase, type OwnOrder } from "./order.js";

/**
 * The orders of one market that are not final, oldest first. Every decision and every check on the way out asks for them, several times
 * between two changes: so the lists are made when they are first asked for, and stand until the next change.
 */
export class ActiveOrders {
  #all: readonly OwnOrder[] = [];
  #mayStillFill: readonly OwnOrder[] | undefined;
  #resting: readonly OwnRestingOrder[] | undefined;
  #inBook: readonly OwnBookOrder[] | undefined;

  /** Takes an order as it is now, in place of what it was before, if it was known; one that has become final leaves. */
  put(order: OwnOrder, before: OwnOrder | undefined): void {
    const at = before === undefined ? -1 : this.#all.indexOf(before);
    if (isFinalPhase(order.phase)) {
      if (at < 0) return;
      this.#all = this.#all.toSpliced(at, 1);
    } else this.#all = at < 0 ? [...this.#all, order] : this.#all.with(at, order);
    this.#mayStillFill = undefined;
    this.#resting = undefined;
    this.#inBook = undefined;
  }

  /** Those whose cancel was answered included. */
  all(): readonly OwnOrder[] {
    return this.#all;
  }

  /** Those that may still fill, intended, sent and unknown ones included. */
  mayStillFill(): readonly OwnOrder[] {
    this.#mayStillFill ??= ofWhich(this.#all, (order) => order.mayFillLots > 0);
    return this.#mayStillFill;
  }

  /** Those that rest, or may rest, on the exchange's book. */
  resting(): readonly OwnRestingOrder[] {
    this.#resting ??= restingOf(this.mayStillFill());
    return this.#resting;
  }

  /** Those that the exchange's book may show, from their sending on. */
  inBook(): readonly OwnBookOrder[] {
    this.#inBook ??= ofWhich(this.mayStillFill(), mayRest).map(bookOrderOf);
    return this.#inBook;
  }
}

/** Own orders as they rest, or may rest, on the exchange's book: one that was placed on a finer grid, at the tick that its price counts at there. */
export function restingOf(orders: readonly OwnOrder[]): readonly OwnRestingOrder[] {
  return ofWhich(orders, isResting).map(({ side, ticks, availableLots }) => ({
    side,
    ticks: outerTick(side, ticks),
    lots: availableLots,
  }));
}

function isResting({ phase }: OwnOrder): boolean {
  return phase === "open" || phase === "partly-filled" || phase === "cancelling";
}

/** Whether the exchange may have it and let it rest (protocol, section 5). */
function mayRest({ place, timeInForce }: OwnOrder): boolean {
  return place !== "intended" && timeInForce !== "IOC" && timeInForce !== "FOK";
}

function bookOrderOf({ side, ticks, place, phase, availableLots }: OwnOrder): OwnBookOrder {
  const dueLots = phase === "cancelling" ? 0 : availableLots;
  return {
    side,
    ticks: outerTick(side, ticks),
    lots: place === "seen" ? availableLots : 0,
    dueLots,
  };
}

/** Those of which something is true: the list itself where it is of all of them, as it mostly is. */
function ofWhich(
  orders: readonly OwnOrder[],
  isOne: (order: OwnOrder) => boolean,
): readonly OwnOrder[] {
  return orders.every(isOne) ? orders : orders.filter(isOne);
}
