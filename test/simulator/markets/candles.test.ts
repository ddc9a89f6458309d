import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KLINE_INTERVALS } from "#exchange/parameters.js";
import { barEnd, barStart, type CandleInterval, readInterval } from "#simulator/candle-interval.js";
import { type Candle, CandleSeries } from "#simulator/candles.js";

interface Event {
  readonly price: bigint;
  readonly lots: number;
  readonly quote: bigint;
  readonly timeMs: number;
}

/** The start of a bar by JavaScript's calendar, which the exchange itself does not use. */
function calendarStart(interval: CandleInterval, timeMs: number): number {
  const date = new Date(timeMs);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (interval) {
    case "1MO":
      return Date.UTC(year, month, 1);
    case "1W":
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case "1D":
      return Date.UTC(year, month, day);
    default: {
      const minutes = {
        "1M": 1,
        "5M": 5,
        "15M": 15,
        "30M": 30,
        "1H": 60,
        "2H": 120,
        "4H": 240,
        "6H": 360,
      }[interval];
      const ofDay = date.getUTCHours() * 60 + date.getUTCMinutes();
      return Date.UTC(year, month, day, 0, ofDay - (ofDay % minutes));
    }
  }
}

/** The plain algorithm: put each trade into its bar, and sort the bars. */
function naiveBars(interval: CandleInterval, events: readonly Event[]): Candle[] {
  const groups = new Map<number, Event[]>();
  for (const event of events) {
    const timeMs = calendarStart(interval, event.timeMs);
    groups.set(timeMs, [...(groups.get(timeMs) ?? []), event]);
  }
  return [...groups.entries()].map(([timeMs, group]) => {
    const prices = group.map(({ price }) => price).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    return {
      timeMs,
      open: group[0]?.price as bigint,
      close: group.at(-1)?.price as bigint,
      high: prices.at(-1) as bigint,
      low: prices[0] as bigint,
      volumeLots: group.reduce((sum, { lots }) => sum + lots, 0),
      volumeQuote: group.reduce((sum, { quote }) => sum + quote, 0n),
    };
  });
}

/** The same with a flat bar for each missing one between the first and `nowMs`, by the calendar. */
function naiveFilled(interval: CandleInterval, bars: readonly Candle[], nowMs: number): Candle[] {
  const byStart = new Map(bars.map((bar) => [bar.timeMs, bar]));
  const filled: Candle[] = [];
  for (let timeMs = bars[0]?.timeMs ?? nowMs + 1; timeMs <= nowMs; ) {
    const close = filled.at(-1)?.close ?? 0n;
    filled.push(
      byStart.get(timeMs) ?? {
        timeMs,
        open: close,
        close,
        high: close,
        low: close,
        volumeLots: 0,
        volumeQuote: 0n,
      },
    );
    let next = timeMs;
    do {
      next += 60_000;
    } while (calendarStart(interval, next) === timeMs);
    timeMs = next;
  }
  return filled;
}

