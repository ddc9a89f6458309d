import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockPollSchedule } from "#chain/block-poll-schedule.js";
import { seededRandom } from "#core/seeded-random.js";

const POLL_MS = 500;
const ROUND_TRIP_MS = 20;

interface Watched {
  /** Time from each block to the poll that found it, ms. */
  readonly lateMs: readonly number[];
  readonly looks: number;
}

/** Looks at a chain whose blocks come at these instants, from the first to the last. */
function watch(arrivals: readonly number[], rhythm = new BlockPollSchedule(POLL_MS)): Watched {
  const lateMs: number[] = [];
  let looks = 0;
  let seen = 0;
  for (let atMs = 0; seen < arrivals.length; ) {
    const answeredMs = atMs + ROUND_TRIP_MS;
    const head = arrivals.filter((arrival) => arrival <= atMs + ROUND_TRIP_MS / 2).length;
    for (let i = seen; i < head; i += 1) lateMs.push(answeredMs - (arrivals[i] as number));
    seen = head;
    looks += 1;
    rhythm.recordPoll(head, atMs);
    atMs = answeredMs + rhythm.waitMs(answeredMs);
  }
  return { lateMs, looks };
}

const every = (blockMs: number, count: number, jitterMs = 0): number[] => {
  const random = seededRandom(`${blockMs} ${jitterMs}`);
  return Array.from(
    { length: count },
    (_, i) => 100 + (i + 1) * blockMs + Math.floor(jitterMs * random.uniform()),
  );
};
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("a chain with a block every so often", () => {
  it.each([1_000, 2_000, 2_345, 12_000])(
    "of %d ms is looked at just when a block comes, with fewer looks than at one interval",
    (blockMs) => {
      const { lateMs, looks } = watch(every(blockMs, 60));
      expect(mean(lateMs.slice(20))).toBeLessThan(60);
      expect(Math.max(...lateMs.slice(20))).toBeLessThan(150);
      const learningLooks = (6 * blockMs) / POLL_MS;
      expect(looks).toBeLessThan(learningLooks + 60 * 2.5);
    },
  );

  it("is followed where each block is late by another time", () => {
    const { lateMs, looks } = watch(every(2_000, 100, 200));
    expect(mean(lateMs.slice(15))).toBeLessThan(150);
    expect(looks).toBeLessThan(100 * 4.5);
  });

  it("keeps its poll times after a missing block, and after an early one", () => {
    const regular = every(2_000, 80);
    const without = regular.filter((_, i) => i !== 40);
    expect(mean(watch(without).lateMs.slice(45))).toBeLessThan(60);
    const early = [...regular, (regular[40] as number) + 700].sort((a, b) => a - b);
    expect(mean(watch(early).lateMs.slice(50))).toBeLessThan(60);
  });

  it("is followed when its clock runs at another speed than ours", () => {
    const drifting = Array.from({ length: 100 }, (_, i) => Math.round((i + 1) * 2_000.4));
    expect(mean(watch(drifting).lateMs.slice(15))).toBeLessThan(60);
  });
});

describe("any other chain", () => {
  it("is polled at a fixed interval when blocks come faster than that", () => {
    const { lateMs, looks } = watch(every(250, 200));
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(POLL_MS + 2 * ROUND_TRIP_MS);
    expect(looks).toBeLessThanOrEqual((250 * 200) / POLL_MS + 3);
  });

  it("is polled at a fixed interval again a few blocks after its block times become irregular", () => {
    const regular = every(2_000, 30);
    const end = regular.at(-1) as number;
    const random = seededRandom("irregular");
    let atMs = end;
    const irregular = Array.from({ length: 60 }, () => {
      atMs += 300 + Math.floor(6_000 * random.uniform());
      return atMs;
    });
    const { lateMs } = watch([...regular, ...irregular]);
    const late = [...lateMs.slice(45)].sort((a, b) => a - b);
    expect(late[Math.floor(late.length * 0.9)]).toBeLessThanOrEqual(POLL_MS + 2 * ROUND_TRIP_MS);
  });

  it("is never polled later than its block interval, nor without a pause", () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 8_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(gaps, (between) => {
        const rhythm = new BlockPollSchedule(POLL_MS);
        let atMs = 0;
        for (const [i, gap] of between.entries()) {
          atMs += gap;
          rhythm.recordPoll(Math.floor(i / 2), atMs);
          const waitMs = rhythm.waitMs(atMs);
          expect(waitMs).toBeGreaterThanOrEqual(POLL_MS / 20);
          expect(waitMs).toBeLessThanOrEqual(Math.max(POLL_MS, ...between) * 2);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("keeps its poll times when the chain goes back or blocks are skipped", () => {
    const rhythm = new BlockPollSchedule(POLL_MS);
    for (let i = 0; i < 10; i += 1) rhythm.recordPoll(10 + i, i * 2_000);
    rhythm.recordPoll(15, 18_500);
    expect(rhythm.waitMs(18_520)).toBeGreaterThan(POLL_MS);
    rhythm.recordPoll(18, 24_500);
    expect(rhythm.waitMs(24_520)).toBeGreaterThan(2 * POLL_MS);
  });
});
