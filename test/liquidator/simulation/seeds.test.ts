import { describe, expect, it } from "vitest";
import { SEED_BUDGET } from "../../simulation/seed-budget.js";
import { type RunResult, runSeed } from "./run-seed.js";

const [REPEATED] = SEED_BUDGET.liquidator.seeds;
const SEEDS = new Set(SEED_BUDGET.liquidator.seeds);

describe("two minutes of liquidations, whatever the chain and the network do", () => {
  const results = new Map<number, RunResult>();
  for (const seed of SEEDS) {
    it(`seed ${seed}: nothing paid twice, no price beyond its bound, no nonce lost, the ledger is the chain's (npm run simulate -- --liquidator --first-seed ${seed} --seeds 1)`, async () => {
      const result = await runSeed(seed);
      results.set(seed, result);
      expect(result.violations).toEqual([]);
    });
  }

  it("had takeovers in them, and kills, reorganisations and forgotten transactions", () => {
    const sum = (count: (result: RunResult) => number) =>
      [...results.values()].reduce((total, result) => total + count(result), 0);
    expect(sum(({ won }) => won)).toBeGreaterThan(0);
    expect(sum(({ sent }) => sent)).toBeGreaterThan(2);
    for (const kind of ["killed", "reorg", "dropped"])
      expect([kind, sum(({ faults }) => faults.get(kind) ?? 0)]).not.toEqual([kind, 0]);
  });

  it("are the same run, to the byte, whenever their seed is", async () => {
    expect(await runSeed(REPEATED)).toEqual(results.get(REPEATED));
  });
});
