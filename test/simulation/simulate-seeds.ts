import { describe, expect, it } from "vitest";
import { runSeed } from "./world.js";

const HOUR_MS = 3_600_000;

/** One test a seed: a whole market hour with its faults, and not one rule broken. */
export function simulateSeeds(first: number, last: number): void {
  describe("an hour of market, whatever the network does", () => {
    for (let seed = first; seed <= last; seed++) {
      it(`seed ${seed}: no order lost or doubled, no limit or budget passed, no money made up (npm run simulate -- --first-seed ${seed} --seeds 1)`, async () => {
        const { violations, actions } = await runSeed(seed, HOUR_MS);
        expect(violations).toEqual([]);
        expect(actions).toBeGreaterThan(0);
      }, 180_000);
    }
  });
}
