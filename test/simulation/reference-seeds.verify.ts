import { describe, expect, it } from "vitest";
import { REFERENCE_FAULTS, REFERENCE_MS } from "./references/reference-plan.js";
import { runReferences } from "./references/run-references.js";

const SEEDS = 100;
const EACH = 10;

describe("two minutes of market with reference sources that fail", () => {
  const faults = new Map<string, number>();
  for (let from = 1; from <= SEEDS; from += EACH) {
    it(`seeds ${from} to ${from + EACH - 1}`, async () => {
      for (let seed = from; seed < from + EACH; seed += 1) {
        const result = await runReferences(seed, REFERENCE_MS);
        expect([seed, result.violations]).toEqual([seed, []]);
        for (const [kind, count] of result.faults)
          faults.set(kind, (faults.get(kind) ?? 0) + count);
      }
    });
  }

  it("the seeds include each fault", () => {
    for (const kind of REFERENCE_FAULTS) expect(faults.get(kind) ?? 0).toBeGreaterThan(SEEDS / 10);
  });
});
