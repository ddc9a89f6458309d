import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QuoteClock } from "#account/quote-clock.js";
import { QuoteSeries } from "#backtest/quote-series.js";
import { TimeGrid } from "#backtest/time-grid.js";

const MS = 1000;

describe("quoting over time", () => {
  it("is given for each interval between two samples, and undefined before any time has passed", () => {
    const clock = new QuoteClock(0);
    const series = new QuoteSeries();
    clock.touch(0, 100, 104);
    series.put(0, clock.times(0));
    clock.quote(2 * MS, "BUY", 97);
    series.put(4, clock.times(4 * MS));
    clock.quote(5 * MS, "SELL", 105);
    series.put(6, clock.times(6 * MS));
    // Bid 3 ticks behind for two of four ms, then all the time; ask 1 tick behind for one of two.
    const first = { both: 0, bid: 0.5, ask: 0, bidTicks: 3, askTicks: Number.NaN };
    const second = { both: 0.5, bid: 1, ask: 0.5, bidTicks: 3, askTicks: 1 };
    expect(series.stretches(9)).toEqual([
      undefined,
      first,
      first,
      first,
      first,
      second,
      second,
      undefined,
      undefined,
    ]);
  });

  it("adds up to the whole, however often buckets were joined: none of a quote's absence is smoothed away", () => {
    const change = fc.record({
      ms: fc.integer({ min: 1, max: 500 }),
      ticks: fc.option(fc.integer({ min: 90, max: 110 })),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
        const grid = new TimeGrid(0);
        const clock = new QuoteClock(0);
        const series = grid.attach(new QuoteSeries());
        clock.touch(0, 100, 104);
        let atMs = 0;
        for (const { ms, ticks } of changes) {
          clock.quote(atMs * MS, "BUY", ticks ?? Number.NaN);
          for (const untilMs = atMs + ms; atMs < untilMs; ) {
            atMs += 1;
            series.put(grid.bucketOf(atMs * MS), clock.times(atMs * MS));
          }
        }
        const { bid } = clock.times(atMs * MS);
        const widthMs = grid.widthUs / MS;
        let [restingMs, tickMs, beforeMs] = [0, 0, 0];
        for (const [bucket, stretch] of series.stretches(grid.bucketOf(atMs * MS) + 1).entries()) {
          const lookMs = Math.min((bucket + 1) * widthMs - 1, atMs);
          const ms = lookMs - beforeMs;
          if (ms > 0) restingMs += (stretch?.bid as number) * ms;
          if (ms > 0 && stretch?.bid !== 0)
            tickMs += (stretch?.bidTicks as number) * (stretch?.bid as number) * ms;
          beforeMs = lookMs;
        }
        expect(beforeMs).toBe(atMs);
        expect(restingMs * MS).toBeCloseTo(bid.restingUs, 3);
        expect(tickMs * MS).toBeCloseTo(bid.distanceTickUs, 3);
      }),
      { numRuns: 60 },
    );
  });
});
