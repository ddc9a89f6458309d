import { describe, expect, it } from "vitest";
import { BREAKS } from "./breaks.js";
import { seedsFrom } from "./seed-budget.js";
import { runSeed } from "./world.js";

const MARKET_MS = 1_200_000;
const MOST_SEEDS = 12;

describe("a rule that is switched off is missed", () => {
  for (const broken of BREAKS) {
    it(`${broken.name}: ${broken.what}`, async () => {
      // The one that is known to notice comes first: the ones before it take seconds each.
      const { noticedBySeed = 1 } = broken;
      const others = seedsFrom(1, MOST_SEEDS).filter((seed) => seed !== noticedBySeed);
      for (const seed of [noticedBySeed, ...others]) {
        const { violations } = await runSeed(seed, MARKET_MS, broken);
        if (violations.length > 0) return;
      }
      expect.fail(`${MOST_SEEDS} seeds ran without anybody noticing`);
    });
  }
});
