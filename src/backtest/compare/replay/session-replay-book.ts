import type { Ms } from "../../../core/units.js";
import type { Tape } from "../../../history/columns/tape/tape.js";
import type { ReadableSide } from "../../../market/book/readable-book.js";
import type { BookEvent, BookSyncResult, LiveOrderBook } from "../../../market/live-order-book.js";
import { SyncedBook } from "../../../market/synced-book.js";
import { ReplayBook } from "../../book/replay-book.js";

/**
 * A replayed book that receives its messages when the session did. Its levels come from the store's
 * columns, as in a backtest. Its validity is judged by the sequence numbers that the session
 * received, as live.
 */
export class SessionReplayBook implements LiveOrderBook {
  readonly #replayed = new ReplayBook();
  readonly #sync: SyncedBook;
  #coming: { readonly tape: Tape; readonly message: number } | undefined;

  constructor(marketId: string, holdsOwnOrders: boolean) {
    this.#sync = new SyncedBook(marketId, holdsOwnOrders);
  }

  get holdsOwnOrders(): boolean {
    return this.#sync.holdsOwnOrders;
  }

  get bids(): ReadableSide {
    return this.#replayed.bids;
  }

  get asks(): ReadableSide {
    return this.#replayed.asks;
  }

  get isSynchronised(): boolean {
    return this.#sync.isSynchronised;
  }

  get reason(): string | undefined {
    return this.#sync.reason;
  }

  get sequence(): number {
    return this.#sync.sequence;
  }

  get gapCount(): number {
    return this.#sync.gapCount;
  }

  get lastReceivedMs(): Ms {
    return this.#sync.lastReceivedMs;
  }

  /** Loads the message of the store that belongs to the next event. */
  loadMessage(tape: Tape, message: number): void {
    this.#coming = { tape, message };
  }

  /** Applies a message without an event: the whole book with which a recorder begins a day. */
  applyStoredMessage(tape: Tape, message: number): void {
    this.#replayed.applyMessage(tape, message);
  }

  /** Accepts an event whose levels are in the store. The levels of the event itself are ignored. */
  apply(event: BookEvent, nowMs: Ms): BookSyncResult {
    const coming = this.#coming;
    this.#coming = undefined;
    const result = this.#sync.apply({ ...event, bids: [], asks: [] }, nowMs);
    if (result !== "applied" || coming === undefined) return result;
    this.#replayed.applyMessage(coming.tape, coming.message);
    if (!this.#replayed.crossed) return result;
    this.invalidate(
      `crossed book at sequence ${this.sequence}: bid ${this.bids.bestTicks} >= ask ${this.asks.bestTicks} ticks`,
    );
    return "resubscribe";
  }

  invalidate(reason: string): void {
    this.#sync.invalidate(reason);
  }

  isStale(nowMs: Ms, maxAgeMs: Ms): boolean {
    return this.#sync.isStale(nowMs, maxAgeMs);
  }

  confirmSequence(
    exchangeSequence: number,
    nowMs: Ms,
  ): ReturnType<LiveOrderBook["confirmSequence"]> {
    return this.#sync.confirmSequence(exchangeSequence, nowMs);
  }

  entries(): { readonly bids: number[]; readonly asks: number[] } {
    return { bids: this.bids.entries(), asks: this.asks.entries() };
  }
}
