import { LiveMarkouts } from "../../account/markouts/live-markouts.js";
import type { KnownMarkout, MarkoutGroup } from "../../account/markouts/markouts.js";
import { QuoteClock, type QuoteTimes } from "../../account/quoting/quote-clock.js";
import type { Ms, Ticks } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { NetTouch } from "../../market/book/net-book.js";
import type { OwnBookOrder } from "../../market/book/own-order-overlay.js";
import type { MarketTrader } from "../market/market-trader.js";

/** Receives what the statistics of a market learn, within the turn. It must change nothing. */
export interface MarketStatisticsListener {
  /** @param level of the quote that was filled; -1 for none */
  onFill(trade: VenueTrade, level: number): void;
  onMarkout(markout: KnownMarkout): void;
}

/**
 * Markouts, quoted time and distance of one market since the start. Reads the bot and changes
 * nothing. Instants are of the turns' monotonic clock.
 */
export class MarketStatistics {
  readonly #trader: MarketTrader;
  readonly #markouts = new LiveMarkouts();
  readonly #quotes: QuoteClock;
  #isKnown = false;
  #touch: NetTouch | null = null;
  #own: readonly OwnBookOrder[] = NO_ORDERS;
  #ownBidTicks = Number.NaN;
  #ownAskTicks = Number.NaN;
  #listener: MarketStatisticsListener | undefined;

  constructor(trader: MarketTrader, startMs: Ms) {
    this.#trader = trader;
    this.#quotes = new QuoteClock(startMs * 1000);
  }

  /**
   * Reads the book and the own orders after a turn. Nothing is allocated where nothing has changed.
   */
  endTurn(nowMs: Ms, own: readonly OwnBookOrder[]): void {
    const { book, lag, lastTouch } = this.#trader;
    // A stream that is proven to be late shows mids of the past.
    const isKnown = book.isSynchronised && !lag.isProven;
    const touch = isKnown ? lastTouch : null;
    if (isKnown) {
      // Without two sides the last mid stays, as in a backtest.
      if (touch !== null && (touch !== this.#touch || !this.#isKnown))
        this.#markouts.change(nowMs * 1000, touch.bidTicks + touch.askTicks);
      else this.#markouts.confirm(book.lastReceivedMs * 1000);
    } else {
      // Unknown since the book was last confirmed, not since its loss was noticed.
      if (this.#isKnown) this.#markouts.change(this.#markouts.untilUs, Number.NaN);
      this.#markouts.confirm(nowMs * 1000);
    }
    this.#isKnown = isKnown;
    if (touch !== this.#touch) {
      this.#touch = touch;
      this.#quotes.touch(
        nowMs * 1000,
        touch === null ? Number.NaN : touch.bidTicks,
        touch === null ? Number.NaN : touch.askTicks,
      );
    }
    if (own !== this.#own) this.#takeOwn(nowMs, own);
  }

  /** Calls a listener from now on. */
  listen(listener: MarketStatisticsListener): void {
    this.#listener = listener;
    this.#markouts.onKnown = (markout) => listener.onMarkout(markout);
  }

  /** Adds a fill that matched at `atMs`. */
  fill(trade: VenueTrade, level: number, atMs: Ms): void {
    this.#listener?.onFill(trade, level);
    const { id, side, ticks, lots } = trade;
    if (lots > 0) this.#markouts.fill(atMs * 1000, side, level, ticks, lots, `${side} ${id}`);
  }

  /** The best own prices that rest, in ticks; NaN for none. */
  get ownTouch(): { readonly bidTicks: Ticks; readonly askTicks: Ticks } {
    return { bidTicks: this.#ownBidTicks, askTicks: this.#ownAskTicks };
  }

  /** Markouts of all fills so far, by side and level. */
  markouts(): readonly MarkoutGroup[] {
    return this.#markouts.result();
  }

  /** Times of the quotes so far. */
  quoting(nowMs: Ms): QuoteTimes {
    return this.#quotes.times(nowMs * 1000);
  }

  #takeOwn(nowMs: Ms, own: readonly OwnBookOrder[]): void {
    this.#own = own;
    let bidTicks = Number.NEGATIVE_INFINITY;
    let askTicks = Number.POSITIVE_INFINITY;
    for (const { side, ticks, lots } of own) {
      if (lots === 0) continue;
      if (side === "BUY") bidTicks = Math.max(bidTicks, ticks);
      else askTicks = Math.min(askTicks, ticks);
    }
    if (bidTicks === Number.NEGATIVE_INFINITY) bidTicks = Number.NaN;
    if (askTicks === Number.POSITIVE_INFINITY) askTicks = Number.NaN;
    if (!Object.is(bidTicks, this.#ownBidTicks)) this.#quotes.quote(nowMs * 1000, "BUY", bidTicks);
    if (!Object.is(askTicks, this.#ownAskTicks)) this.#quotes.quote(nowMs * 1000, "SELL", askTicks);
    this.#ownBidTicks = bidTicks;
    this.#ownAskTicks = askTicks;
  }
}

const NO_ORDERS: readonly OwnBookOrder[] = [];
