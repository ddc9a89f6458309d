import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateBudget } from "#core/rate-budget.js";

const INTERVAL_MS = 1_000;

/** The obvious budget: every spend in a list, the window summed anew each time. */
class NaiveBudget {
  readonly spends: { atMs: number; tokens: number }[] = [];
  blockedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly limit: number,
    readonly intervalMs: number,
  ) {}

  available(nowMs: number): number {
    const spent = this.spends
      .filter(({ atMs }) => atMs + this.intervalMs > nowMs)
      .reduce((sum, { tokens }) => sum + tokens, 0);
    return nowMs < this.blockedUntilMs ? 0 : Math.max(0, this.limit - spent);
  }

  earliestMs(nowMs: number, tokens: number): number {
    const candidates = [
      nowMs,
      this.blockedUntilMs,
      ...this.spends.map(({ atMs }) => atMs + this.intervalMs),
    ];
    return Math.min(...candidates.filter((at) => at >= nowMs && this.available(at) >= tokens));
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("spend" as const),
      waitMs: fc.nat(400),
      tokens: fc.nat(4),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("charge" as const),
      waitMs: fc.nat(400),
      tokens: fc.nat(4),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("throttle" as const),
      waitMs: fc.nat(400),
      tokens: fc.nat(4),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("restart" as const),
      waitMs: fc.nat(400),
      tokens: fc.nat(4),
    }),
  },
);

