import { describe, expect, it } from "vitest";
import { runSeed } from "./world.js";

const HOUR_MINUTES = 60;

/**
 * Adds one test per seed: its market runs with all faults and without a violation.
 * @param minutes market time of each. A seed has as many faults in a quarter of an hour as in an
 * hour, so that more of them coincide.
 */
export function simulateSeeds(seeds: readonly number[], minutes = HOUR_MINUTES): void {
  const length = minutes === HOUR_MINUTES ? "" : ` --minutes ${minutes}`;
  describe(`${minutes} minutes of market with network faults`, () => {
    for (const seed of seeds) {
      it(`seed ${seed}: no order is lost or doubled, no limit or budget is exceeded, money is conserved (npm run simulate -- --maker --first-seed ${seed} --seeds 1${length})`, async () => {
        const { violations, actions } = await runSeed(seed, minutes * 60_000);
        expect(violations).toEqual([]);
        expect(actions).toBeGreaterThan(0);
      });
    }
  });
}
