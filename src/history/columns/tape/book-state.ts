import { KnownDepth, worstKeys } from "../../../market/book/known-depth.js";
import { OrderBook } from "../../../market/book/order-book.js";
import { type Tape, TapeKind } from "./tape.js";

/** Rows of a message, bids before asks. */
export type BookStateRows = readonly (readonly [signedTicks: number, lots: number])[];

/** The book at the end of a recording; a replay that begins in the middle starts from it. */
export class BookState {
  readonly #book = new OrderBook();
  readonly #known = { bids: new KnownDepth(), asks: new KnownDepth() };
  /** When the recorder had received all of it, and whether any book message has been played. */
  #receivedUs = Number.NEGATIVE_INFINITY;
  #isKnown = false;

  /** True if a snapshot has come and the book was not lost since. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The largest local stamp among its messages; minus infinity without messages. */
  get receivedUs(): number {
    return this.#receivedUs;
  }

  /** Plays the first `messages` messages of a tape. */
  play(tape: Tape, messages: number): void {
    const { bids, asks } = this.#book;
    for (let at = 0; at < messages; at++) {
      const kind = tape.kind[at];
      if (kind === TapeKind.trade) continue;
      const from = at === 0 ? 0 : (tape.rowEnd[at - 1] as number);
      const to = tape.rowEnd[at] as number;
      if (kind === TapeKind.bookLost) this.#lose();
      if (kind === TapeKind.bookSnapshot) this.#replace(tape.signedTicks, from, to);
      for (let row = from; row < to; row++) {
        const key = tape.signedTicks[row] as number;
        (key > 0 ? bids : asks).set(Math.abs(key), tape.lots[row] as number);
      }
      // The prices up to the new best price are known to be empty.
      if (bids.levels > 0) this.#known.bids.best(bids.bestTicks);
      if (asks.levels > 0) this.#known.asks.best(-asks.bestTicks);
      this.#receivedUs = Math.max(this.#receivedUs, tape.localUs[at] as number);
    }
  }

  /**
   * The known part of the book, as a snapshot that reaches exactly as far. If the worst known price
   * is empty, the snapshot ends with a row of zero lots.
   */
  knownRows(): BookStateRows {
    return this.#sides().flatMap(({ rows, leastKey }) => {
      if (leastKey === Number.POSITIVE_INFINITY) return [];
      const known = rows.filter(([key]) => key >= leastKey);
      return known.at(-1)?.[0] === leastKey ? known : [...known, [leastKey, 0] as const];
    });
  }

  /** Levels reported beyond the known depth, or while the book was unknown. */
  rowsBeyondKnown(): BookStateRows {
    return this.#sides().flatMap(({ rows, leastKey }) => rows.filter(([key]) => key < leastKey));
  }

  /** Each side's levels, best first, and its known depth. */
  #sides(): readonly { readonly rows: BookStateRows; readonly leastKey: number }[] {
    const { bids, asks } = this.#book;
    return [
      {
        rows: bids.top(bids.levels).map(({ ticks, lots }) => [ticks, lots]),
        leastKey: this.#known.bids.leastKey,
      },
      {
        rows: asks.top(asks.levels).map(({ ticks, lots }) => [-ticks, lots]),
        leastKey: this.#known.asks.leastKey,
      },
    ];
  }

  #lose(): void {
    this.#isKnown = false;
    this.#book.clear();
    this.#known.bids.lose();
    this.#known.asks.lose();
  }

  #replace(signedTicks: Int32Array, from: number, to: number): void {
    this.#isKnown = true;
    const least = worstKeys(signedTicks, from, to);
    this.#book.bids.clearFrom(least.bids);
    this.#book.asks.clearFrom(-least.asks);
    this.#known.bids.snapshot(least.bids);
    this.#known.asks.snapshot(least.asks);
  }
}
