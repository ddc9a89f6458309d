import { describe, expect, it } from "vitest";
import { REFERENCE_MS } from "./references/reference-plan.js";
import { type ReferenceResult, runReferences } from "./references/run-references.js";
import { SEED_BUDGET } from "./seed-budget.js";

const { seeds } = SEED_BUDGET.references;

describe("two minutes of market with reference sources that fail", () => {
  const results: ReferenceResult[] = [];
  it.each([...new Set(seeds)])(
    "seed %d: no quote on a reference that is too old or alone, and quotes within a second after it is good (npm run simulate -- --references --seeds 1 --first-seed N)",
    async (seed) => {
      const result = await runReferences(seed, REFERENCE_MS);
      results.push(result);
      expect(result.violations).toEqual([]);
      expect(result.actions).toBeGreaterThan(0);
    },
  );

  it("the seeds include good, missing and disagreeing references, and fills", () => {
    const sum = (count: (result: ReferenceResult) => number) =>
      results.reduce((total, result) => total + count(result), 0);
    for (const verdict of ["good", "too few", "disagreeing"] as const)
      expect([verdict, sum(({ verdicts }) => verdicts[verdict]) > 20]).toEqual([verdict, true]);
    expect(sum(({ fills }) => fills)).toBeGreaterThan(20);
  });

  it("the same seed gives the same run", async () => {
    const [seed] = seeds;
    expect(await runReferences(seed, REFERENCE_MS)).toEqual(results[0]);
  });
});
