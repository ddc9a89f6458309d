import { describe, expect, it } from "vitest";
import { compareWithNaive } from "./random-operations.js";

describe("a million random operations through the exchange and through a sorted array with loops", () => {
  it("give the same fills, the same book and the same balances", async () => {
    const { fills, largestBook } = await compareWithNaive("a million", 1_000_000, 1000);
    expect(fills).toBeGreaterThan(100_000);
    expect(largestBook).toBeGreaterThan(20);
  });
});
