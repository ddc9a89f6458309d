import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateBudget } from "#core/rate-budget.js";
import { DISJOINT_RATE_BUCKETS } from "#exchange/rate-buckets.js";
import {
  ACTION_COST,
  blockBudgets,
  computeActionCosts,
  type DispatchBudgets,
  type DispatchKind,
  type DispatchReserves,
  mayDispatch,
  spendTokens,
} from "#executor/dispatch-budget.js";

const budgetsOf = (order: number, common: number): DispatchBudgets => ({
  ORDER: RateBudget.create(order, 60_000),
  COMMON: RateBudget.create(common, 60_000),
});

const reserves: DispatchReserves = {
  ordersThatMayFill: 3,
  markets: 2,
  guard: { ORDER: 5, COMMON: 5 },
  queryReserve: 4,
};

const isAllowed = (order: number, common: number, kind: DispatchKind, held = reserves) =>
  mayDispatch(budgetsOf(order, common), kind, held, 0).isAllowed;

describe("the tokens that each action must leave", () => {
  it("a place leaves the cancels of all orders that may fill, its own, the last token of each market and the guard reserve", () => {
    expect(isAllowed(12, 100, "place")).toBe(true);
    expect(isAllowed(11, 100, "place")).toBe(false);
    expect(isAllowed(13, 100, "build")).toBe(true);
    expect(isAllowed(12, 100, "build")).toBe(false);
  });

  it("a cancel leaves the last token of each market, and a cancel-all leaves the guard reserve", () => {
    expect(isAllowed(8, 100, "cancel")).toBe(true);
    expect(isAllowed(7, 100, "cancel")).toBe(false);
    expect(isAllowed(6, 100, "cancel-all")).toBe(true);
    expect(isAllowed(5, 100, "cancel-all")).toBe(false);
  });

  it("a query costs no ORDER token and leaves COMMON to cancels; a place leaves some to queries", () => {
    expect(isAllowed(1, 11, "question")).toBe(true);
    expect(isAllowed(1, 10, "question")).toBe(false);
    expect(isAllowed(100, 16, "place")).toBe(true);
    expect(isAllowed(100, 15, "place")).toBe(false);
  });

  it("says which bucket lacks tokens, and when to check again", () => {
    const spent = spendTokens(budgetsOf(12, 100), "place", 1_000);
    expect(mayDispatch(spent, "place", reserves, 2_000)).toEqual({
      isAllowed: false,
      bucket: "ORDER",
      available: 11,
      needed: 12,
      retryAtMs: 61_000,
    });
  });

  it("after a 429 nothing is sent from either bucket until the wait is over", () => {
    const budgets = blockBudgets(budgetsOf(100, 100), 5_000);
    for (const kind of Object.keys(ACTION_COST) as DispatchKind[]) {
      expect(mayDispatch(budgets, kind, reserves, 4_999).isAllowed).toBe(false);
      expect(mayDispatch(budgets, kind, reserves, 5_000).isAllowed).toBe(true);
    }
  });
});

describe("a place never starves a cancel", () => {
  it("whatever was dispatched before, every order that may fill can be cancelled at once, and every market cancelled whole after that", () => {
    const step = fc.record({
      kind: fc.constantFrom<DispatchKind>("place", "place", "build", "cancel", "question"),
      gapMs: fc.constantFrom(0, 0, 10, 1_000, 30_000),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 60 }),
        fc.integer({ min: 5, max: 90 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 150 }),
        (order, common, markets, steps) => {
          let budgets = budgetsOf(order, common);
          let mayFill = 0;
          let nowMs = 0;
          const held = (): DispatchReserves => ({
            ordersThatMayFill: mayFill,
            markets,
            guard: { ORDER: 1, COMMON: 1 },
            queryReserve: 2,
          });
          for (const { kind, gapMs } of steps) {
            nowMs += gapMs;
            if (kind === "cancel" && mayFill === 0) continue;
            const verdict = mayDispatch(budgets, kind, held(), nowMs);
            // A cancel with its tokens in reserve is never refused.
            if (kind === "cancel") expect(verdict.isAllowed).toBe(true);
            if (!verdict.isAllowed) continue;
            budgets = spendTokens(budgets, kind, nowMs);
            if (kind === "place") mayFill++;
            if (kind === "cancel") mayFill--;
          }
          const orders = mayFill;
          for (let i = 0; i < orders; i++) {
            expect(mayDispatch(budgets, "cancel", held(), nowMs).isAllowed).toBe(true);
            budgets = spendTokens(budgets, "cancel", nowMs);
            mayFill--;
          }
          if (orders === 0) return;
          for (let i = 0; i < markets; i++) {
            expect(mayDispatch(budgets, "cancel-all", held(), nowMs).isAllowed).toBe(true);
            budgets = spendTokens(budgets, "cancel-all", nowMs);
          }
          expect(budgets.ORDER.available(nowMs)).toBeGreaterThanOrEqual(1);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("an exchange with two separate limits", () => {
  const costs = computeActionCosts(DISJOINT_RATE_BUCKETS);

  it("an order costs ORDER alone, a query COMMON alone, and neither reserves tokens in the other's bucket", () => {
    expect(costs).toMatchObject({
      place: { ORDER: 1, COMMON: 0 },
      cancel: { ORDER: 1, COMMON: 0 },
      question: { ORDER: 0, COMMON: 1 },
    });
    const held: DispatchReserves = {
      guard: { ORDER: 1, COMMON: 1 },
      markets: 2,
      ordersThatMayFill: 30,
      queryReserve: 50,
    };
    expect(mayDispatch(budgetsOf(100, 2), "question", held, 0, costs).isAllowed).toBe(true);
    expect(mayDispatch(budgetsOf(100, 2), "question", held, 0).isAllowed).toBe(false);
    const spent = spendTokens(budgetsOf(100, 2), "place", 0, costs);
    expect([spent.ORDER.available(0), spent.COMMON.available(0)]).toEqual([99, 2]);
  });
});
