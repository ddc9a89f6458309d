import { describe, expect, it } from "vitest";
import { HEDGE_MS } from "./hedge/hedge-plan.js";
import { type HedgeResult, runHedge } from "./hedge/run-hedge.js";
import { SEED_BUDGET } from "./seed-budget.js";

const { seeds } = SEED_BUDGET.hedges;

describe("two minutes of market between two exchanges that both have faults", () => {
  const results: HedgeResult[] = [];
  it.each([...new Set(seeds)])(
    "seed %d: what is unhedged comes back within its bound, and no fill is hedged twice (npm run simulate -- --hedge --seeds 1 --first-seed N)",
    async (seed) => {
      const result = await runHedge(seed, HEDGE_MS);
      results.push(result);
      expect(result.violations).toEqual([]);
    },
  );

  it("the seeds include fills, hedges and calm times in which the bound holds", () => {
    const sum = (count: (result: HedgeResult) => number) =>
      results.reduce((total, result) => total + count(result), 0);
    expect(sum(({ fills }) => fills)).toBeGreaterThan(20);
    expect(sum(({ judged }) => judged.hedges ?? 0)).toBeGreaterThan(20);
    expect(sum(({ judged }) => judged.exposure ?? 0)).toBeGreaterThan(100);
  });

  it("the same seed gives the same run", async () => {
    const [seed] = seeds;
    expect(await runHedge(seed, HEDGE_MS)).toEqual(results[0]);
  });
});
