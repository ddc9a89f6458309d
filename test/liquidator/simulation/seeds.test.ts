import { describe, expect, it } from "vitest";
import { runSeed } from "./run-seed.js";

const SEEDS = [2, 5, 7, 8];

describe("two minutes of liquidations, whatever the chain and the network do", () => {
  for (const seed of SEEDS) {
    it(`seed ${seed}: nothing paid twice, no price beyond its bound, no nonce lost, the ledger is the chain's (npm run simulate -- --liquidator --first-seed ${seed} --seeds 1)`, async () => {
      const { violations, sent } = await runSeed(seed);
      expect(violations).toEqual([]);
      expect(sent).toBeGreaterThan(0);
    }, 180_000);
  }

  it("is the same run, to the byte, whenever its seed is", async () => {
    const [first, second] = [await runSeed(2), await runSeed(2)];
    expect(first).toEqual(second);
    expect(first.won).toBeGreaterThan(0);
  }, 180_000);
});
