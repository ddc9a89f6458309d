import { RunError } from "../../core/errors.js";
import type { ExchangeTouch, Matcher, MatchListener, ReplayOrder } from "./matcher.js";
import { OpenOrders } from "./open-orders.js";

/**
 * The part of matching that is the same for every grade of history: arrival, time in force and end
 * of an order.
 */
export abstract class OrderMatcher implements Matcher {
  abstract readonly touch: ExchangeTouch;
  protected readonly own: OpenOrders;

  constructor(listener: MatchListener) {
    this.own = new OpenOrders(listener);
  }

  get nextUs(): number {
    return Math.min(this.nextHistoryUs, this.own.nextExpiryUs);
  }

  advance(untilUs: number, inclusive: boolean): number {
    const { own } = this;
    own.hasNotified = false;
    for (;;) {
      const expiryUs = own.nextExpiryUs;
      const expires =
        expiryUs < untilUs ||
        (inclusive && expiryUs === untilUs && expiryUs !== Number.POSITIVE_INFINITY);
      // An order that expires at an instant still meets the history of that instant.
      const stoppedUs = expires ? this.play(expiryUs, true) : this.play(untilUs, inclusive);
      if (own.hasNotified) return stoppedUs;
      if (!expires) return untilUs;
      own.expire(expiryUs);
      return expiryUs;
    }
  }

  place(order: ReplayOrder, atUs: number): void {
    this.#requirePlayed(atUs);
    const { own } = this;
    own.accept(order, atUs);
    if (order.expirationUs <= atUs) {
      own.end(order, "expired", atUs);
      return;
    }
    if (this.wouldTake(order)) {
      if (order.timeInForce === "POST_ONLY") {
        own.end(order, "would-take", atUs);
        return;
      }
      this.take(order, atUs);
      if (order.openLots === 0) return;
    }
    if (order.type === "MARKET" || order.timeInForce === "IOC" || order.timeInForce === "FOK")
      own.end(order, "expired", atUs);
    else this.rest(order, atUs);
  }

  resume(order: ReplayOrder, atUs: number): void {
    this.#requirePlayed(atUs);
    this.rest(order, Number.NEGATIVE_INFINITY);
  }

  cancel(id: number, atUs: number): boolean {
    this.#requirePlayed(atUs);
    return this.own.cancel(id, atUs);
  }

  /** Stamp of the next piece of history; Infinity when there is none. */
  protected abstract get nextHistoryUs(): number;

  /**
   * Advances history until its end or until the listener was called.
   * @returns the stamp of the last piece played.
   */
  protected abstract play(untilUs: number, inclusive: boolean): number;

  /** True if any part of an order that arrives now would take liquidity. */
  protected abstract wouldTake(order: ReplayOrder): boolean;

  /**
   * Fills a taking order from the available liquidity. A FOK order is filled completely or not at
   * all.
   */
  protected abstract take(order: ReplayOrder, atUs: number): void;

  /**
   * Puts the rest of an order that arrived at an instant into the book; -Infinity for one that is
   * known to have rested before.
   */
  protected abstract rest(order: ReplayOrder, arrivedUs: number): void;

  #requirePlayed(atUs: number): void {
    if (this.nextHistoryUs > atUs) return;
    throw new RunError("an order arrives later than the next event of the history", {
      field: "atUs",
      value: atUs,
      expected: `a time before ${this.nextHistoryUs} us`,
    });
  }
}
