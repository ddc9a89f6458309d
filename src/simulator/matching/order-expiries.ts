import type { Timer } from "../../core/runtime/runtime.js";
import type { Order } from "../accounts/account.js";
import type { ExchangeState } from "../engine/exchange-state.js";

/** The expiry timers of the resting GTT orders. */
export class OrderExpiries {
  readonly #state: ExchangeState;
  readonly #onExpired: (order: Order) => void;
  readonly #timers = new Map<Order, Timer>();

  /** @param onExpired called with an order that expires while it has an open part. */
  constructor(state: ExchangeState, onExpired: (order: Order) => void) {
    this.#state = state;
    this.#onExpired = onExpired;
  }

  /** Sets the expiry of every resting GTT order. Those that passed while stopped expire at once. */
  start(): void {
    for (const account of this.#state.accounts.values()) {
      for (const order of account.activeOrders.values()) {
        if (order.openLots > 0) {
          this.watch(order);
        }
      }
    }
  }

  /** Stops all expiries until the next start. */
  stop(): void {
    for (const timer of this.#timers.values()) {
      timer.cancel();
    }
    this.#timers.clear();
  }

  /** Sets the expiry of an order, if it has one. */
  watch(order: Order): void {
    const { timeInForce, expirationMs } = order.terms;
    if (timeInForce === "GTT") {
      const timer = this.#state.runtime.clock.setTimer(
        Math.max(0, expirationMs - this.#state.nowMs()),
        () => this.#expire(order),
      );
      this.#timers.set(order, timer);
    }
  }

  /** Cancels the expiry of an order that has ended otherwise. */
  forget(order: Order): void {
    this.#timers.get(order)?.cancel();
    this.#timers.delete(order);
  }

  #expire(order: Order): void {
    this.#timers.delete(order);
    if (order.openLots > 0) {
      this.#onExpired(order);
    }
  }
}
