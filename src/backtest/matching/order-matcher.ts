import { RunError } from "../../core/errors.js";
import type { ExchangeTouch, Matcher, MatchListener, ReplayOrder } from "./matcher.js";
import { OpenOrders } from "./open-orders.js";

/** What is the same whatever history is made of: how an order comes in, what its time in force makes of it, and when it ends. */
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
      // An order whose time is over at an instant still meets what history has at that instant.
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

  cancel(id: number, atUs: number): boolean {
    this.#requirePlayed(atUs);
    return this.own.cancel(id, atUs);
  }

  /** Stamp of the next piece of history; Infinity when there is none. */
  protected abstract get nextHistoryUs(): number;

  /** Plays history on, until its end or until the listener was told of something. @returns the stamp of the last piece played. */
  protected abstract play(untilUs: number, inclusive: boolean): number;

  /** Whether any of an order that arrives now would be taken from what there is. */
  protected abstract wouldTake(order: ReplayOrder): boolean;

  /** Fills an order that would take by what there is for it; of a FOK order all or nothing. */
  protected abstract take(order: ReplayOrder, atUs: number): void;

  /** Puts what is left of an order that arrived at an instant into the book. */
  protected abstract rest(order: ReplayOrder, arrivedUs: number): void;

  #requirePlayed(atUs: number): void {
    if (this.nextHistoryUs > atUs) return;
    throw new RunError("history is not yet played to where an order arrives", {
      field: "atUs",
      value: atUs,
      expected: `a time before the next of history, at ${this.nextHistoryUs}`,
    });
  }
}
