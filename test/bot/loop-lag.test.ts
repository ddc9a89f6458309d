import { describe, expect, it } from "vitest";
import { LoopLag } from "#bot/loop-lag.js";

/** Checks every 100 ms, each late by `lateMs`, for this long. @returns the changes, and when */
function runsFor(lag: LoopLag, forMs: number, lateMs: number, from = { ms: 0 }): string[] {
  const changes: string[] = [];
  for (const endMs = from.ms + forMs; from.ms < endMs; ) {
    from.ms += 100 + lateMs;
    const before = lag.isOverLimit;
    if (lag.note(lateMs, from.ms)) changes.push(`${lag.isShedding ? "sheds" : "sheds no more"}`);
    if (lag.isOverLimit !== before)
      changes.push(lag.isOverLimit ? "over its limit" : "below its limit");
  }
  return changes;
}

describe("the lag of a bot's event loop", () => {
  it("does not halt a bot for one pause of half a second, such as a garbage collection", () => {
    const lag = new LoopLag(500);
    const at = { ms: 0 };
    runsFor(lag, 1_000, 0, at);
    runsFor(lag, 1, 500, at);
    expect(lag.isOverLimit).toBe(false);
    expect(lag.lagMs).toBeLessThan(200);
  });

  it("sheds load long before quotes have to be cancelled, and both end by themselves", () => {
    const lag = new LoopLag(500);
    const at = { ms: 0 };
    expect(runsFor(lag, 1_000, 0, at)).toEqual([]);
    expect(runsFor(lag, 10_000, 100, at)).toEqual(["sheds"]);
    expect(lag.roundMs).toBe(100);
    expect(runsFor(lag, 10_000, 1_000, at)).toEqual(["over its limit"]);
    expect(lag.roundMs).toBe(500);
    expect(runsFor(lag, 3_000, 0, at)).toEqual(["below its limit"]);
    expect(runsFor(lag, 20_000, 0, at)).toEqual(["sheds no more"]);
  });

  it("cancels quotes within three seconds if the loop is a second late", () => {
    const lag = new LoopLag(500);
    const at = { ms: 0 };
    runsFor(lag, 3_000, 1_000, at);
    expect(lag.isOverLimit).toBe(true);
  });

  it("has no effect in the replay of a journal from before the limit", () => {
    const lag = new LoopLag(undefined);
    expect(runsFor(lag, 10_000, 5_000)).toEqual([]);
    expect([lag.isShedding, lag.isOverLimit]).toEqual([false, false]);
  });
});
