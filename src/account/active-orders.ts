import type { Hex } from "../core/units.js";
import type { OwnRestingOrder } from "../market/net-book.js";
import { isFinalPhase, type OwnOrder } from "./order.js";

/**
 * The orders of one market that are not final, oldest first. Every decision and every check on the way out asks for them, several times
 * between two changes: so the lists are made when they are first asked for, and stand until the next change.
 */
export class ActiveOrders {
  readonly #orders = new Map<Hex, OwnOrder>();
  #all: readonly OwnOrder[] | undefined;
  #mayStillFill: readonly OwnOrder[] | undefined;
  #exposed: readonly OwnOrder[] | undefined;
  #resting: readonly OwnRestingOrder[] | undefined;

  /** Takes an order as it is now; one that has become final leaves. */
  put(order: OwnOrder): void {
    if (isFinalPhase(order.phase)) this.#orders.delete(order.hash);
    else this.#orders.set(order.hash, order);
    this.#all = undefined;
    this.#mayStillFill = undefined;
    this.#exposed = undefined;
    this.#resting = undefined;
  }

  /** Those whose cancel was taken included. */
  all(): readonly OwnOrder[] {
    this.#all ??= [...this.#orders.values()];
    return this.#all;
  }

  /** Those that may still fill, intended, sent and unknown ones included. */
  mayStillFill(): readonly OwnOrder[] {
    this.#mayStillFill ??= this.all().filter((order) => order.mayFillLots > 0);
    return this.#mayStillFill;
  }

  /** Those that weigh in the worst case: they may still fill, or have last matches that are not told. */
  exposed(): readonly OwnOrder[] {
    this.#exposed ??= this.all().filter((order) => order.mayFillLots + order.untoldLots > 0);
    return this.#exposed;
  }

  /** Those that rest, or may rest, on the exchange's book. */
  resting(): readonly OwnRestingOrder[] {
    this.#resting ??= restingOf(this.mayStillFill());
    return this.#resting;
  }
}

/** Own orders as they rest, or may rest, on the exchange's book. */
export function restingOf(orders: readonly OwnOrder[]): readonly OwnRestingOrder[] {
  const resting: OwnRestingOrder[] = [];
  for (const { phase, side, ticks, availableLots } of orders) {
    if (phase === "open" || phase === "partly-filled" || phase === "cancelling") resting.push({ side, ticks, lots: availableLots });
  }
  return resting;
}
