import { KnownDepth, worstKeys } from "../../../market/book/known-depth.js";
import { OrderBook } from "../../../market/book/order-book.js";
import { type Tape, TapeKind } from "./tape.js";

/** Rows of a message, bids before asks. */
export type BookStateRows = readonly (readonly [signedTicks: number, lots: number])[];

/** The book that a recording leaves behind: what a replay that begins in its middle begins with. */
export class BookState {
  readonly #book = new OrderBook();
  readonly #known = { bids: new KnownDepth(), asks: new KnownDepth() };
  /** When the recorder had all of it, and whether any message of a book was seen. */
  #receivedUs = Number.NEGATIVE_INFINITY;
  #isKnown = false;

  /** Whether a snapshot has come, and the book was not lost since. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The largest local stamp of what it was made of; minus infinity where that was nothing. */
  get receivedUs(): number {
    return this.#receivedUs;
  }

  /** Takes the first `messages` messages of a tape. */
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
      // What the best price is behind now is known too, since nobody stood there.
      if (bids.levels > 0) this.#known.bids.best(bids.bestTicks);
      if (asks.levels > 0) this.#known.asks.best(-asks.bestTicks);
      this.#receivedUs = Math.max(this.#receivedUs, tape.localUs[at] as number);
    }
  }

  /**
   * What is known of it, as a snapshot that reaches just as far: where nothing stands at its worst
   * price, that is a row without lots.
   */
  knownRows(): BookStateRows {
    return this.#sides().flatMap(({ rows, leastKey }) => {
      if (leastKey === Number.POSITIVE_INFINITY) return [];
      const known = rows.filter(([key]) => key >= leastKey);
      return known.at(-1)?.[0] === leastKey ? known : [...known, [leastKey, 0] as const];
    });
  }

  /** Levels that were told of beyond what is known, or while nothing was. */
  rowsBeyondKnown(): BookStateRows {
    return this.#sides().flatMap(({ rows, leastKey }) => rows.filter(([key]) => key < leastKey));
  }

  /** Each side's levels, best first, and how far it is known. */
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
