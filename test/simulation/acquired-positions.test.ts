import { describe, expect, it } from "vitest";
import { type AcquiredPositionsResult, runAcquiredPositions } from "./acquired-positions.js";
import { SEED_BUDGET } from "./seed-budget.js";

const MARKET_MS = 300_000;
const SEEDS = SEED_BUDGET.takeovers.seeds;

describe("five minutes of market with takeovers and network faults", () => {
  const results: AcquiredPositionsResult[] = [];
  it.each(SEEDS)(
    "seed %d: each takeover is sold once, within its bounds, or valued at its mark (npm run simulate -- --takeovers --minutes 5 --seeds 1 --first-seed N)",
    async (seed) => {
      const result = await runAcquiredPositions(seed, MARKET_MS);
      results.push(result);
      expect(result.violations).toEqual([]);
    },
  );

  it("the seeds include sales, positions above their limit, kills and failed settlements", () => {
    const sum = (count: (result: AcquiredPositionsResult) => number) =>
      results.reduce((total, result) => total + count(result), 0);
    expect(sum(({ takeovers }) => takeovers)).toBeGreaterThan(SEEDS.length);
    for (const count of [sum(({ slices }) => slices), sum(({ pastLimit }) => pastLimit)])
      expect(count).toBeGreaterThan(5);
    for (const kind of ["bot-killed", "settlement-failed"])
      expect([kind, sum(({ faults }) => faults.get(kind) ?? 0)]).not.toEqual([kind, 0]);
  });
});
