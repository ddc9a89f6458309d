import type { Ms } from "../core/units.js";
import type { VenueEvent } from "../exchange/venue.js";
import type { ReadableBook } from "./book/readable-book.js";

/** A whole book, or a change of it, as the venue tells it. */
export type BookEvent = Extract<VenueEvent, { type: "book-snapshot" | "book-update" }>;

/**
 * What came of a book event: `applied`; `ignored` (an update while no snapshot has come); or
 * `resubscribe`: the book is no longer to be trusted and the caller must take the subscription
 * again. `resubscribe` is said once for each loss.
 */
export type BookSyncResult = "applied" | "ignored" | "resubscribe";

/**
 * The book that a desk trusts, or knows not to: `SyncedBook` of a live stream, or one that a replay
 * changes in place. Times are of the caller's clock that never steps back.
 */
export interface LiveOrderBook extends ReadableBook {
  /**
   * Whether our own resting orders are among its levels: in the exchange's own book they are, in a
   * recording they are not.
   */
  readonly holdsOwnOrders: boolean;
  readonly isSynchronised: boolean;
  /** Why it is not synchronised; undefined while it is. */
  readonly reason: string | undefined;
  /** Sequence of the last thing applied. */
  readonly sequence: number;
  /** Updates that did not begin where the one before ended. */
  readonly gapCount: number;
  /** When the last event that was applied came, or when a quiet market was confirmed. */
  readonly lastReceivedMs: Ms;
  /** Takes an event of the stream in. */
  apply(event: BookEvent, nowMs: Ms): BookSyncResult;
  /** The book is not to be trusted any more, for this reason. */
  invalidate(reason: string): void;
  /** True when it is not synchronised, or when nothing was received for more than `maxAgeMs`. */
  isStale(nowMs: Ms, maxAgeMs: Ms): boolean;
  /** The exchange's own sequence, asked over REST, against ours. */
  confirmSequence(
    exchangeSequence: number,
    nowMs: Ms,
  ): "current" | "behind" | "ahead" | "unsynchronised";
  /**
   * Every level of both sides as flat pairs (ticks, lots, ...), best first: to be compared with
   * another book.
   */
  entries(): { readonly bids: number[]; readonly asks: number[] };
}
