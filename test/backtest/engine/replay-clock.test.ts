import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReplayClock } from "#backtest/replay-clock.js";

const START_US = 1_795_356_345_123_456;

describe("the bot's clock in a replay", () => {
  // A timer that is next but never due would hold a replay at its instant for ever.
  it("fires a timer once it reached its due time, whatever microsecond it was set at", () => {
    // 1880.144 + 250 is a little more than 2130.144 in floating point.
    const clock = new ReplayClock(START_US);
    clock.moveTo(START_US + 1_880_144);
    const fired: number[] = [];
    clock.setTimer(250, () => fired.push(clock.nowUs));
    clock.moveTo(clock.nextTimerUs);
    clock.fireDue();
    expect([fired, clock.nextTimerUs]).toEqual([[START_US + 2_130_144], Number.POSITIVE_INFINITY]);
  });

  it("fires every timer at its microsecond, in order, and none before its time", () => {
    const delayMs = fc.oneof(
      fc.integer({ min: 0, max: 100_000 }),
      fc.double({ min: 0, max: 1000, noNaN: true }),
    );
    const set = fc.record({ afterUs: fc.integer({ min: 0, max: 10_000_000 }), delayMs });
    fc.assert(
      fc.property(fc.array(set, { minLength: 1, maxLength: 20 }), (timers) => {
        const clock = new ReplayClock(START_US);
        let left = timers.length;
        for (const { afterUs, delayMs } of timers) {
          clock.moveTo(clock.nowUs + afterUs);
          const atUs = clock.nowUs;
          clock.setTimer(delayMs, () => {
            left -= 1;
            const waitedUs = clock.nowUs - atUs;
            expect(waitedUs).toBeGreaterThanOrEqual(delayMs * 1000 - 1e-3);
          });
        }
        for (let steps = 0; clock.nextTimerUs < Number.POSITIVE_INFINITY; steps++) {
          expect(steps).toBeLessThan(timers.length);
          clock.moveTo(clock.nextTimerUs);
          clock.fireDue();
        }
        expect(left).toBe(0);
      }),
    );
  });
});
