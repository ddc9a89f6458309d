import { describe, expect, it } from "vitest";
import { runInheritance } from "./inheritance.js";
import { INHERITANCE_BREAKS } from "./inheritance-breaks.js";

const SEEDS = 200;
const EACH = 20;
const MARKET_MS = 600_000;
const BREAK_MS = 300_000;
const MOST_SEEDS = 12;

describe("ten minutes of market with takeovers, whatever the network does", () => {
  const sum = { takeovers: 0, slices: 0, pastLimit: 0 };
  for (let from = 1; from <= SEEDS; from += EACH) {
    it(`seeds ${from} to ${from + EACH - 1}`, async () => {
      for (let seed = from; seed < from + EACH; seed += 1) {
        const { violations, takeovers, slices, pastLimit } = await runInheritance(seed, MARKET_MS);
        expect([seed, violations]).toEqual([seed, []]);
        sum.takeovers += takeovers;
        sum.slices += slices;
        sum.pastLimit += pastLimit;
      }
    });
  }

  it("had enough of each in them to mean something", () => {
    for (const count of [sum.takeovers, sum.slices, sum.pastLimit])
      expect(count).toBeGreaterThan(SEEDS);
  });
});

describe("a rule of taking over that is switched off is missed", () => {
  for (const broken of INHERITANCE_BREAKS) {
    it(`${broken.name}: ${broken.what}`, async () => {
      for (let seed = 1; seed <= MOST_SEEDS; seed += 1)
        if ((await runInheritance(seed, BREAK_MS, broken)).violations.length > 0) return;
      expect.fail(`${MOST_SEEDS} seeds ran without anybody noticing`);
    });
  }
});
