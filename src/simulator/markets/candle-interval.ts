import { toCivilDate } from "../../core/calendar.js";
import { DAY_MS, MINUTE_MS, type Ms, WEEK_MS } from "../../core/units.js";
import { KLINE_INTERVALS } from "../../exchange/protocol/parameters.js";

/**
 * The name of a bar length; weeks and calendar months are those of UTC, and a week starts on
 * Monday.
 */
export type CandleInterval = (typeof KLINE_INTERVALS)[number];

/** An interval by its name in upper or lower case; undefined for an unknown name. */
export function readInterval(name: string): CandleInterval | undefined {
  const isOneCase = name === name.toUpperCase() || name === name.toLowerCase();
  return isOneCase
    ? KLINE_INTERVALS.find((interval) => interval === name.toUpperCase())
    : undefined;
}

/** The epoch was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
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

/**
 * The start of the bar that contains an instant.
 * @param timeMs milliseconds since the epoch, not negative.
 */
export function barStart(interval: CandleInterval, timeMs: Ms): Ms {
  if (interval === "1MO") {
    return monthStart(timeMs);
  }
  if (interval === "1W") {
    return timeMs - ((timeMs - FIRST_MONDAY_MS + WEEK_MS) % WEEK_MS);
  }
  return timeMs - (timeMs % (LENGTH_MINUTES[interval] * MINUTE_MS));
}

/** The first instant after the bar that starts at `startMs`. */
export function barEnd(interval: CandleInterval, startMs: Ms): Ms {
  if (interval === "1MO") {
    // A month has 28 to 31 days, so 31 days after its start is always in the next one.
    return monthStart(startMs + 31 * DAY_MS);
  }
  return startMs + (interval === "1W" ? WEEK_MS : LENGTH_MINUTES[interval] * MINUTE_MS);
}

/** The first instant of the UTC month. */
function monthStart(timeMs: Ms): Ms {
  return (Math.floor(timeMs / DAY_MS) - toCivilDate(timeMs).day + 1) * DAY_MS;
}
