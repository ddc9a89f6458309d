import { describe, expect, it } from "vitest";
import { StallDetector } from "#cli/stall-detector.js";

describe("the watch over another thread's event loop", () => {
  it("finds a stall after the allowed time, reports it once, and gives its length when it is over", () => {
    const watch = new StallDetector(1_000, 200, 0);
    const changes = [];
    for (let nowMs = 200, beats = 1; nowMs <= 4_000; nowMs += 200) {
      if (nowMs <= 1_000 || nowMs > 3_000) beats += 1;
      const change = watch.check(beats, nowMs);
      if (change !== undefined) changes.push({ nowMs, ...change });
    }
    expect(changes).toEqual([
      { nowMs: 2_000, isStalled: true, silentMs: 1_000 },
      { nowMs: 3_200, isStalled: false, silentMs: 2_200 },
    ]);
  });

  it("does not take a suspended machine for a stall: both threads stopped", () => {
    const watch = new StallDetector(1_000, 200, 0);
    watch.check(1, 200);
    expect(watch.check(1, 600_000)).toBeUndefined();
    expect(watch.check(2, 600_200)).toBeUndefined();
  });
});
