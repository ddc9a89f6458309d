import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DelayWindow } from "#bot/delay-window.js";
import { LoopLag } from "#bot/loop-lag.js";

describe("the newest delays of the event loop", () => {
  it("are those of the last 600 checks, sorted or not", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 1_500 }),
        (delays) => {
          const window = new DelayWindow();
          for (const delay of delays) window.note(delay);
          const newest = delays.slice(-600).sort((a, b) => a - b);
          expect(window.lastMs).toBe(delays.at(-1));
          expect(window.quantileMs(1)).toBe(newest.at(-1));
          // As many checks as the share says were no later, and one fewer would not be enough.
          for (const share of [0.5, 0.99]) {
            const found = window.quantileMs(share);
            const noLater = newest.filter((delay) => delay <= found).length;
            const earlier = newest.filter((delay) => delay < found).length;
            expect(noLater).toBeGreaterThanOrEqual(share * newest.length);
            expect(earlier).toBeLessThan(share * newest.length);
          }
        },
      ),
    );
  });

  it("are zero before the first check", () => {
    const { delays } = new LoopLag(500);
    expect([delays.lastMs, delays.quantileMs(0.99)]).toEqual([0, 0]);
  });

  it("are noted of each check, also in a replay from before there was a limit", () => {
    const lag = new LoopLag(undefined);
    for (let check = 1; check <= 100; check++) lag.note(check, 100 * check);
    expect([lag.delays.lastMs, lag.delays.quantileMs(0.99)]).toEqual([100, 99]);
  });
});
