import { describe, expect, it } from "vitest";
import { runAcquiredPositions } from "./acquired-positions.js";
import { ACQUIRED_POSITIONS_BREAKS } from "./acquired-positions-breaks.js";

const SEEDS = 200;
const EACH = 20;
const MARKET_MS = 600_000;
const BREAK_MS = 300_000;
const MOST_SEEDS = 12;

describe("ten minutes of market with takeovers and network faults", () => {
  const sum = { takeovers: 0, slices: 0, pastLimit: 0 };
  for (let from = 1; from <= SEEDS; from += EACH) {
    it(`seeds ${from} to ${from + EACH - 1}`, async () => {
      for (let seed = from; seed < from + EACH; seed += 1) {
        const { violations, takeovers, slices, pastLimit } = await runAcquiredPositions(
          seed,
          MARKET_MS,
        );
        expect([seed, violations]).toEqual([seed, []]);
        sum.takeovers += takeovers;
        sum.slices += slices;
        sum.pastLimit += pastLimit;
      }
    });
  }

  it("the seeds include enough of each", () => {
    for (const count of [sum.takeovers, sum.slices, sum.pastLimit])
      expect(count).toBeGreaterThan(SEEDS);
  });
});

describe("a rule of acquired positions that is switched off is noticed", () => {
  for (const broken of ACQUIRED_POSITIONS_BREAKS) {
    it(`${broken.name}: ${broken.what}`, async () => {
      for (let seed = 1; seed <= MOST_SEEDS; seed += 1)
        if ((await runAcquiredPositions(seed, BREAK_MS, broken)).violations.length > 0) return;
      expect.fail(`${MOST_SEEDS} seeds ran without a violation`);
    });
  }
});
