import { describe, expect, it } from "vitest";
import { SEED_BUDGET } from "./seed-budget.js";
import { runWhole, type WholeResult } from "./whole/run-whole.js";
import { WHOLE_MS } from "./whole/whole-plan.js";

const { seeds } = SEED_BUDGET.whole;
/** Runs last, once more. */
const [repeated] = seeds;

describe("two minutes of the whole system with faults of network, chain and machine", () => {
  const results = new Map<number, WholeResult>();
  for (const seed of new Set<number>(seeds)) {
    it(`seed ${seed}: no limit is exceeded, nothing is quoted on an unknown position, no order is lost or doubled, and the summary is right (npm run simulate -- --first-seed ${seed} --seeds 1)`, async () => {
      const result = await runWhole(seed, WHOLE_MS);
      results.set(seed, result);
      expect(result.violations).toEqual([]);
    });
  }

  it("the seeds include takeovers, fills, kills, slow REST answers and silent RPCs", () => {
    const sum = (count: (result: WholeResult) => number) =>
      [...results.values()].reduce((total, result) => total + count(result), 0);
    expect(sum(({ takeovers }) => takeovers)).toBeGreaterThan(5 * results.size);
    expect(sum(({ fills }) => fills)).toBeGreaterThan(10 * results.size);
    for (const kind of [
      "bot-killed",
      "answer-delayed",
      "rpc request-lost",
      "rest-slow after a takeover was sent",
      "rpc-silent after a takeover was sent",
    ])
      expect([kind, sum(({ faults }) => faults.get(kind) ?? 0)]).not.toEqual([kind, 0]);
  });

  it("a repeated seed gives the same run, event by event", async () => {
    expect(await runWhole(repeated, WHOLE_MS)).toEqual(results.get(repeated));
  });
});
