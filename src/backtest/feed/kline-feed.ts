import type { KlineTape } from "../../history/columns/tape/tape.js";
import { OrderBook } from "../../market/book/order-book.js";
import type { ReplayClock } from "../engine/replay-clock.js";
import type { GapCheck, LocalFeed, TradeSink } from "./local-feed.js";
import { ReplayedOrderBook } from "./replayed-order-book.js";

/**
 * A feed of candles alone. A candle is received at its end and not before. The bot then sees a book
 * with the close and one tick between the best prices, each with the candle's volume. Candles say
 * nothing about the real book: results are indicative.
 */
export class KlineFeed implements LocalFeed {
  readonly book: ReplayedOrderBook;
  readonly latencyUs = 0;
  readonly #syntheticBook = new OrderBook();
  readonly #clock: ReplayClock;
  readonly #onTrade: TradeSink;
  readonly #tape: KlineTape;
  #bar = 0;
  #nextUs: number;

  constructor(tape: KlineTape, clock: ReplayClock, onTrade: TradeSink, isGap: GapCheck) {
    this.#tape = tape;
    this.#clock = clock;
    this.#onTrade = onTrade;
    this.book = new ReplayedOrderBook(this.#syntheticBook, () => isGap(this.latencyUs));
    this.#nextUs = this.#endOf(0);
  }

  get nextUs(): number {
    return this.#nextUs;
  }

  advance(beforeUs: number): boolean {
    const made = this.#syntheticBook;
    const before = made.bids.bestTicks;
    let isMoved = false;
    while (this.#nextUs < beforeUs && !isMoved) {
      const { highTicks, lowTicks, closeTicks, lots } = this.#tape;
      const bar = this.#bar;
      const closed = closeTicks[bar] as number;
      const volume = Math.max(1, lots[bar] as number);
      this.#onTrade(highTicks[bar] as number, volume, "BUY");
      this.#onTrade(lowTicks[bar] as number, volume, "SELL");
      made.clear();
      made.bids.set(closed, volume);
      made.asks.set(closed + 1, volume);
      isMoved = closed !== before;
      this.#clock.moveTo(this.#nextUs);
      this.#bar += 1;
      this.#nextUs = this.#endOf(this.#bar);
    }
    this.book.onMessageApplied(
      this.#clock.monotonicMs(),
      made.bids.levels > 0 ? undefined : "no candle yet",
    );
    return isMoved;
  }

  #endOf(bar: number): number {
    return bar < this.#tape.bars
      ? (this.#tape.startUs[bar] as number) + this.#tape.intervalUs
      : Number.POSITIVE_INFINITY;
  }
}
