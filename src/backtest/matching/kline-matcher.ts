import { ConfigError } from "../../core/errors.js";
import type { Lots, Ticks } from "../../core/units.js";
import type { KlineTape } from "../../history/columns/tape/tape.js";
import type { ExchangeTouch, MatchListener, ReplayOrder, TouchListener } from "./matcher.js";
import { OrderMatcher } from "./order-matcher.js";
import type { OwnSide } from "./own-side.js";
import { applySlippage, requireSlippage } from "./slippage.js";

/**
 * The path of the price within a bar, which the bar does not show. `ohlc` goes to the high first,
 * `olhc` to the low first. `adaptive` goes first to the extreme nearer to the open, and to the low
 * where both are equally near (after NautilusTrader's bar execution).
 */
export type BarPath = "ohlc" | "olhc" | "adaptive";

/** Options of a {@link KlineMatcher}. */
export interface KlineMatcherOptions {
  readonly klines: KlineTape;
  readonly listener: MatchListener;
  readonly path: BarPath;
  /**
   * The share of a bar's volume that all our orders together can have, above 0 and at most 1;
   * rounded down to lots.
   */
  readonly volumeShare: number;
  /** How much worse than the current price a taker is filled, as far as its limit allows. */
  readonly slippageTicks: Ticks;
  readonly onTouch?: TouchListener;
}

/**
 * Points of a bar's path: its open at the start, the extremes after a third and two thirds, its
 * close in the last microsecond.
 */
const STATIONS = 4;

/**
 * Matches our orders against candles. A resting order is filled at its own price when the price has
 * gone beyond it by at least a tick. It is never filled when its price was only reached, and never
 * at the better price of a gap. An order whose limit the current price meets takes at that price;
 * one that reacts to a bar takes at the open of the next. A bar never gives more than its share of
 * volume, and a gap between bars gives nothing. Results are indicative: candles show no book.
 *
 * Within a bar the current price is not known. So a taker gets the worse of the bar's open and the
 * present point of the path, and takes nothing if its limit does not meet that price. Otherwise a
 * bid that reacts to a fill with the last close in view would take its maximum at each low and sell
 * it at the same bar's high.
 *
 * Between two points the price passes through everything between them. At each fill both best
 * prices equal the order's limit. So the fill is valued where the price passed it, and the rest of
 * the path comes after it.
 */
export class KlineMatcher extends OrderMatcher {
  readonly touch: ExchangeTouch;
  readonly #klines: KlineTape;
  readonly #path: BarPath;
  readonly #volumeShare: number;
  readonly #slippageTicks: Ticks;
  readonly #onTouch: TouchListener | undefined;
  /** Index of the next point to play, counted over all bars. */
  #next = 0;
  #openTicks = Number.NaN;
  #lastTicks = Number.NaN;
  #barEndUs = Number.NEGATIVE_INFINITY;
  /** The rest of this bar's share. */
  #leftLots: Lots = 0;

  /** @throws ConfigError when the share or the slippage is not valid */
  constructor({
    klines,
    listener,
    path,
    volumeShare,
    slippageTicks,
    onTouch,
  }: KlineMatcherOptions) {
    super(listener);
    if (!(volumeShare > 0 && volumeShare <= 1)) {
      throw new ConfigError("is out of range", {
        field: "volumeShare",
        value: volumeShare,
        expected: "a number above 0 and at most 1",
      });
    }
    this.#klines = klines;
    this.#path = path;
    this.#volumeShare = volumeShare;
    this.#slippageTicks = requireSlippage(slippageTicks);
    this.#onTouch = onTouch;
    const lastTicks = (): Ticks => this.#lastTicks;
    this.touch = {
      get bidTicks() {
        return lastTicks();
      },
      get askTicks() {
        return lastTicks();
      },
    };
  }

  protected get nextHistoryUs(): number {
    return this.#next < this.#klines.bars * STATIONS
      ? this.#stampOf(this.#next)
      : Number.POSITIVE_INFINITY;
  }

  protected play(untilUs: number, inclusive: boolean): number {
    let atUs = Number.NEGATIVE_INFINITY;
    for (const end = this.#klines.bars * STATIONS; this.#next < end; ) {
      const nextUs = this.#stampOf(this.#next);
      if (nextUs > untilUs || (nextUs === untilUs && !inclusive)) break;
      atUs = nextUs;
      this.#reach(this.#next, atUs);
      this.#next++;
      if (this.own.hasNotified) break;
    }
    return atUs;
  }

