import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  defaultSlices,
  EvenSchedule,
  OptimalSchedule,
  sliceMs,
  VolumeSchedule,
} from "#strategies/work-schedule.js";
import { testInstrument, testView } from "./fixtures.js";

const FROM = 1_000_000;
/** Ten slices of 10 s, and 10 s to take what is left. */
const span = { lots: 1_000, fromMs: FROM, byMs: FROM + 110_000, slices: 10 };
const seconds = Array.from({ length: 111 }, (_, second) => second);

describe("the schedule of a TWAP", () => {
  it("allows each even part at the start of its slice, and has it due at the end", () => {
    const schedule = new EvenSchedule(span);
    for (const second of seconds) {
      const ended = Math.min(10, Math.floor(second / 10));
      expect(schedule.observe({ timeMs: FROM + second * 1000 })).toEqual({
        dueLots: 100 * ended,
        allowedLots: Math.min(1_000, 100 * (ended + 1)),
      });
    }
  });

  it("has every lot due before its end, however few lots there are for the slices", () => {
    for (const lots of [0, 1, 3, 7, 11]) {
      const schedule = new EvenSchedule({ ...span, lots });
      expect(schedule.observe({ timeMs: FROM + 100_000 })).toEqual({
        dueLots: lots,
        allowedLots: lots,
      });
    }
  });

  it("has a slice for each 30 s, from 5 to 120", () => {
    expect(defaultSlices(0, 600_000)).toBe(20);
    expect(defaultSlices(0, 10_000)).toBe(5);
    expect(defaultSlices(0, 86_400_000)).toBe(120);
    expect(sliceMs(span)).toBe(10_000);
  });

  it("leaves time to take the last slice, however many slices there are", () => {
    expect(sliceMs({ fromMs: 0, byMs: 60_000, slices: 1000 })).toBeCloseTo(57);
    expect(sliceMs({ fromMs: 0, byMs: 4_000, slices: 1000 })).toBeCloseTo(3);
  });
});

describe("the schedule of a share of the volume", () => {
  it("allows the share of what has traded since the start, and has it due a slice later", () => {
    const schedule = new VolumeSchedule(span, 0.1);
    let traded = 0;
    const allowedBy: number[] = [];
    for (const second of seconds) {
      const lots = (second * 7) % 13;
      // Trades before the first view are before the start.
      if (second > 0) traded += lots;
      const progress = schedule.observe({ timeMs: FROM + second * 1000, tradedLots: lots });
      allowedBy.push(Math.min(1_000, Math.floor(traded / 10)));
      expect(progress).toEqual({
        allowedLots: allowedBy[second],
        dueLots: allowedBy[second - 10] ?? 0,
      });
    }
    expect(traded).toBeGreaterThan(500);
  });

  it("never allows more than its size", () => {
    const schedule = new VolumeSchedule({ ...span, lots: 5 }, 1);
    schedule.observe({ timeMs: FROM, tradedLots: 0 });
    expect(schedule.observe({ timeMs: FROM + 1, tradedLots: 10_000 }).allowedLots).toBe(5);
  });
});

describe("the schedule of Almgren and Chriss", () => {
  const optimal = (riskAversion: number, volatilityBps: number | undefined) =>
    new OptimalSchedule({
      ...span,
      instrument: testInstrument,
      isBuy: true,
      riskAversion,
      volatilityBps,
    });
  const at = (second: number) => testView({ timeMs: FROM + second * 1000 });

  it("holds at the start of each slice what the closed form does", () => {
    const schedule = optimal(1e-3, 10);
    // Mid 1000 quote, 10 bps: 1 quote per root second. Depth: 0.1 base in one tick of 0.1 quote.
    const tau = 10;
    const eta = (tau * 0.1) / (2 * 0.1);
    const kappa = Math.acosh((((1e-3 * 1 * 1) / eta) * tau * tau) / 2 + 1) / tau;
    const held = (k: number) =>
      Math.round((1_000 * Math.sinh(kappa * (100 - k * tau))) / Math.sinh(kappa * 100));
    for (const second of seconds) {
      const ended = Math.min(10, Math.floor(second / 10));
      expect(schedule.observe(at(second))).toEqual({
        dueLots: 1_000 - held(ended),
        allowedLots: 1_000 - held(Math.min(10, ended + 1)),
      });
    }
    expect(held(1), "it trades earlier than in even parts").toBeLessThan(890);
  });

  it("trades in even parts without risk aversion", () => {
    const [schedule, even] = [optimal(0, 10), new EvenSchedule(span)];
    for (const second of seconds)
      expect(schedule.observe(at(second))).toEqual(even.observe(at(second)));
  });

  it("trades faster once it measures more volatility", () => {
    const progressAt50 = (moveTicks: number) => {
      const schedule = optimal(1e-2, undefined);
      for (const second of seconds.slice(0, 50)) {
        const bid = 9_999 + (second % 2) * moveTicks;
        schedule.observe(testView({ timeMs: FROM + second * 1000, bid, ask: bid + 2 }));
      }
      return schedule.observe(at(50)).dueLots;
    };
    expect(progressAt50(20)).toBeGreaterThan(progressAt50(1));
  });
});

describe("every schedule", () => {
  it("only grows, allows what is due, and never more than the size, whatever trades", () => {
    const view = fc.record({
      afterMs: fc.integer({ min: 0, max: 9_000 }),
      tradedLots: fc.integer({ min: 0, max: 3_000 }),
      bid: fc.integer({ min: 9_000, max: 11_000 }),
    });
    const style = fc.constantFrom("twap", "pov", "almgren-chriss");
    fc.assert(
      fc.property(style, fc.nat(5_000), fc.array(view, { maxLength: 60 }), (kind, lots, views) => {
        const own = { ...span, lots };
        const schedule =
          kind === "twap"
            ? new EvenSchedule(own)
            : kind === "pov"
              ? new VolumeSchedule(own, 0.3)
              : new OptimalSchedule({
                  ...own,
                  instrument: testInstrument,
                  isBuy: false,
                  riskAversion: 1e-3,
                  volatilityBps: undefined,
                });
        let [timeMs, due, allowed] = [FROM, 0, 0];
        for (const { afterMs, tradedLots, bid } of views) {
          timeMs += afterMs;
          const progress = schedule.observe(testView({ timeMs, tradedLots, bid, ask: bid + 2 }));
          expect(progress.dueLots).toBeGreaterThanOrEqual(due);
          expect(progress.allowedLots).toBeGreaterThanOrEqual(Math.max(allowed, progress.dueLots));
          expect(progress.allowedLots).toBeLessThanOrEqual(lots);
          ({ dueLots: due, allowedLots: allowed } = progress);
        }
      }),
    );
  });
});
