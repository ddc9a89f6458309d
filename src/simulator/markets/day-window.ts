import { type CreditUnits, DAY_MS, type Lots, MINUTE_MS, type Ms } from "../../core/units.js";

/** The events within one minute of a {@link DayWindow}. The caller chooses the unit of prices. */
export interface Minute {
  readonly startMs: Ms;
  readonly open: bigint;
  close: bigint;
  high: bigint;
  low: bigint;
  lots: Lots;
  quote: CreditUnits;
}

/**
 * The last 24 hours to the minute. A minute is dropped once all of it is older. Memory is bounded
 * by 1,441 minutes.
 */
export class DayWindow {
  #minutes: Minute[] = [];
  #before: bigint | null = null;
  #lots: Lots = 0;
  #quote: CreditUnits = 0n;

  /** Adds a price and the amount traded at it. */
  record(price: bigint, lots: Lots, quote: CreditUnits, nowMs: Ms): void {
    this.#forget(nowMs);
    const startMs = nowMs - (nowMs % MINUTE_MS);
    let last = this.#minutes.at(-1);
    if (last === undefined || last.startMs < startMs) {
      last = { startMs, open: price, close: price, high: price, low: price, lots: 0, quote: 0n };
      this.#minutes.push(last);
    }
    last.close = price;
    last.high = price > last.high ? price : last.high;
    last.low = price < last.low ? price : last.low;
    last.lots += lots;
    last.quote += quote;
    this.#lots += lots;
    this.#quote += quote;
  }

  /** The traded amount. */
  volume(nowMs: Ms): { readonly lots: Lots; readonly quote: CreditUnits } {
    this.#forget(nowMs);
    return { lots: this.#lots, quote: this.#quote };
  }

  /**
   * The price at the beginning of the window: the last one before it, else the first one within it.
   */
  priceAgo(nowMs: Ms): bigint | undefined {
    this.#forget(nowMs);
    return this.#before ?? this.#minutes[0]?.open;
  }

  /** Highest and lowest price; undefined if nothing happened. */
  extremes(nowMs: Ms): { readonly high: bigint; readonly low: bigint } | undefined {
    this.#forget(nowMs);
    const [first, ...others] = this.#minutes;
    if (first === undefined) {
      return undefined;
    }
    let { high, low } = first;
    for (const minute of others) {
      high = minute.high > high ? minute.high : high;
      low = minute.low < low ? minute.low : low;
    }
    return { high, low };
  }

  /**
   * The minutes with an event, oldest first: plain values, for a store. Only the last one changes.
   */
  get minutes(): readonly Readonly<Minute>[] {
    return this.#minutes;
  }

  /** The last price before the window; null when there was none. For a store. */
  get before(): bigint | null {
    return this.#before;
  }

  /** Replaces the window by what {@link minutes} and {@link before} returned. */
  restore(minutes: readonly Readonly<Minute>[], before: bigint | null): void {
    this.#minutes = minutes.map((minute) => ({ ...minute }));
    this.#before = before;
    this.#lots = minutes.reduce((sum, { lots }) => sum + lots, 0);
    this.#quote = minutes.reduce((sum, { quote }) => sum + quote, 0n);
  }

  #forget(nowMs: Ms): void {
    let count = 0;
    for (
      let minute = this.#minutes[0];
      minute !== undefined && minute.startMs + MINUTE_MS <= nowMs - DAY_MS;
      minute = this.#minutes[count]
    ) {
      this.#lots -= minute.lots;
      this.#quote -= minute.quote;
      this.#before = minute.close;
      count += 1;
    }
    if (count > 0) {
      this.#minutes.splice(0, count);
    }
  }
}
