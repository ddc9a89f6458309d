import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReplayClock } from "../../src/backtest/engine/replay-clock.js";
import { Looks } from "../../src/bot/looks.js";

const EVERY_MS = 100;
const SPAN_MS = 5_000;

/** Something that becomes due: told at an instant, to be found by the first look that is not before another. */
interface Matter {
  readonly toldMs: number;
  readonly dueMs: number;
}

/** Passes the time up to an instant, and whatever is set within it. */
function pass(clock: ReplayClock, untilMs: number): void {
  while (clock.nextTimerUs <= untilMs * 1000) {
    clock.moveTo(clock.nextTimerUs);
    clock.fireDue();
  }
  clock.moveTo(untilMs * 1000);
}

/** When each matter is found, and how often was looked. */
function found(
  matters: readonly Matter[],
  leavesOut: boolean,
): { readonly atMs: readonly number[]; readonly looks: number } {
  const clock = new ReplayClock(0);
  const atMs = matters.map(() => Number.NaN);
  let count = 0;
  const look = (): void => {
    count += 1;
    const nowMs = clock.monotonicMs();
    for (const [at, { toldMs, dueMs }] of matters.entries())
      if (toldMs <= nowMs && Number.isNaN(atMs[at]) && dueMs <= nowMs) atMs[at] = nowMs;
  };
  const nextDueMs = (): number => {
    const nowMs = clock.monotonicMs();
    // A bot always has something to look at in the end.
    let nextMs = nowMs + SPAN_MS;
    for (const [at, { toldMs, dueMs }] of matters.entries()) {
      if (toldMs <= nowMs && Number.isNaN(atMs[at])) nextMs = Math.min(nextMs, dueMs);
    }
    return leavesOut ? nextMs : nowMs;
  };
  const looks = new Looks(clock, EVERY_MS, look, nextDueMs);
  for (const { toldMs } of matters) clock.setTimer(toldMs, () => looks.soon());
  looks.now();
  pass(clock, 2 * SPAN_MS);
  return { atMs, looks: count };
}

describe("looks that leave out instants", () => {
  const ms = fc.oneof(
    fc.integer({ min: 1, max: SPAN_MS - 1 }),
    fc.integer({ min: 1, max: 49 }).map((times) => times * EVERY_MS),
  );
  const matters = fc.array(fc.record({ toldMs: ms, dueMs: ms }), { maxLength: 12 });

  // Later than that, and a book that has gone stale would keep its quotes for as long.
  it("find everything at the very instant at which looks at every instant do", () => {
    fc.assert(
      fc.property(matters, (all) => {
        const [sparse, dense] = [found(all, true), found(all, false)];
        expect(sparse.atMs).toEqual(dense.atMs);
        expect(sparse.looks).toBeLessThanOrEqual(dense.looks);
      }),
      { numRuns: 300 },
    );
  });

  it("are few where nothing happens, and lie on the grid", () => {
    const { atMs, looks } = found([{ toldMs: 130, dueMs: 1_250 }], true);
    // At 0, and at 1,300, the grid's first instant after it is due. At 200, since something happened at 130, it is only asked whether anything is.
    expect([atMs, looks]).toEqual([[1_300], 2]);
    expect(found([], false).looks).toBe(1 + (2 * SPAN_MS) / EVERY_MS);
  });

  it("end where nothing can be due any more, and begin again at once", () => {
    const clock = new ReplayClock(0);
    const at: number[] = [];
    const look = (): void => {
      at.push(clock.monotonicMs());
    };
    const looks = new Looks(clock, EVERY_MS, look, () =>
      at.length < 3 ? clock.monotonicMs() : Number.POSITIVE_INFINITY,
    );
    looks.now();
    pass(clock, 1_000);
    looks.soon();
    pass(clock, 2_000);
    looks.now();
    pass(clock, 3_000);
    expect(at).toEqual([0, 100, 200, 2_000]);
  });
});
