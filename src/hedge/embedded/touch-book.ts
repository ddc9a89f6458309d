import type { Lots, Ticks } from "../../core/units.js";
import type { VenueEvent } from "../../exchange/venue.js";
import { OrderBook } from "../../market/book/order-book.js";

type BookEvent = Extract<VenueEvent, { readonly type: "book-snapshot" | "book-update" }>;

/** The best prices of a book and their amounts. */
interface BestPrices {
  readonly bidTicks: Ticks;
  readonly bidLots: Lots;
  readonly askTicks: Ticks;
  readonly askLots: Lots;
}

/**
 * The touch of one market, from the book's events. A gap in their sequence or a crossed book
 * empties it until the next snapshot.
 */
export class TouchBook {
  readonly #book = new OrderBook();
  #sequence = Number.NaN;

  /** Number of the last change; NaN while the book is not known. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Undefined while a side of the book is empty or the book is not known. */
  get touch(): BestPrices | undefined {
    const { bids, asks } = this.#book;
    if (bids.bestLots === 0 || asks.bestLots === 0) return undefined;
    return {
      bidTicks: bids.bestTicks,
      bidLots: bids.bestLots,
      askTicks: asks.bestTicks,
      askLots: asks.bestLots,
    };
  }

  /** Applies an event. Returns false if the book is lost and has to be subscribed to again. */
  apply(event: BookEvent): boolean {
    if (event.type === "book-snapshot") {
      this.#book.clear();
      this.#sequence = event.sequence;
    } else if (Number.isNaN(this.#sequence)) {
      return true;
    } else if (event.beginSequence !== this.#sequence + 1) {
      this.clear();
      return false;
    } else {
      this.#sequence = event.endSequence;
    }
    this.#book.bids.setPairs(event.bids);
    this.#book.asks.setPairs(event.asks);
    if (!this.#book.crossed) return true;
    this.clear();
    return false;
  }

  /** Forgets the book until the next snapshot. */
  clear(): void {
    this.#book.clear();
    this.#sequence = Number.NaN;
  }
}
