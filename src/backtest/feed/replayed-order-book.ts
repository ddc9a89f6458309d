import type { Ms } from "../../core/units.js";
import type { ReadableBook, ReadableSide } from "../../market/book/readable-book.js";
import type { BookSyncResult, LiveOrderBook } from "../../market/live-order-book.js";

/** A book that a replay changes in place, as the bot's trader of a market reads it. */
export class ReplayedOrderBook implements LiveOrderBook {
  readonly bids: ReadableSide;
  readonly asks: ReadableSide;
  readonly gapCount = 0;
  readonly holdsOwnOrders = false;
  sequence = 0;
  lastReceivedMs = Number.NEGATIVE_INFINITY;
  #reason: string | undefined = "no snapshot yet";
  readonly #isGap: () => boolean;

  /**
   * @param isGap true while the recording lacks the present instant: its silence then says nothing
   * about the market.
   */
  constructor(book: ReadableBook, isGap: () => boolean) {
    this.bids = book.bids;
    this.asks = book.asks;
    this.#isGap = isGap;
  }

  get isSynchronised(): boolean {
    return this.#reason === undefined;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  /**
   * Called after a message was applied. `reason`: why the book is not to be trusted after it;
   * undefined when it is.
   */
  onMessageApplied(nowMs: Ms, reason: string | undefined): void {
    this.sequence += 1;
    this.lastReceivedMs = nowMs;
    this.#reason = reason;
  }

  /** This book receives no events. */
  apply(): BookSyncResult {
    return "ignored";
  }

  invalidate(reason: string): void {
    this.#reason = reason;
  }

  isStale(nowMs: Ms, maxAgeMs: Ms): boolean {
    return !this.isSynchronised || nowMs - this.lastReceivedMs > maxAgeMs;
  }

  /**
   * A silent recording means a quiet market, unless its store lacks this time. Then the book is out
   * of date and becomes unknown.
   */
  confirmSequence(_exchangeSequence: number, nowMs: Ms): "current" | "behind" | "unsynchronised" {
    if (!this.isSynchronised) return "unsynchronised";
    if (this.#isGap()) return "behind";
    this.lastReceivedMs = nowMs;
    return "current";
  }

  entries(): { readonly bids: number[]; readonly asks: number[] } {
    return { bids: this.bids.entries(), asks: this.asks.entries() };
  }
}
