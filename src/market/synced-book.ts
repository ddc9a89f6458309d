import type { MarketId, Ms } from "../core/units.js";
import type { BookSide } from "./book/book-side.js";
import { OrderBook } from "./book/order-book.js";
import type { BookEvent, BookSyncResult, LiveOrderBook } from "./live-order-book.js";

/**
 * One market's book, synchronised with the exchange's by the sequence rule. The first update begins
 * at the snapshot's sequence plus one, each later one at its predecessor's end plus one (public
 * stream documentation, "order book"). It fails closed: if its state is uncertain, it is empty and
 * gives the reason.
 */
export class SyncedBook implements LiveOrderBook {
  readonly marketId: MarketId;
  readonly holdsOwnOrders: boolean;
  readonly #book = new OrderBook();
  #isSynchronised = false;
  #reason = "no snapshot yet";
  #sequence = Number.NaN;
  #gaps = 0;
  #lastReceivedMs = Number.NEGATIVE_INFINITY;

  /** @param holdsOwnOrders false for a market without our orders: paper trading fills them */
  constructor(marketId: MarketId, holdsOwnOrders = true) {
    this.marketId = marketId;
    this.holdsOwnOrders = holdsOwnOrders;
  }

  get bids(): BookSide {
    return this.#book.bids;
  }

  get asks(): BookSide {
    return this.#book.asks;
  }

  get isSynchronised(): boolean {
    return this.#isSynchronised;
  }

  /** Reason why the book is not synchronised; undefined while it is. */
  get reason(): string | undefined {
    return this.#isSynchronised ? undefined : this.#reason;
  }

  /**
   * Sequence of the last applied event; NaN before the first snapshot. Kept after a loss, when it
   * is meaningless.
   */
  get sequence(): number {
    return this.#sequence;
  }

  /** Number of updates that did not begin at the end of the previous one. */
  get gapCount(): number {
    return this.#gaps;
  }

  /**
   * Time at which the last applied event arrived, or at which a quiet market was confirmed, on the
   * caller's clock.
   */
  get lastReceivedMs(): Ms {
    return this.#lastReceivedMs;
  }

  /**
   * Applies one event. Events of other markets are ignored.
   * @param nowMs of a clock that never steps back
   */
  apply(event: BookEvent, nowMs: Ms): BookSyncResult {
    if (event.marketId !== this.marketId) return "ignored";
    return event.type === "book-snapshot"
      ? this.#replace(event, nowMs)
      : this.#update(event, nowMs);
  }

  /**
   * Invalidates the book until the next snapshot: the subscription has ended, or the caller has
   * another reason.
   */
  invalidate(reason: string): void {
    this.#isSynchronised = false;
    this.#reason = reason;
    this.#book.clear();
  }

  /**
   * Returns true if the book is not synchronised, or if the last event is older than `maxAgeMs`.
   */
  isStale(nowMs: Ms, maxAgeMs: Ms): boolean {
    return !this.#isSynchronised || nowMs - this.#lastReceivedMs > maxAgeMs;
  }

  /**
   * Compares our sequence with the exchange's own from REST. This distinguishes a quiet market from
   * a stream that is stalled while its pings continue.
   * - `current`: nothing is missing, and the book counts as received now.
   * - `behind`: an update is in transit or lost. If it has not arrived after a round trip, the
   *   stream is stalled.
   * - `ahead`: the response is older than the stream. If a second query at the same sequence is
   *   still older, the stream has sent updates that the exchange does not have.
   * - `unsynchronised`: there is no book to compare.
   */
  confirmSequence(
    exchangeSequence: number,
    nowMs: Ms,
  ): "current" | "behind" | "ahead" | "unsynchronised" {
    if (!this.#isSynchronised) return "unsynchronised";
    if (exchangeSequence > this.#sequence) return "behind";
    if (exchangeSequence < this.#sequence) return "ahead";
    this.#lastReceivedMs = nowMs;
    return "current";
  }

  /**
   * Every level of both sides as flat pairs (ticks, lots, ...), best first, for comparison with the
   * exchange's own book.
   */
  entries(): { readonly bids: number[]; readonly asks: number[] } {
    return this.#book.entries();
  }

  #replace(event: Extract<BookEvent, { type: "book-snapshot" }>, nowMs: Ms): BookSyncResult {
    this.#book.clear();
    this.#book.bids.setPairs(event.bids);
    this.#book.asks.setPairs(event.asks);
    this.#isSynchronised = true;
    return this.#settle(event.sequence, nowMs);
  }

  #update(event: Extract<BookEvent, { type: "book-update" }>, nowMs: Ms): BookSyncResult {
    if (!this.#isSynchronised) return "ignored";
    if (event.beginSequence !== this.#sequence + 1 || event.endSequence < event.beginSequence) {
      this.#gaps++;
      this.invalidate(
        `sequence gap: expected an update from ${this.#sequence + 1}, got ${event.beginSequence} to ${event.endSequence}`,
      );
      return "resubscribe";
    }
    this.#book.bids.setPairs(event.bids);
    this.#book.asks.setPairs(event.asks);
    return this.#settle(event.endSequence, nowMs);
  }

  #settle(sequence: number, nowMs: Ms): BookSyncResult {
    this.#sequence = sequence;
    this.#lastReceivedMs = nowMs;
    // Only a whole update may be checked: between two levels of one message a book may look
    // crossed.
    if (this.#book.crossed) {
      this.invalidate(
        `crossed book at sequence ${sequence}: bid ${this.bids.bestTicks} >= ask ${this.asks.bestTicks} ticks`,
      );
      return "resubscribe";
    }
    return "applied";
  }
}
