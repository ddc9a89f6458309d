import type { Ms } from "../../core/units.js";
import type { ReadableBook, ReadableSide } from "../../market/book/readable-book.js";
import type { BookSyncResult, LiveOrderBook } from "../../market/live-order-book.js";

/** A book that a replay changes in place, as a desk reads it. */
export class ReplayedOrderBook implements LiveOrderBook {
  readonly bids: ReadableSide;
  readonly asks: ReadableSide;
  readonly gapCount = 0;
  readonly holdsOwnOrders = false;
  sequence = 0;
  lastReceivedMs = Number.NEGATIVE_INFINITY;
  #reason: string | undefined = "no snapshot yet";
  readonly #isGap: () => boolean;

  /** @param isGap whether the recording lacks the present instant: its silence then says nothing of the market. */
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

  /** A message was applied. `reason`: why the book is not to be trusted after it; undefined when it is. */
  onMessageApplied(nowMs: Ms, reason: string | undefined): void {
    this.sequence += 1;
    this.lastReceivedMs = nowMs;
    this.#reason = reason;
  }

  /** Nothing comes by events here. */
  apply(): BookSyncResult {
    return "ignored";
  }

  invalidate(reason: string): void {
    this.#reason = reason;
  }

  isStale(nowMs: Ms, maxAgeMs: Ms): boolean {
    return !this.isSynchronised || nowMs - this.lastReceivedMs > maxAgeMs;
  }

  /** A recording that is silent is of a quiet market, unless its store says that it lacks this time: then the book is out of date, and comes down. */
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
