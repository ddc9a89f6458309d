import { describe, expect, it } from "vitest";
import { BREAKS } from "./breaks.js";
import { runSeed } from "./world.js";

const MARKET_MS = 1_200_000;
const MOST_SEEDS = 12;

describe("a rule that is switched off is missed", () => {
  for (const broken of BREAKS) {
    it(`${broken.name}: ${broken.what}`, async () => {
      for (let seed = 1; seed <= MOST_SEEDS; seed++) {
        const { violations } = await runSeed(seed, MARKET_MS, broken);
        if (violations.length > 0) return;
      }
      expect.fail(`${MOST_SEEDS} seeds ran without anybody noticing`);
    });
  }
});