describe("rate budget", () => {
  it("gives the same results as a naive list, through spends, other processes' spends, 429s and restarts", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(step, { maxLength: 120 }),
        (limit, steps) => {
          const naive = new NaiveBudget(limit, INTERVAL_MS);
          let budget = RateBudget.create(limit, INTERVAL_MS);
          let nowMs = 0;
          for (const { kind, waitMs, tokens } of steps) {
            nowMs += waitMs;
            expect(budget.available(nowMs)).toBe(naive.available(nowMs));
            expect(budget.earliestMs(nowMs, tokens)).toBe(
              tokens > limit ? Number.POSITIVE_INFINITY : naive.earliestMs(nowMs, tokens),
            );
            if (kind === "spend" && tokens <= naive.available(nowMs)) {
              budget = budget.spend(nowMs, tokens);
              naive.spends.push({ atMs: nowMs, tokens });
            } else if (kind === "spend") {
              expect(() => budget.spend(nowMs, tokens)).toThrow("rate budget");
            } else if (kind === "charge") {
              budget = budget.charge(nowMs, tokens);
              naive.spends.push({ atMs: nowMs, tokens });
            } else if (kind === "throttle") {
              budget = budget.throttledUntil(nowMs + 100 * tokens);
              naive.blockedUntilMs = Math.max(naive.blockedUntilMs, nowMs + 100 * tokens);
            } else {
              const record: unknown = JSON.parse(
                JSON.stringify(budget.serialise({ nowMs, wallMs: 5_000_000 + nowMs })),
              );
              budget = RateBudget.restore(record, limit, INTERVAL_MS, {
                nowMs,
                wallMs: 5_000_000 + nowMs,
              });
            }
          }
        },
      ),
    );
  });

  it("frees no token earlier, and none a slot later, where spends were written in slots", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 3 })), { maxLength: 80 }),
        fc.nat(INTERVAL_MS),
        fc.array(fc.nat(2 * INTERVAL_MS), { minLength: 1, maxLength: 20 }),
        (spends, restMs, waits) => {
          const slotMs = 50;
          let exact = RateBudget.create(10_000, INTERVAL_MS);
          let nowMs = 0;
          for (const [waitMs, tokens] of spends) {
            nowMs += waitMs;
            exact = exact.spend(nowMs, tokens);
          }
          nowMs += restMs;
          const moment = { nowMs, wallMs: 5_000_000 + nowMs };
          const record = exact.serialise(moment, slotMs);
          expect(record.spends.length).toBeLessThanOrEqual(INTERVAL_MS / slotMs + 1);
          const restored = RateBudget.restore(record, 10_000, INTERVAL_MS, moment);
          expect(restored.spent(nowMs)).toBe(exact.spent(nowMs));
          for (const waitMs of waits) {
            const spent = restored.spent(nowMs + waitMs);
            expect(spent).toBeGreaterThanOrEqual(exact.spent(nowMs + waitMs));
            expect(spent).toBeLessThanOrEqual(
              exact.spent(Math.max(nowMs, nowMs + waitMs - slotMs)),
            );
          }
        },
      ),
    );
  });

  it("after a refund is as if the request had never been spent, and the old value stays as it was", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 3 })), {
          minLength: 1,
          maxLength: 400,
        }),
        fc.nat(),
        fc.array(fc.nat(2 * INTERVAL_MS), { minLength: 1, maxLength: 20 }),
        (waits, pick, laterWaits) => {
          let budget = RateBudget.create(10_000, INTERVAL_MS);
          let nowMs = 0;
          const spends = waits.map(([waitMs, tokens]) => {
            nowMs += waitMs;
            budget = budget.spend(nowMs, tokens);
            return { atMs: nowMs, tokens };
          });
          // Only a recent request can still turn out not to have left.
          const recent = spends.filter(({ atMs }) => atMs + INTERVAL_MS > nowMs);
          const undone = recent[pick % recent.length] as (typeof recent)[number];
          const spentBefore = budget.spent(nowMs);
          let refunded = budget.refund(undone.atMs, undone.tokens);
          expect(budget.spent(nowMs)).toBe(spentBefore);
          const naive = new NaiveBudget(10_000, INTERVAL_MS);
          naive.spends.push(...spends.filter((spend) => spend !== undone));
          for (const waitMs of laterWaits.toSorted((a, b) => a - b))
            expect(refunded.available(nowMs + waitMs)).toBe(naive.available(nowMs + waitMs));
          refunded = refunded.spend(nowMs, 1);
          expect(refunded.spent(nowMs)).toBe(spentBefore - undone.tokens + 1);
        },
      ),
    );
  });

  it("refunds no more than was spent by then, and no later spend", () => {
    const budget = RateBudget.create(10, 1_000).spend(100, 2).spend(200, 3);
    expect(budget.refund(150, 3).spent(200)).toBe(3);
    expect(budget.refund(50, 1).spent(200)).toBe(5);
    expect(budget.refund(200, 4).spent(200)).toBe(1);
  });

  it("never lets more than the limit into any window, however greedily it is spent", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.tuple(fc.nat(300), fc.nat(12)), { maxLength: 150 }),
        (limit, wishes) => {
          let budget = RateBudget.create(limit, INTERVAL_MS);
          let nowMs = 0;
          const spent: { atMs: number; tokens: number }[] = [];
          for (const [waitMs, wish] of wishes) {
            nowMs += waitMs;
            const tokens = Math.min(wish, budget.available(nowMs));
            budget = budget.spend(nowMs, tokens);
            spent.push({ atMs: nowMs, tokens });
          }
          for (const { atMs: from } of spent) {
            const inWindow = spent.filter(({ atMs }) => atMs >= from && atMs < from + INTERVAL_MS);
            expect(inWindow.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(
              limit,
            );
          }
        },
      ),
    );
  });

  it("says the exact instant: a token is not free a moment before, on fractional clocks too", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.double({ min: 0, max: 999, noNaN: true }),
        (atMs, laterMs) => {
          const budget = RateBudget.create(3, INTERVAL_MS).spend(atMs, 3);
          const nowMs = atMs + laterMs;
          const earliest = budget.earliestMs(nowMs, 1);
          expect(budget.available(earliest)).toBe(3);
          expect(earliest === nowMs || budget.available(earliest - 0.01) === 0).toBe(true);
        },
      ),
    );
  });

  it("leaves an old value as it was, also when two futures branch from it", () => {
    const first = RateBudget.create(10, INTERVAL_MS).spend(0, 1);
    const left = first.spend(10, 2);
    const right = first.spend(20, 5);
    const leftOn = left.spend(30, 1);
    expect([first, left, right, leftOn].map((budget) => budget.available(40))).toEqual([
      9, 7, 4, 6,
    ]);
    expect([first, left, right, leftOn].map((budget) => budget.available(1_015))).toEqual([
      10, 10, 5, 9,
    ]);
  });

  it("stays right and small over a long run at the exchange's own rate", () => {
    let budget = RateBudget.create(2_400, 60_000);
    for (let request = 0; request < 50_000; request += 1) {
      budget = budget.spend(request * 25, 1);
    }
    expect(budget.spent(49_999 * 25)).toBe(2_400);
    expect(budget.available(49_999 * 25)).toBe(0);
    expect(budget.earliestMs(49_999 * 25, 1)).toBe(50_000 * 25);
    const record = budget.serialise({ nowMs: 49_999 * 25, wallMs: 1e12 });
    expect(record.spends).toHaveLength(2_400);
  });

  it("does not spend the last window again after a restart, and shows no gap when the wall clock was set back", () => {
    const record = RateBudget.create(10, INTERVAL_MS)
      .spend(500, 4)
      .spend(900, 5)
      .serialise({ nowMs: 1_000, wallMs: 70_000 });
    const after = RateBudget.restore(record, 10, INTERVAL_MS, { nowMs: 3, wallMs: 70_600 });
    expect(after.available(3)).toBe(5);
    expect(after.available(303)).toBe(10);
    const setBack = RateBudget.restore(record, 10, INTERVAL_MS, { nowMs: 3, wallMs: 60_000 });
    expect(setBack.available(3)).toBe(1);
    expect(setBack.available(1_002)).toBe(1);
    expect(setBack.available(1_003)).toBe(10);
  });

  it("carries a ban over a restart", () => {
    const record = RateBudget.create(10, INTERVAL_MS)
      .throttledUntil(9_000)
      .serialise({ nowMs: 1_000, wallMs: 70_000 });
    const after = RateBudget.restore(record, 10, INTERVAL_MS, { nowMs: 0, wallMs: 71_000 });
    expect(after.available(6_999)).toBe(0);
    expect(after.earliestMs(0, 1)).toBe(7_000);
    expect(after.available(7_000)).toBe(10);
  });

  it("counts a clock that went back as the last spend's instant", () => {
    const budget = RateBudget.create(3, INTERVAL_MS).spend(5_000, 1).spend(4_000, 1);
    expect(budget.available(5_500)).toBe(1);
    expect(budget.available(5_999)).toBe(1);
    expect(budget.available(6_000)).toBe(3);
  });

  it("refuses what is no limit, token, instant or memory", () => {
    expect(() => RateBudget.create(0, 1)).toThrow("limit");
    expect(() => RateBudget.create(1.5, 1)).toThrow("limit");
    expect(() => RateBudget.create(1, 0)).toThrow("intervalMs");
    const budget = RateBudget.create(5, INTERVAL_MS);
    for (const wrong of [-1, 0.5, Number.NaN]) {
      expect(() => budget.spend(0, wrong)).toThrow("tokens");
      expect(() => budget.charge(0, wrong)).toThrow("tokens");
      expect(() => budget.earliestMs(0, wrong)).toThrow("tokens");
    }
    expect(() => budget.spend(Number.NaN, 1)).toThrow("nowMs");
    expect(() => budget.throttledUntil(Number.POSITIVE_INFINITY)).toThrow("untilMs");
    const moment = { nowMs: 0, wallMs: 0 };
    for (const wrong of [
      null,
      3,
      "x",
      {},
      { spends: [] },
      { spends: [[1]], blockedUntilWallMs: 0 },
      { spends: [[1, -1]], blockedUntilWallMs: 0 },
    ]) {
      expect(() => RateBudget.restore(wrong, 5, INTERVAL_MS, moment)).toThrow(
        "not a stored rate budget",
      );
    }
  });
});