function naivePage(
  bars: readonly Candle[],
  page: { startMs?: number; endMs?: number; limit: number },
): Candle[] {
  const inside = bars.filter(
    ({ timeMs }) =>
      timeMs >= (page.startMs ?? 0) && timeMs < (page.endMs ?? Number.POSITIVE_INFINITY),
  );
  return page.startMs === undefined ? inside.slice(-page.limit) : inside.slice(0, page.limit);
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** 2027-12-30: a leap year, a leap day and a turn of the year are ahead. */
const FROM_MS = Date.UTC(2027, 11, 30, 23, 50);

/** Trades in ascending time, in bursts, with pauses up to `longestMs`. */
const eventsWithin = (longestMs: number, most: number) =>
  fc
    .array(
      fc.record({
        gapMs: fc.oneof(
          fc.constant(0),
          fc.integer({ min: 0, max: 3 * MINUTE_MS }),
          fc.integer({ min: 0, max: longestMs }),
        ),
        ticks: fc.integer({ min: 1, max: 1000 }),
        lots: fc.integer({ min: 1, max: 50 }),
      }),
      { minLength: 1, maxLength: most },
    )
    .map((steps) => {
      let timeMs = FROM_MS;
      return steps.map(({ gapMs, ticks, lots }): Event => {
        timeMs += gapMs;
        return { price: BigInt(ticks), lots, quote: BigInt(ticks * lots), timeMs };
      });
    });

const pageOver = (spanMs: number) =>
  fc.record(
    {
      startMs: fc.integer({ min: FROM_MS - DAY_MS, max: FROM_MS + spanMs }),
      endMs: fc.integer({ min: FROM_MS - DAY_MS, max: FROM_MS + spanMs }),
      limit: fc.integer({ min: 1, max: 40 }),
    },
    { requiredKeys: ["limit"] },
  );

describe("bars of every interval", () => {
  it.each(KLINE_INTERVALS)(
    "of %s are what the list of trades adds up to, and a page is a part of them",
    (interval) => {
      fc.assert(
        fc.property(eventsWithin(40 * DAY_MS, 60), pageOver(1000 * DAY_MS), (events, page) => {
          const series = new CandleSeries({ keep: 500, emptyBars: "omit" });
          for (const { price, lots, quote, timeMs } of events)
            series.record(price, lots, quote, timeMs);
          const nowMs = events.at(-1)?.timeMs as number;
          const bars = naiveBars(interval, events);
          expect(series.page(interval, { limit: 500 }, nowMs)).toEqual(bars);
          expect(series.page(interval, page, nowMs)).toEqual(naivePage(bars, page));
          expect(series.newest(interval, nowMs)).toEqual(bars.at(-1));
        }),
        { numRuns: 60 },
      );
    },
  );

  it.each([
    ["1M", 20 * MINUTE_MS],
    ["15M", 4 * 3_600_000],
    ["6H", 2 * DAY_MS],
    ["1W", 20 * DAY_MS],
    ["1MO", 40 * DAY_MS],
  ] as const)(
    "of %s repeat the last close through intervals without a trade, when the venue is told to",
    (interval, longestMs) => {
      fc.assert(
        fc.property(
          eventsWithin(longestMs, 8),
          fc.integer({ min: 0, max: longestMs }),
          pageOver(8 * longestMs),
          (events, laterMs, page) => {
            const series = new CandleSeries({ keep: 500, emptyBars: "repeat" });
            for (const { price, lots, quote, timeMs } of events)
              series.record(price, lots, quote, timeMs);
            const nowMs = (events.at(-1)?.timeMs as number) + laterMs;
            const bars = naiveFilled(interval, naiveBars(interval, events), nowMs);
            expect(series.page(interval, { limit: 500 }, nowMs)).toEqual(bars.slice(-500));
            expect(series.page(interval, page, nowMs)).toEqual(naivePage(bars, page));
          },
        ),
        { numRuns: 15 },
      );
    },
  );

  it("are restored from a store unchanged, and continue", () => {
    fc.assert(
      fc.property(eventsWithin(3 * DAY_MS, 40), fc.integer({ min: 0, max: 40 }), (events, cut) => {
        const options = { keep: 500, emptyBars: "omit" } as const;
        const whole = new CandleSeries(options);
        const before = new CandleSeries(options);
        const after = new CandleSeries(options);
        for (const { price, lots, quote, timeMs } of events)
          whole.record(price, lots, quote, timeMs);
        for (const { price, lots, quote, timeMs } of events.slice(0, cut))
          before.record(price, lots, quote, timeMs);
        for (const interval of KLINE_INTERVALS) after.restore(interval, before.bars(interval));
        for (const { price, lots, quote, timeMs } of events.slice(cut))
          after.record(price, lots, quote, timeMs);
        for (const interval of KLINE_INTERVALS)
          expect(after.bars(interval)).toEqual(whole.bars(interval));
      }),
      { numRuns: 30 },
    );
  });

  it("are kept up to a number of each, the newest, and a long bar does not depend on dropped short ones", () => {
    const series = new CandleSeries({ keep: 10, emptyBars: "omit" });
    for (let minute = 0; minute < 1000; minute += 1)
      series.record(BigInt(minute), 1, 1n, Date.UTC(2026, 5, 1) + minute * MINUTE_MS);
    const minutes = series.bars("1M");
    expect(minutes.map(({ open }) => open)).toEqual(
      [...Array(10).keys()].map((place) => BigInt(990 + place)),
    );
    expect(series.page("1M", { limit: 500 }, Date.UTC(2026, 5, 2))).toHaveLength(10);
    expect(series.page("1M", { startMs: 0, limit: 500 }, Date.UTC(2026, 5, 2))[0]?.open).toBe(990n);
    expect(series.bars("1D")).toMatchObject([{ open: 0n, close: 999n, volumeLots: 1000 }]);
  });

  it("add an event of a clock that went back to the bar in progress", () => {
    const series = new CandleSeries({ keep: 10, emptyBars: "omit" });
    series.record(5n, 1, 1n, FROM_MS);
    series.record(7n, 1, 1n, FROM_MS - 5 * MINUTE_MS);
    expect(series.bars("1M")).toMatchObject([
      { timeMs: FROM_MS, open: 5n, close: 7n, high: 7n, volumeLots: 2 },
    ]);
  });
});

describe("the calendar", () => {
  it("begins and ends bars where that of the language does, for three hundred years", () => {
    const intervals = fc.constantFrom(...KLINE_INTERVALS);
    fc.assert(
      fc.property(intervals, fc.integer({ min: 0, max: Date.UTC(2270, 0) }), (interval, timeMs) => {
        const startMs = barStart(interval, timeMs);
        expect(startMs).toBe(calendarStart(interval, timeMs));
        expect(calendarStart(interval, barEnd(interval, startMs))).toBe(barEnd(interval, startMs));
        expect(calendarStart(interval, barEnd(interval, startMs) - 1)).toBe(startMs);
      }),
      { numRuns: 2000 },
    );
  });

  it("names intervals in upper and in lower case, and in no mixture", () => {
    for (const interval of KLINE_INTERVALS) {
      expect(readInterval(interval)).toBe(interval);
      expect(readInterval(interval.toLowerCase())).toBe(interval);
    }
    expect([readInterval("1Mo"), readInterval("3M"), readInterval(""), readInterval("1")]).toEqual(
      Array(4).fill(undefined),
    );
  });
});
