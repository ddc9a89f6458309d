import type { Lots, Ticks } from "../../core/units.js";
import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import type { BookSide } from "../../market/book/book-side.js";
import { OrderBook } from "../../market/book/order-book.js";
import type { ReplayClock } from "../engine/replay-clock.js";
import type { GapCheck, LocalFeed, TradeSink } from "./local-feed.js";
import { LocalTape } from "./local-tape.js";
import { ReplayedOrderBook } from "./replayed-order-book.js";

/**
 * A feed of recorded trades alone. The bot sees a book with the last price at which a taker sold
 * and the last at which one bought, each with the size of that trade. Where the two meet or cross,
 * the newer one stays and the other is one tick behind it.
 */
export class TradeFeed implements LocalFeed {
  readonly book: ReplayedOrderBook;
  readonly #syntheticBook = new OrderBook();
  readonly #tape: LocalTape;
  readonly #clock: ReplayClock;
  readonly #onTrade: TradeSink;

  constructor(tape: Tape, clock: ReplayClock, onTrade: TradeSink, isGap: GapCheck) {
    this.#tape = new LocalTape(tape);
    this.#clock = clock;
    this.#onTrade = onTrade;
    this.book = new ReplayedOrderBook(this.#syntheticBook, () => isGap(this.latencyUs));
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
    const { bids, asks } = this.#syntheticBook;
    const bidTicks = bids.bestTicks;
    const askTicks = asks.bestTicks;
    let atUs = heard.nextUs;
    let isMoved = false;
    while (atUs < beforeUs && !isMoved) {
      const { tape, message } = heard;
      if (tape.kind[message] === TapeKind.trade) {
        const row = (tape.rowEnd[message] as number) - 1;
        this.#traded(tape.signedTicks[row] as number, tape.lots[row] as number);
      }
      heard.advance();
      if (heard.nextUs === atUs) continue;
      this.#clock.moveTo(atUs);
      atUs = heard.nextUs;
      isMoved = bidTicks !== bids.bestTicks || askTicks !== asks.bestTicks;
    }
    const isWhole = bids.levels > 0 && asks.levels > 0;
    this.book.onMessageApplied(
      this.#clock.monotonicMs(),
      isWhole ? undefined : "no trade of either side yet",
    );
    return isMoved;
  }

  #traded(signedTicks: number, lots: number): void {
    const isBuy = signedTicks > 0;
    const ticks = Math.abs(signedTicks);
    this.#onTrade(ticks, lots, isBuy ? "BUY" : "SELL");
    const { bids, asks } = this.#syntheticBook;
    if (isBuy) {
      setOnly(asks, ticks, lots);
      if (bids.bestTicks >= ticks) setOnly(bids, ticks - 1, bids.bestLots);
    } else {
      setOnly(bids, ticks, lots);
      if (asks.bestTicks <= ticks) setOnly(asks, ticks + 1, asks.bestLots);
    }
  }
}

/** A second level would be liquidity that no trade has shown. */
function setOnly(side: BookSide, ticks: Ticks, lots: Lots): void {
  side.clear();
  side.set(ticks, lots);
}
