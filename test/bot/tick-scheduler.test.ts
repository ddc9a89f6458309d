import { describe, expect, it } from "vitest";
import { ReplayClock } from "#backtest/replay-clock.js";
import { TickScheduler } from "#bot/tick-scheduler.js";

/** Advances the time to an instant, and fires each timer within it. */
function pass(clock: ReplayClock, untilMs: number): void {
  while (clock.nextTimerUs <= untilMs * 1000) {
    clock.moveTo(clock.nextTimerUs);
    clock.fireDue();
  }
  clock.moveTo(untilMs * 1000);
}

describe("a tick scheduler", () => {
  it("ticks at once, then an interval after each tick until it is stopped", () => {
    const clock = new ReplayClock(0);
    const atMs: number[] = [];
    const ticks = new TickScheduler(clock, 100, () => atMs.push(clock.monotonicMs()));
    pass(clock, 250);
    expect(atMs).toEqual([]);
    ticks.start();
    pass(clock, 500);
    ticks.stop();
    pass(clock, 1_000);
    expect(atMs).toEqual([250, 350, 450]);
  });

  it("sets no timer if the tick itself stops it, so that a bot that has ended leaves none", () => {
    const clock = new ReplayClock(0);
    const ticks = new TickScheduler(clock, 100, () => ticks.stop());
    ticks.start();
    expect(clock.nextTimerUs).toBe(Number.POSITIVE_INFINITY);
  });

  it("reports how late the newest tick was, so that a bot notices that it cannot keep up", () => {
    const clock = new ReplayClock(0);
    const ticks = new TickScheduler(clock, 100, () => {});
    ticks.start();
    clock.moveTo(130_000);
    clock.fireDue();
    expect(ticks.lateMs).toBe(30);
    pass(clock, 230);
    expect(ticks.lateMs).toBe(0);
  });
});
