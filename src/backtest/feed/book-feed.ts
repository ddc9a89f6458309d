import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import { NO_KEY } from "../book/paged-book-side.js";
import { ReplayBook } from "../book/replay-book.js";
import type { ReplayClock } from "../engine/replay-clock.js";
import type { GapCheck, LocalFeed, TradeSink } from "./local-feed.js";
import { LocalTape } from "./local-tape.js";
import { ReplayedOrderBook } from "./replayed-order-book.js";

/** Recorded books and trades in the order in which the bot receives them. */
export class BookFeed implements LocalFeed {
  readonly book: ReplayedOrderBook;
  readonly #replayed = new ReplayBook();
  readonly #tape: LocalTape;
  readonly #clock: ReplayClock;
  readonly #onTrade: TradeSink;
  #hasSnapshot = false;
  #bidKey = NO_KEY;
  #askKey = NO_KEY;
  /** Why the book is not to be trusted; undefined when it is. */
  #reason: string | undefined = "no snapshot yet";

  constructor(tape: Tape, clock: ReplayClock, onTrade: TradeSink, isGap: GapCheck) {
    this.#tape = new LocalTape(tape);
    this.#clock = clock;
    this.#onTrade = onTrade;
    this.book = new ReplayedOrderBook(this.#replayed, () => isGap(this.latencyUs));
  }

  get nextUs(): number {
    return this.#tape.nextUs;
  }

  get latencyUs(): number {
    return this.#tape.latencyUs;
  }

  /** Adds the next day of the same market. */
  extend(tape: Tape): void {
    this.#tape.extend(tape);
  }

  advance(beforeUs: number): boolean {
    const heard = this.#tape;
    let atUs = heard.nextUs;
    let isBookHeard = false;
    let isAnyBookHeard = false;
    let isMoved = false;
    while (atUs < beforeUs && !isMoved) {
      const { tape, message } = heard;
      const kind = tape.kind[message];
      if (kind === TapeKind.trade) {
        const row = (tape.rowEnd[message] as number) - 1;
        const ticks = tape.signedTicks[row] as number;
        this.#onTrade(Math.abs(ticks), tape.lots[row] as number, ticks > 0 ? "BUY" : "SELL");
      } else {
        this.#replayed.applyMessage(tape, message);
        isBookHeard = true;
        isAnyBookHeard = true;
        if (kind !== TapeKind.bookUpdate) this.#hasSnapshot = kind === TapeKind.bookSnapshot;
      }
      heard.advance();
      if (heard.nextUs === atUs) continue;
      this.#clock.moveTo(atUs);
      atUs = heard.nextUs;
      isMoved = isBookHeard && this.#judge();
      isBookHeard = false;
    }
    // Trades do not confirm the book: a silent book ages beside them, and a lost one stays lost.
    if (isAnyBookHeard) this.book.onMessageApplied(this.#clock.monotonicMs(), this.#reason);
    return isMoved;
  }

  /**
   * Judges the book after whole messages. Returns true when its best prices changed, or it became
   * known or unknown.
   */
  #judge(): boolean {
    const { bids, asks } = this.#replayed;
    const wasTrusted = this.#reason === undefined;
    this.#reason = !this.#hasSnapshot
      ? "no snapshot yet"
      : this.#replayed.crossed
        ? "the recorded book is crossed"
        : undefined;
    if (
      bids.bestKey === this.#bidKey &&
      asks.bestKey === this.#askKey &&
      wasTrusted === (this.#reason === undefined)
    )
      return false;
    this.#bidKey = bids.bestKey;
    this.#askKey = asks.bestKey;
    return true;
  }
}
