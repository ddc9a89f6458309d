import type { MarketId, Ms } from "../core/units.js";
import type { BookSide } from "./book/book-side.js";
import { OrderBook } from "./book/order-book.js";
import type { BookEvent, BookSyncResult, LiveOrderBook } from "./live-order-book.js";

/**
 * One market's book, kept in step with the exchange's by the sequence rule: the first update begins at the snapshot's
 * sequence plus one, each later one at its predecessor's end plus one (public stream documentation, "order book").
 * It fails closed: whenever it cannot be sure it is empty and says why.
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

  /** @param holdsOwnOrders false of a market that knows nothing of our orders: they are filled on paper. */
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

  /** Why the book is not synchronised; undefined while it is. */
  get reason(): string | undefined {
    return this.#isSynchronised ? undefined : this.#reason;
  }

  /** Sequence of the last thing applied; NaN before the first snapshot. Kept, though worthless, after a loss. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Updates that did not begin where the one before ended. */
  get gapCount(): number {
    return this.#gaps;
  }

  /** When the last event that was applied came, or when a quiet market was confirmed; on the caller's clock. */
  get lastReceivedMs(): Ms {
    return this.#lastReceivedMs;
  }

  /** Takes one event in. `nowMs`: a clock that never steps back. Events of other markets are ignored. */
  apply(event: BookEvent, nowMs: Ms): BookSyncResult {
    if (event.marketId !== this.marketId) return "ignored";
    return event.type === "book-snapshot"
      ? this.#replace(event, nowMs)
      : this.#update(event, nowMs);
  }

  /** The subscription is gone, or the caller has another reason for mistrust: the book is emptied until the next snapshot. */
  invalidate(reason: string): void {
    this.#isSynchronised = false;
    this.#reason = reason;
    this.#book.clear();
  }

  /** True when the book is not synchronised, or when nothing was received for more than `maxAgeMs`. */
  isStale(nowMs: Ms, maxAgeMs: Ms): boolean {
    return !this.#isSynchronised || nowMs - this.#lastReceivedMs > maxAgeMs;
  }

  /**
   * The exchange's own sequence, asked over REST: tells a quiet market from a stream that has stalled while its pings go on.
   * `current`: nothing is missing, and the book counts as received now. `behind`: an update is under way, or lost: when it
   * has not come after a round trip, the stream is stalled. `ahead`: the answer is older than the stream; when a second one, asked at
   * this same sequence, still is, the stream has told what the exchange does not know. `unsynchronised`: there is no book to compare.
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

  /** Every level of both sides as flat pairs (ticks, lots, ...), best first: to be compared with the exchange's own book. */
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
    // Only a whole update may be judged: between two levels of one message a book may look crossed.
    if (this.#book.crossed) {
      this.invalidate(
        `crossed book at sequence ${sequence}: bid ${this.bids.bestTicks} >= ask ${this.asks.bestTicks} ticks`,
      );
      return "resubscribe";
    }
    return "applied";
  }
}
