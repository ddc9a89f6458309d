import type { CreditUnits, Lots, Ms } from "../../core/units.js";

const MINUTE_MS = 60_000;
/** Minutes kept: 62 days, so that a whole month can be shown. */
const KEPT_MINUTES = 89_280;

/** Bar lengths of the specification; a month is a calendar month of UTC, a week starts on Monday. */
export const CANDLE_INTERVALS = ["1M", "5M", "15M", "30M", "1H", "2H", "4H", "6H", "1D", "1W", "1MO"] as const;

/** The name of a bar length. */
export type CandleInterval = (typeof CANDLE_INTERVALS)[number];

/** A price bar by matching time. Prices are fractional only for marks. */
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

/** Bars of one minute, from which longer ones are made. A minute without an event has no bar. */
export class CandleSeries {
  #minutes: Candle[] = [];

  /** Adds a price (in any one integer unit) and what traded at it. */
  record(price: bigint, lots: Lots, quote: CreditUnits, timeMs: Ms): void {
    const startMs = timeMs - (timeMs % MINUTE_MS);
    const last = this.#minutes.at(-1);
    if (last !== undefined && last.timeMs >= startMs) {
      merge(last, { timeMs: startMs, open: price, close: price, high: price, low: price, volumeLots: lots, volumeQuote: quote });
      return;
    }
    this.#minutes.push({ timeMs: startMs, open: price, close: price, high: price, low: price, volumeLots: lots, volumeQuote: quote });
    if (this.#minutes.length > 2 * KEPT_MINUTES) {
      this.#minutes = this.#minutes.slice(KEPT_MINUTES);
    }
  }

  /** Bars whose start is in the range, oldest first: the first `limit` from a start, else the newest. */
  list(interval: CandleInterval, range: { startMs?: Ms | undefined; endMs?: Ms | undefined; limit: number }): Candle[] {
    const bars: Candle[] = [];
    for (const minute of this.#minutes) {
      const timeMs = startOf(interval, minute.timeMs);
      const last = bars.at(-1);
      if (last !== undefined && last.timeMs === timeMs) {
        merge(last, minute);
      } else {
        bars.push({ ...minute, timeMs });
      }
    }
    const inside = bars.filter(({ timeMs }) => timeMs >= (range.startMs ?? 0) && timeMs < (range.endMs ?? Number.POSITIVE_INFINITY));
    return range.startMs === undefined ? inside.slice(-range.limit) : inside.slice(0, range.limit);
  }

  /** Everything since an instant, to the minute, as one bar; undefined when nothing happened. */
  since(startMs: Ms): Candle | undefined {
    let whole: Candle | undefined;
    for (let place = this.#minutes.length - 1; place >= 0; place -= 1) {
      const minute = this.#minutes[place] as Candle;
      if (minute.timeMs + MINUTE_MS <= startMs) {
        break;
      }
      const before: Candle = { ...minute };
      if (whole !== undefined) {
        merge(before, whole);
      }
      whole = before;
    }
    return whole;
  }
}

function merge(into: Candle, later: Candle): void {
  into.close = later.close;
  into.high = later.high > into.high ? later.high : into.high;
  into.low = later.low < into.low ? later.low : into.low;
  into.volumeLots += later.volumeLots;
  into.volumeQuote += later.volumeQuote;
}

const LENGTH_MINUTES: Readonly<Record<Exclude<CandleInterval, "1W" | "1MO">, number>> = {
  "1M": 1,
  "5M": 5,
  "15M": 15,
  "30M": 30,
  "1H": 60,
  "2H": 120,
  "4H": 240,
  "6H": 360,
  "1D": 1440,
};
const DAY_MS = 86_400_000;
/** The epoch was a Thursday; weeks start on Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

function startOf(interval: CandleInterval, timeMs: Ms): Ms {
  if (interval === "1W") {
    const sinceMonday = (((timeMs - FIRST_MONDAY_MS) % (7 * DAY_MS)) + 7 * DAY_MS) % (7 * DAY_MS);
    return timeMs - sinceMonday;
  }
  if (interval === "1MO") {
    return startOfMonth(timeMs);
  }
  const lengthMs = LENGTH_MINUTES[interval] * MINUTE_MS;
  return timeMs - (timeMs % lengthMs);
}

/** The first instant of the UTC month, by the proleptic Gregorian calendar (Hinnant's days_from_civil and its inverse). */
function startOfMonth(timeMs: Ms): Ms {
  const days = Math.floor(timeMs / DAY_MS);
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * month + 2) / 5);
  return (days - dayOfMonth) * DAY_MS;
}
