import { describe, expect, it } from "vitest";
import { Inheritance } from "./inheritance.js";
import { runSeed } from "./world.js";

const SEEDS = 60;
const MARKET_MS = 1_200_000;

describe("twenty minutes of market with takeovers, whatever the network does", () => {
  const sum = { takeovers: 0, slices: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    it(`seed ${seed}: each is sold within its bounds, once, or told at its mark`, async () => {
      const inheritance = new Inheritance(seed, MARKET_MS);
      const { violations } = await runSeed(seed, MARKET_MS, inheritance.twist);
      inheritance.judge();
      expect(violations).toEqual([]);
      expect(inheritance.violations).toEqual([]);
      sum.takeovers += inheritance.takeovers;
      sum.slices += inheritance.slices;
    });
  }

  it("had takeovers and slices in them", () => {
    expect(sum.takeovers).toBeGreaterThan(SEEDS);
    expect(sum.slices).toBeGreaterThan(SEEDS);
  });
});