  protected wouldTake(order: ReplayOrder): boolean {
    if (Number.isNaN(this.#lastTicks)) return false;
    if (Number.isNaN(order.ticks)) return true;
    const isBuy = order.side === "BUY";
    // The last price is the best known bid: an order that waits at it does not take.
    if (order.timeInForce === "POST_ONLY")
      return isBuy ? order.ticks > this.#lastTicks : order.ticks <= this.#lastTicks;
    const takerTicks = this.#takerTicks(isBuy);
    return isBuy ? order.ticks >= takerTicks : order.ticks <= takerTicks;
  }

  protected take(order: ReplayOrder, atUs: number): void {
    const leftLots = atUs < this.#barEndUs ? this.#leftLots : 0;
    if (order.timeInForce === "FOK" && order.openLots > leftLots) return;
    const lots = Math.min(order.openLots, leftLots);
    if (lots === 0) return;
    this.#leftLots -= lots;
    this.own.fill(
      order,
      applySlippage(order, this.#takerTicks(order.side === "BUY"), this.#slippageTicks),
      lots,
      "taker",
      atUs,
    );
  }

  protected rest(order: ReplayOrder, arrivedUs: number): void {
    // Where the bar's share filled a taking order only partly, the rest may have been there live.
    // It is not known if that order rested.
    const isKnown = !this.wouldTake(order) && this.#cameToRest(order, arrivedUs);
    this.own.rest(
      order,
      { frontLots: 0, tradedLots: 0 },
      0,
      isKnown ? arrivedUs : Number.POSITIVE_INFINITY,
    );
  }

  /** True if the candles show that an order which does not meet the current price rested. */
  #cameToRest({ side, ticks }: ReplayOrder, arrivedUs: number): boolean {
    // No candle covers this time.
    if (!(arrivedUs < this.#barEndUs)) return false;
    const bar = Math.floor((this.#next - 1) / STATIONS);
    // The bar's open is the price of one instant. From the first extreme on, the price at a given
    // time within the bar is not known.
    if (arrivedUs < this.#stampOf(bar * STATIONS + 1)) return true;
    return side === "BUY"
      ? ticks < this.#klines.lowTicks[bar]
      : ticks > this.#klines.highTicks[bar];
  }

  /** The price that a taker pays or receives now. */
  #takerTicks(isBuy: boolean): Ticks {
    return isBuy
      ? Math.max(this.#openTicks, this.#lastTicks)
      : Math.min(this.#openTicks, this.#lastTicks);
  }

  #stampOf(station: number): number {
    const { startUs, intervalUs } = this.#klines;
    const start = startUs[Math.floor(station / STATIONS)];
    const at = station % STATIONS;
    return at === STATIONS - 1
      ? start + intervalUs - 1
      : start + Math.floor((intervalUs * at) / (STATIONS - 1));
  }

  /** Moves the price to a point of the path. */
  #reach(station: number, atUs: number): void {
    const bar = Math.floor(station / STATIONS);
    if (station % STATIONS === 0) this.#begin(bar);
    const ticks = this.#priceAt(bar, station % STATIONS);
    const { bids, asks } = this.own;
    const fromTicks = Number.isNaN(this.#lastTicks) ? ticks : this.#lastTicks;
    this.#pass(bids, fromTicks, ticks, atUs);
    this.#pass(asks, fromTicks, ticks, atUs);
    this.#setTouch(ticks, atUs);
  }

  /**
   * Fills the orders of a side that the price passes on its way, best first, with the price at
   * each.
   */
  #pass(side: OwnSide, fromTicks: Ticks, toTicks: Ticks, atUs: number): void {
    const sign = side === this.own.bids ? 1 : -1;
    const leastKey = sign * toTicks + 1;
    const [lowest, highest] = fromTicks < toTicks ? [fromTicks, toTicks] : [toTicks, fromTicks];
    while (side.bestKey >= leastKey && this.#leftLots > 0) {
      const key = side.bestKey;
      // An order left open by a bar's share may lie behind the whole way: it is filled at once,
      // where the way begins.
      const at = Math.max(lowest, Math.min(highest, sign * key));
      this.#setTouch(at, atUs);
      this.#leftLots -= this.own.fillDownTo(
        side,
        key,
        "through",
        atUs,
        Number.POSITIVE_INFINITY,
        this.#leftLots,
      );
    }
  }

  /**
   * A candle has one price. It is both sides' best price; otherwise the mid would be half a tick
   * above it.
   */
  #setTouch(ticks: Ticks, atUs: number): void {
    if (ticks === this.#lastTicks) return;
    this.#lastTicks = ticks;
    this.#onTouch?.(atUs, ticks, ticks);
  }

  #begin(bar: number): void {
    const { startUs, intervalUs, openTicks, lots } = this.#klines;
    this.#openTicks = openTicks[bar];
    this.#barEndUs = startUs[bar] + intervalUs;
    this.#leftLots = Math.floor(lots[bar] * this.#volumeShare);
  }

  #priceAt(bar: number, station: number): Ticks {
    const { openTicks, highTicks, lowTicks, closeTicks } = this.#klines;
    if (station === 0) return openTicks[bar];
    if (station === STATIONS - 1) return closeTicks[bar];
    const highFirst =
      this.#path === "adaptive"
        ? highTicks[bar] - openTicks[bar] < openTicks[bar] - lowTicks[bar]
        : this.#path === "ohlc";
    return highFirst === (station === 1) ? highTicks[bar] : lowTicks[bar];
  }
}
