import type { Ms } from "../../core/units.js";
import type { BookSyncResult } from "../../market/book-sync.js";
import { OrderBook } from "../../market/order-book.js";
import type { DeskBook, ReadableBook, ReadableSide } from "../../market/readable-book.js";

/** A book that a replay changes in place, as a desk reads it. */
export class ReplayedDeskBook implements DeskBook {
  readonly bids: ReadableSide;
  readonly asks: ReadableSide;
  readonly gaps = 0;
  readonly holdsOwnOrders = false;
  sequence = 0;
  lastReceivedMs = Number.NEGATIVE_INFINITY;
  #reason: string | undefined = "no snapshot yet";

  constructor(book: ReadableBook) {
    this.bids = book.bids;
    this.asks = book.asks;
  }

  get synchronised(): boolean {
    return this.#reason === undefined;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  /** A message was applied. `reason`: why the book is not to be trusted after it; undefined when it is. */
  changed(nowMs: Ms, reason: string | undefined): void {
    this.sequence += 1;
    this.lastReceivedMs = nowMs;
    this.#reason = reason;
  }

  /** Nothing comes by events here. */
  apply(): BookSyncResult {
    return "ignored";
  }

  lose(reason: string): void {
    this.#reason = reason;
  }

  stale(nowMs: Ms, maxAgeMs: Ms): boolean {
    return !this.synchronised || nowMs - this.lastReceivedMs > maxAgeMs;
  }

  /** A recording that is silent is of a quiet market: whether it broke off is told by its store, and before the run. */
  confirm(_exchangeSequence: number, nowMs: Ms): "current" | "unsynchronised" {
    if (!this.synchronised) return "unsynchronised";
    this.lastReceivedMs = nowMs;
    return "current";
  }

  entries(): { readonly bids: number[]; readonly asks: number[] } {
    return this.#copy().entries();
  }

  digest(): string {
    return this.#copy().digest();
  }

  #copy(): OrderBook {
    const copy = new OrderBook();
    for (const side of [this.bids, this.asks]) {
      side.walk((ticks, lots) => {
        copy.set(side.side, ticks, lots);
        return true;
      });
    }
    return copy;
  }
}
