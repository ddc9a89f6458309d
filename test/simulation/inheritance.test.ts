import { describe, expect, it } from "vitest";
import { Inheritance } from "./inheritance.js";
import { runSeed } from "./world.js";

const MARKET_MS = 600_000;

describe("ten minutes of market with takeovers, whatever the network does", () => {
  it.each([1, 3])(
    "seed %d: each is sold within its bounds, once, or told at its mark",
    async (seed) => {
      const inheritance = new Inheritance(seed, MARKET_MS);
      const { violations } = await runSeed(seed, MARKET_MS, inheritance.twist);
      inheritance.judge();
      expect([...violations, ...inheritance.violations]).toEqual([]);
      expect(inheritance.takeovers).toBeGreaterThan(0);
      expect(inheritance.slices).toBeGreaterThan(0);
    },
    180_000,
  );
});
