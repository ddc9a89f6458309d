import type { Clock } from "../../core/seam.js";
import type { MarketId } from "../../core/units.js";
import { type Tape, TapeKind } from "../../history/columns/tape.js";
import { ReplayBook } from "../book/replay-book.js";
import type { LocalFeed, TradeSink } from "./local-feed.js";
import { LocalTape } from "./local-tape.js";
import { ReplayedDeskBook } from "./replayed-desk-book.js";

/** Recorded books and trades as they were heard. */
export class BookFeed implements LocalFeed {
  readonly marketId: MarketId;
  readonly book: ReplayedDeskBook;
  readonly #replayed = new ReplayBook();
  readonly #tape: LocalTape;
  readonly #clock: Clock;
  readonly #onTrade: TradeSink;
  #hasSnapshot = false;
  #bidKey = 0;
  #askKey = 0;
  #wasSynchronised = false;

  constructor(tape: Tape, clock: Clock, onTrade: TradeSink, isGap: () => boolean) {
    this.marketId = tape.marketId;
    this.#tape = new LocalTape(tape);
    this.#clock = clock;
    this.#onTrade = onTrade;
    this.book = new ReplayedDeskBook(this.#replayed, isGap);
  }

  get nextUs(): number {
    return this.#tape.nextUs;
  }

  get latencyUs(): number {
    return this.#tape.latencyUs;
  }

  /** The next day of the same market. */
  extend(tape: Tape): void {
    this.#tape.extend(tape);
  }

  hear(untilUs: number): boolean {
    const heard = this.#tape;
    const replayed = this.#replayed;
    while (heard.nextUs <= untilUs) {
      const { tape, message } = heard;
      const kind = tape.kind[message];
      if (kind === TapeKind.trade) {
        const row = (tape.rowEnd[message] as number) - 1;
        const ticks = tape.signedTicks[row] as number;
        this.#onTrade(Math.abs(ticks), tape.lots[row] as number, ticks > 0 ? "BUY" : "SELL");
      } else {
        replayed.applyMessage(tape, message);
        if (kind === TapeKind.bookSnapshot) this.#hasSnapshot = true;
      }
      heard.heard();
    }
    return this.#settle();
  }

  /** Judges the book after whole messages. */
  #settle(): boolean {
    const { bids, asks } = this.#replayed;
    const reason = !this.#hasSnapshot ? "no snapshot yet" : this.#replayed.crossed ? "the recorded book is crossed" : undefined;
    this.book.changed(this.#clock.monotonicMs(), reason);
    const isSynchronised = reason === undefined;
    if (bids.bestKey === this.#bidKey && asks.bestKey === this.#askKey && isSynchronised === this.#wasSynchronised) return false;
    this.#bidKey = bids.bestKey;
    this.#askKey = asks.bestKey;
    this.#wasSynchronised = isSynchronised;
    return true;
  }
}
