import { describe, expect, it } from "vitest";
import { SEED_BUDGET, seedsFrom } from "./seed-budget.js";
import { runWhole } from "./whole/run-whole.js";
import { WHOLE_MS } from "./whole/whole-plan.js";

const tested: readonly number[] = SEED_BUDGET.whole.seeds;
const SEEDS = seedsFrom(1, 200).filter((seed) => !tested.includes(seed));
const EACH = 20;

describe("two minutes of the whole system with faults of network, chain and machine", () => {
  let takeovers = 0;
  for (let from = 0; from < SEEDS.length; from += EACH) {
    const some = SEEDS.slice(from, from + EACH);
    it(`seeds ${some[0]} to ${some.at(-1)}`, async () => {
      for (const seed of some) {
        const result = await runWhole(seed, WHOLE_MS);
        expect([seed, result.violations]).toEqual([seed, []]);
        takeovers += result.takeovers;
      }
    });
  }

  it("the seeds include enough takeovers", () => {
    expect(takeovers).toBeGreaterThan(5 * SEEDS.length);
  });
});
