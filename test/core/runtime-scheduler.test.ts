import {
  asyncScheduler,
  debounceTime,
  EMPTY,
  interval,
  map,
  type SchedulerLike,
  Subject,
  take,
  timeout,
  timer,
} from "rxjs";
import { describe, expect, it } from "vitest";
import { createRxScheduler } from "#core/rx-scheduler.js";
import { VirtualClock } from "#core/virtual-clock.js";

const START_MS = 1_700_000_000_000;

function atStart(): { clock: VirtualClock; scheduler: SchedulerLike } {
  const clock = new VirtualClock(START_MS);
  return { clock, scheduler: createRxScheduler(clock) };
}

describe("runtime scheduler", () => {
  it("drives interval and timer in virtual time, and leaves no timer when they end", async () => {
    const { clock, scheduler } = atStart();
    const seen: string[] = [];
    interval(10, scheduler)
      .pipe(take(3))
      .subscribe((tick) => seen.push(`interval ${tick} at ${clock.monotonicMs()}`));
    timer(15, scheduler).subscribe(() => seen.push(`timer at ${clock.monotonicMs()}`));
    await clock.runFor(100);
    expect(seen).toEqual([
      "interval 0 at 10",
      "timer at 15",
      "interval 1 at 20",
      "interval 2 at 30",
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("debounces by steady time: a wall clock stepped back an hour does not hold a quote back an hour", async () => {
    const { clock, scheduler } = atStart();
    const seen: number[] = [];
    const source = new Subject<number>();
    source
      .pipe(debounceTime(50, scheduler))
      .subscribe((value) => seen.push(value, clock.monotonicMs()));
    source.next(1);
    await clock.runFor(30);
    source.next(2);
    clock.stepWall(-3_600_000);
    await clock.runFor(200);
    expect(seen).toEqual([2, 80]);
  });

  it("reads as the wall clock at first", async () => {
    const { clock, scheduler } = atStart();
    await clock.runFor(5);
    expect(scheduler.now()).toBe(START_MS + 5);
  });

  it("never runs work synchronously, and does not run it after unsubscribe", async () => {
    const { clock, scheduler } = atStart();
    let ran = 0;
    const work = (): void => {
      ran += 1;
    };
    scheduler.schedule(work);
    scheduler.schedule(work, 5).unsubscribe();
    expect(ran).toBe(0);
    await clock.runFor(10);
    expect(ran).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("lets an action schedule itself again with a state, as asyncScheduler does", async () => {
    const { clock, scheduler } = atStart();
    const run = (on: SchedulerLike, seen: number[]): Promise<void> =>
      new Promise((resolve) => {
        on.schedule<number>(
          function (left) {
            seen.push(left ?? -1);
            if (left !== undefined && left > 0) {
              this.schedule(left - 1, 1);
            } else {
              resolve();
            }
          },
          1,
          3,
        );
      });
    const ours: number[] = [];
    const theirs: number[] = [];
    void run(scheduler, ours);
    await clock.runFor(10);
    await run(asyncScheduler, theirs);
    expect(ours).toEqual(theirs);
    expect(ours).toEqual([3, 2, 1, 0]);
  });

  it("replaces what an action had pending", async () => {
    const { clock, scheduler } = atStart();
    const seen: [number, number][] = [];
    scheduler.schedule<number>(
      function (state = 0) {
        seen.push([state, clock.monotonicMs()]);
        if (state === 1) {
          this.schedule(2, 5);
          this.schedule(3, 7);
        }
      },
      1,
      1,
    );
    await clock.runFor(50);
    expect(seen).toEqual([
      [1, 1],
      [3, 8],
    ]);
  });

  it("does nothing more once an action is closed, not even from its own work", async () => {
    const { clock, scheduler } = atStart();
    const seen: number[] = [];
    const action = scheduler.schedule<number>(
      function (state = 0) {
        seen.push(state);
        this.schedule(2, 5);
        this.unsubscribe();
        this.schedule(3, 7);
      },
      1,
      1,
    );
    await clock.runFor(50);
    expect(seen).toEqual([1]);
    expect(action.closed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it("closes the action whose work throws, and the error comes out of the clock", async () => {
    const { clock, scheduler } = atStart();
    const action = scheduler.schedule(() => {
      throw new Error("broken operator");
    }, 1);
    await expect(clock.runFor(5)).rejects.toThrow("broken operator");
    expect(action.closed).toBe(true);
  });

  it("times out a source that has fallen silent", async () => {
    const { clock, scheduler } = atStart();
    const seen: string[] = [];
    new Subject<string>()
      .pipe(
        map((value) => value),
        timeout({ each: 30, with: () => EMPTY, scheduler }),
      )
      .subscribe({ complete: () => seen.push(`silent at ${clock.monotonicMs()}`) });
    await clock.runFor(100);
    expect(seen).toEqual(["silent at 30"]);
  });
});
