import type { Level } from "../protocol/market-data.js";
import type { MarketEvent } from "./stream-events.js";

/**
 * A book maintained from a market's stream: exact levels, sorted on request.
 * @example
 * ```ts
 * import { toDecimal, LocalBook } from "marketwright/exchange";
 *
 * const book = new LocalBook();
 * book.apply({
 *   type: "book-snapshot",
 *   marketId: "btcusdc",
 *   sequence: 1,
 *   bids: [[toDecimal("29999.9"), toDecimal("0.5")]],
 *   asks: [[toDecimal("30000.1"), toDecimal("0.2")]],
 * });
 * String(book.bids(1)[0]?.[0]); // => "29999.9"
 * book.sequence; // => 1
 * // After a disconnection the book is unknown.
 * book.apply({ type: "down", reason: "the connection was lost" });
 * book.sequence; // => undefined
 * ```
 */
export class LocalBook {
  readonly #bids = new Map<string, Level>();
  readonly #asks = new Map<string, Level>();
  #sequence: number | undefined;

  /**
   * The sequence of the last change; undefined without a book: before the first snapshot, after a
   * gap, while the stream is down.
   */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  /** Applies an event of a stream with one market's book. Other events change nothing. */
  apply(event: MarketEvent): void {
    switch (event.type) {
      case "down":
      case "book-gap":
        this.#clear();
        break;
      case "book-snapshot":
        this.#clear();
        this.#sequence = event.sequence;
        put(this.#bids, event.bids);
        put(this.#asks, event.asks);
        break;
      case "book-update":
        if (this.#sequence === undefined) break;
        this.#sequence = event.endSequence;
        put(this.#bids, event.bids);
        put(this.#asks, event.asks);
        break;
      default:
    }
  }

  /** The best bids, highest first. */
  bids(depth = Number.POSITIVE_INFINITY): Level[] {
    return [...this.#bids.values()].sort(([one], [other]) => other.comparedTo(one)).slice(0, depth);
  }

  /** The best asks, lowest first. */
  asks(depth = Number.POSITIVE_INFINITY): Level[] {
    return [...this.#asks.values()].sort(([one], [other]) => one.comparedTo(other)).slice(0, depth);
  }

  #clear(): void {
    this.#sequence = undefined;
    this.#bids.clear();
    this.#asks.clear();
  }
}

function put(side: Map<string, Level>, levels: readonly Level[]): void {
  for (const level of levels) {
    const [price, amount] = level;
    // Keyed by the number's own text, so that 2000 and 2000.0 are one level.
    if (amount.isZero()) side.delete(String(price));
    else side.set(String(price), level);
  }
}
