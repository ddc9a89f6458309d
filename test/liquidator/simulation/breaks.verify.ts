import { describe, expect, it } from "vitest";
import { BREAKS } from "./breaks.js";
import { runSeed } from "./run-seed.js";

const MOST_SEEDS = 24;

describe("a rule of the liquidator that is switched off is missed", () => {
  for (const broken of BREAKS) {
    it(`${broken.name}: ${broken.what}`, async () => {
      for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
        const { violations } = await runSeed(seed, broken);
        if (violations.length > 0) return;
      }
      expect.fail(`${MOST_SEEDS} seeds ran without anybody noticing`);
    });
  }
});
