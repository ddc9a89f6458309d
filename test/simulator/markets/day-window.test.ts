import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DayWindow } from "#simulator/day-window.js";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 5, 1);

const steps = fc.array(
  fc.record({
    gapMs: fc.oneof(
      fc.integer({ min: 0, max: 5 * MINUTE_MS }),
      fc.integer({ min: 0, max: 9 * 3_600_000 }),
    ),
    price: fc.bigInt({ min: 1n, max: 1000n }),
    lots: fc.integer({ min: 0, max: 50 }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe("the last 24 hours", () => {
  it("contain the trades of every minute that is not entirely older", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 30 * 3_600_000 }), (trades, laterMs) => {
        const window = new DayWindow();
        let nowMs = START_MS;
        const done: { price: bigint; lots: number; timeMs: number }[] = [];
        const look = () => {
          const isIn = ({ timeMs }: { timeMs: number }) =>
            timeMs - (timeMs % MINUTE_MS) + MINUTE_MS > nowMs - DAY_MS;
          const inside = done.filter(isIn);
          const prices = inside.map(({ price }) => price);
          expect(window.volume(nowMs)).toEqual({
            lots: inside.reduce((sum, { lots }) => sum + lots, 0),
            quote: inside.reduce((sum, { price, lots }) => sum + price * BigInt(lots), 0n),
          });
          expect(window.extremes(nowMs)).toEqual(
            prices.length === 0
              ? undefined
              : {
                  high: prices.reduce((a, b) => (a > b ? a : b)),
                  low: prices.reduce((a, b) => (a < b ? a : b)),
                },
          );
          expect(window.priceAgo(nowMs)).toBe(
            done.filter((trade) => !isIn(trade)).at(-1)?.price ?? done[0]?.price,
          );
          expect(window.minutes.length).toBeLessThanOrEqual(1441);
        };
        for (const { gapMs, price, lots } of trades) {
          nowMs += gapMs;
          done.push({ price, lots, timeMs: nowMs });
          window.record(price, lots, price * BigInt(lots), nowMs);
          look();
        }
        nowMs += laterMs;
        look();
        const restored = new DayWindow();
        restored.restore(window.minutes, window.before);
        expect(restored).toEqual(window);
        expect(restored.volume(nowMs)).toEqual(window.volume(nowMs));
      }),
      { numRuns: 60 },
    );
  });

  it("have no price before the first trade", () => {
    const window = new DayWindow();
    expect(window.priceAgo(START_MS)).toBeUndefined();
    expect(window.extremes(START_MS)).toBeUndefined();
    expect(window.volume(START_MS)).toEqual({ lots: 0, quote: 0n });
  });

  it("hold the minutes of one day and the current one, and no more", () => {
    const window = new DayWindow();
    for (let minute = 0; minute < 3 * 1440; minute += 1)
      window.record(BigInt(minute), 1, 1n, START_MS + minute * MINUTE_MS);
    expect(window.minutes.length).toBe(1441);
    expect(window.volume(START_MS + 3 * DAY_MS)).toEqual({ lots: 1440, quote: 1440n });
    expect(window.priceAgo(START_MS + 3 * DAY_MS)).toBe(BigInt(2 * 1440 - 1));
  });
});
