import type { CreditUnits, Lots, Ms } from "../../core/units.js";
import { KLINE_INTERVALS } from "../../exchange/protocol/parameters.js";
import { barEnd, barStart, type CandleInterval } from "./candle-interval.js";

/**
 * A price bar by matching time. All prices of a series are in one integer unit: ticks of trades,
 * credit units of marks.
 */
export interface Candle {
  /** Start of the bar. */
  readonly timeMs: Ms;
  readonly open: bigint;
  close: bigint;
  high: bigint;
  low: bigint;
  volumeLots: Lots;
  volumeQuote: CreditUnits;
}

/** The range of requested bars by their start: `startMs` inclusive, `endMs` exclusive. */
export interface CandlePage {
  readonly startMs?: Ms | undefined;
  readonly endMs?: Ms | undefined;
  readonly limit: number;
}

/** Options of a {@link CandleSeries}. */
export interface CandleSeriesOptions {
  /** The number of bars kept of each interval. */
  readonly keep: number;
  /**
   * The bar of an interval without events: omitted, or the last close with volume 0, up to the
   * interval in progress.
   */
  readonly emptyBars: "omit" | "repeat";
}

/** The kept bars, oldest first, and the end of the last one. */
interface Bars {
  list: Candle[];
  endMs: Ms;
}

/**
 * Bars of all eleven intervals. Each interval is aggregated and bounded separately, so that a long
 * bar does not depend on short ones being kept.
 */
export class CandleSeries {
  readonly #options: CandleSeriesOptions;
  readonly #bars = new Map<CandleInterval, Bars>(
    KLINE_INTERVALS.map((interval) => [interval, { list: [], endMs: 0 }]),
  );

  constructor(options: CandleSeriesOptions) {
    this.#options = options;
  }

  /**
   * Adds a price and the amount traded at it.
   * @param timeMs not before the last one; a clock that went back adds to the last bar.
   */
  record(price: bigint, lots: Lots, quote: CreditUnits, timeMs: Ms): void {
    for (const [interval, bars] of this.#bars) {
      const last = bars.list.at(-1);
      if (last !== undefined && timeMs < bars.endMs) {
        last.close = price;
        last.high = price > last.high ? price : last.high;
        last.low = price < last.low ? price : last.low;
        last.volumeLots += lots;
        last.volumeQuote += quote;
      } else {
        const startMs = barStart(interval, timeMs);
        bars.endMs = barEnd(interval, startMs);
        bars.list.push({
          timeMs: startMs,
          open: price,
          close: price,
          high: price,
          low: price,
          volumeLots: lots,
          volumeQuote: quote,
        });
        // Dropping one by one would move the whole list each time.
        if (bars.list.length > 2 * this.#options.keep) {
          bars.list = bars.list.slice(-this.#options.keep);
        }
      }
    }
  }

  /**
   * One page, oldest first: with a start the first `limit` from there, without one the newest
   * `limit`.
   */
  page(interval: CandleInterval, page: CandlePage, nowMs: Ms): Candle[] {
    const list = this.bars(interval);
    return this.#options.emptyBars === "repeat"
      ? filledPage(interval, list, page, nowMs)
      : plainPage(list, page);
  }

  /** The kept bar of an interval that starts at an instant; undefined if nothing happened in it. */
  at(interval: CandleInterval, timeMs: Ms): Candle | undefined {
    const { list } = this.#bars.get(interval) as Bars;
    const bar = list[firstFrom(list, timeMs)];
    return bar?.timeMs === timeMs ? bar : undefined;
  }

  /** The newest bar of an interval; undefined before the first event. */
  newest(interval: CandleInterval, nowMs: Ms): Candle | undefined {
    return this.page(interval, { limit: 1 }, nowMs)[0];
  }

  /**
   * The kept bars of an interval, oldest first: plain values, for a store. Only the last one
   * changes.
   */
  bars(interval: CandleInterval): readonly Candle[] {
    return (this.#bars.get(interval) as Bars).list.slice(-this.#options.keep);
  }

  /** The kept bars of an interval that start at or after an instant, oldest first. */
  barsFrom(interval: CandleInterval, timeMs: Ms): readonly Candle[] {
    const { list } = this.#bars.get(interval) as Bars;
    return list.slice(Math.max(firstFrom(list, timeMs), list.length - this.#options.keep));
  }

  /** The start of the oldest bar that is kept; undefined before the first event. */
  oldestMs(interval: CandleInterval): Ms | undefined {
    const { list } = this.#bars.get(interval) as Bars;
    return list[Math.max(0, list.length - this.#options.keep)]?.timeMs;
  }

  /** Replaces the bars by those that {@link bars} returned. */
  restore(interval: CandleInterval, bars: readonly Candle[]): void {
    const list = bars.map((bar) => ({ ...bar }));
    const last = list.at(-1);
    this.#bars.set(interval, {
      list,
      endMs: last === undefined ? 0 : barEnd(interval, last.timeMs),
    });
  }
}

function plainPage(list: readonly Candle[], { startMs, endMs, limit }: CandlePage): Candle[] {
  const end = endMs === undefined ? list.length : firstFrom(list, endMs);
  const start = startMs === undefined ? Math.max(0, end - limit) : firstFrom(list, startMs);
  return list.slice(start, Math.min(end, start + limit));
}

/** The same page, with gaps between bars and after the last one filled at the price then. */
function filledPage(
  interval: CandleInterval,
  list: readonly Candle[],
  { startMs, endMs, limit }: CandlePage,
  nowMs: Ms,
): Candle[] {
  const first = list[0];
  if (first === undefined) {
    return [];
  }
  const lastMs = barStart(interval, Math.max(nowMs, (list.at(-1) as Candle).timeMs));
  const endBound = Math.min(endMs ?? Number.POSITIVE_INFINITY, lastMs + 1);
  const found: Candle[] = [];
  if (startMs === undefined) {
    // Iterates over the starts of bars, backwards from the end.
    for (
      let timeMs = barStart(interval, endBound - 1);
      timeMs >= first.timeMs && found.length < limit;
    ) {
      found.push(barAt(list, timeMs));
      timeMs = timeMs === 0 ? -1 : barStart(interval, timeMs - 1);
    }
    return found.reverse();
  }
  const at = barStart(interval, Math.max(startMs, first.timeMs));
  let timeMs = at < startMs ? barEnd(interval, at) : at;
  while (timeMs < endBound && found.length < limit) {
    found.push(barAt(list, timeMs));
    timeMs = barEnd(interval, timeMs);
  }
  return found;
}

/**
 * The bar of an interval, or a flat one at the close before it. A bar at or before it must exist.
 */
function barAt(list: readonly Candle[], timeMs: Ms): Candle {
  const before = list[firstFrom(list, timeMs + 1) - 1] as Candle;
  const { close } = before;
  return before.timeMs === timeMs
    ? before
    : { timeMs, open: close, close, high: close, low: close, volumeLots: 0, volumeQuote: 0n };
}

/** The index of the first bar that starts at or after an instant. */
function firstFrom(list: readonly Candle[], timeMs: Ms): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as Candle).timeMs >= timeMs) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
