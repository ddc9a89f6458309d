import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";

const START_MS = 1_700_000_000_000;

describe("virtual clock", () => {
  it("fires timers by instant, and in order of setting where instants tie", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 }),
        async (delays) => {
          const clock = new VirtualClock(START_MS);
          const fired: { delay: number; place: number; atMs: number }[] = [];
          delays.forEach((delay, place) => {
            clock.setTimer(delay, () =>
              fired.push({ delay, place, atMs: clock.nowMs() - START_MS }),
            );
          });
          await clock.runFor(20);
          const expected = delays
            .map((delay, place) => ({ delay, place, atMs: delay }))
            .sort((a, b) => a.delay - b.delay || a.place - b.place);
          expect(fired).toEqual(expected);
        },
      ),
    );
  });

  it("keeps the order and the count right whatever is cancelled, before or in the run", async () => {
    const plan = fc.record({
      delay: fc.integer({ min: 0, max: 30 }),
      cancelAtMs: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
      cancelAtOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { maxLength: 40 }), async (plans) => {
        const clock = new VirtualClock(START_MS);
        const fired: number[] = [];
        const timers = plans.map(({ delay }, place) =>
          clock.setTimer(delay, () => fired.push(place)),
        );
        plans.forEach(({ cancelAtMs, cancelAtOnce }, place) => {
          if (cancelAtOnce) {
            timers[place]?.cancel();
          } else if (cancelAtMs !== undefined) {
            clock.setTimer(cancelAtMs, () => timers[place]?.cancel());
          }
        });
        const expected = plans
          .map((each, place) => ({ ...each, place }))
          // A cancel set later for the same instant comes after the timer, so it is too late.
          .filter(
            ({ delay, cancelAtMs, cancelAtOnce }) =>
              !cancelAtOnce && (cancelAtMs === undefined || cancelAtMs >= delay),
          )
          .sort((a, b) => a.delay - b.delay || a.place - b.place)
          .map(({ place }) => place);
        await clock.runFor(30);
        expect(fired).toEqual(expected);
        expect(clock.pendingTimers).toBe(0);
      }),
    );
  });

  it("drains every microtask before time goes on, so an answer awaited ten deep is dealt with at its own instant", async () => {
    const clock = new VirtualClock(START_MS);
    const seen: number[] = [];
    const awaitTen = async (): Promise<void> => {
      for (let depth = 0; depth < 10; depth += 1) {
        await null;
      }
      seen.push(clock.monotonicMs());
    };
    clock.setTimer(5, () => void awaitTen());
    clock.setTimer(5, () => void awaitTen());
    clock.setTimer(6, () => seen.push(-1));
    await clock.runFor(10);
    expect(seen).toEqual([5, 5, -1]);
  });

  it("drains the caller's own microtasks before the first timer", async () => {
    const clock = new VirtualClock(START_MS);
    const order: string[] = [];
    clock.setTimer(0, () => order.push("timer"));
    void Promise.resolve()
      .then(() => null)
      .then(() => order.push("microtask"));
    await clock.runFor(0);
    expect(order).toEqual(["microtask", "timer"]);
  });

  it("fires a timer set meanwhile at its own instant, and leaves one beyond the end for the next run", async () => {
    const clock = new VirtualClock(START_MS);
    const seen: number[] = [];
    clock.setTimer(1, () => {
      clock.setTimer(0, () => seen.push(clock.monotonicMs()));
      clock.setTimer(1, () => seen.push(clock.monotonicMs()));
      clock.setTimer(100, () => seen.push(clock.monotonicMs()));
    });
    await clock.runFor(50);
    expect(seen).toEqual([1, 2]);
    expect(clock.monotonicMs()).toBe(50);
    await clock.runFor(51);
    expect(seen).toEqual([1, 2, 101]);
  });

  it("never fires synchronously, zero delay included", () => {
    const clock = new VirtualClock(START_MS);
    let fired = false;
    clock.setTimer(0, () => {
      fired = true;
    });
    expect(fired).toBe(false);
  });

  it("steps the wall without moving a timer, and runUntil means the wall as it reads at the call", async () => {
    const clock = new VirtualClock(START_MS);
    const walls: number[] = [];
    clock.setTimer(10, () => clock.stepWall(-3_600_000));
    clock.setTimer(20, () => walls.push(clock.nowMs()));
    await clock.runUntil(START_MS + 30);
    expect(walls).toEqual([START_MS - 3_600_000 + 20]);
    expect(clock.monotonicMs()).toBe(30);
    await clock.runUntil(START_MS - 3_600_000 + 40);
    expect(clock.monotonicMs()).toBe(40);
  });

  it("hands on what a timer throws, and can be run again", async () => {
    const clock = new VirtualClock(START_MS);
    let later = false;
    clock.setTimer(1, () => {
      throw new Error("broken strategy");
    });
    clock.setTimer(2, () => {
      later = true;
    });
    await expect(clock.runFor(10)).rejects.toThrow("broken strategy");
    expect(clock.monotonicMs()).toBe(1);
    expect(later).toBe(false);
    await clock.runFor(10);
    expect(later).toBe(true);
  });

  it("refuses to be run twice at once, and refuses a delay that is no duration", async () => {
    const clock = new VirtualClock(START_MS);
    const first = clock.runFor(1);
    await expect(clock.runFor(1)).rejects.toThrow("already running");
    await first;
    expect(() => clock.setTimer(Number.NaN, () => undefined)).toThrow("delayMs");
    await expect(clock.runFor(Number.POSITIVE_INFINITY)).rejects.toThrow("delayMs");
  });

  it("keeps nothing of cancelled timers: a day of answered requests leaves no time-outs behind", async () => {
    const clock = new VirtualClock(START_MS);
    for (let request = 0; request < 100_000; request += 1) {
      clock.setTimer(86_400_000, () => undefined).cancel();
    }
    expect(clock.pendingTimers).toBe(0);
  });
});
