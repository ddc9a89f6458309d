import { describe, expect, it } from "vitest";
import { HEDGE_MS } from "./hedge/hedge-plan.js";
import { runHedge } from "./hedge/run-hedge.js";

const SEEDS = 1_000;
const EACH = 50;

describe("two minutes of market between two exchanges that both have faults", () => {
  const judged = new Map<string, number>();
  for (let from = 1; from <= SEEDS; from += EACH) {
    it(`seeds ${from} to ${from + EACH - 1}`, async () => {
      for (let seed = from; seed < from + EACH; seed += 1) {
        const result = await runHedge(seed, HEDGE_MS);
        expect([seed, result.violations]).toEqual([seed, []]);
        for (const [rule, count] of Object.entries(result.judged))
          judged.set(rule, (judged.get(rule) ?? 0) + count);
      }
    });
  }

  it("the seeds put each rule to the test", () => {
    for (const rule of ["exposure", "hedges", "references", "away"])
      expect([rule, (judged.get(rule) ?? 0) > SEEDS]).toEqual([rule, true]);
  });
});
