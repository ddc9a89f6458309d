import type { Ms } from "../core/units.js";
import type { VenueEvent } from "../exchange/venue.js";
import type { ReadableBook } from "./book/readable-book.js";

/** A snapshot or an update of the book, as the venue sends it. */
export type BookEvent = Extract<VenueEvent, { type: "book-snapshot" | "book-update" }>;

/**
 * The result of a book event. `applied`; `ignored` (an update before a snapshot); or `resubscribe`:
 * the book is no longer trusted and the caller must renew the subscription. Each loss gives
 * `resubscribe` once.
 */
export type BookSyncResult = "applied" | "ignored" | "resubscribe";

/**
 * The live book of one market, which may be invalid: a `SyncedBook` of a live stream, or one that a
 * replay changes in place. Times are of the caller's clock that never steps back.
 */
export interface LiveOrderBook extends ReadableBook {
  /**
   * True if our own resting orders are among its levels. The exchange's own book includes them, a
   * recording does not.
   */
  readonly holdsOwnOrders: boolean;
  readonly isSynchronised: boolean;
  /** Reason why it is not synchronised; undefined while it is. */
  readonly reason: string | undefined;
  /** Sequence of the last applied event. */
  readonly sequence: number;
  /** Number of updates that did not begin at the end of the previous one. */
  readonly gapCount: number;
  /** Time at which the last applied event arrived, or at which a quiet market was confirmed. */
  readonly lastReceivedMs: Ms;
  /** Applies an event of the stream. */
  apply(event: BookEvent, nowMs: Ms): BookSyncResult;
  /** Marks the book as no longer trusted, for this reason. */
  invalidate(reason: string): void;
  /** Returns true if it is not synchronised, or if the last event is older than `maxAgeMs`. */
  isStale(nowMs: Ms, maxAgeMs: Ms): boolean;
  /** Compares our sequence with the exchange's own from REST. */
  confirmSequence(
    exchangeSequence: number,
    nowMs: Ms,
  ): "current" | "behind" | "ahead" | "unsynchronised";
  /**
   * Every level of both sides as flat pairs (ticks, lots, ...), best first, for comparison with
   * another book.
   */
  entries(): { readonly bids: number[]; readonly asks: number[] };
}
