import { describe, expect, it } from "vitest";
import { compareWithNaive } from "./random-operations.js";

describe("three accounts trade at random, and a sorted array with loops does the same sums", () => {
  it("fills, book and balances of 40,000 operations are the same to the unit (a million in the long tests)", async () => {
    const { fills, booksCompared, largestBook } = await compareWithNaive(
      "forty thousand",
      40_000,
      200,
    );
    expect(fills).toBeGreaterThan(5_000);
    expect(booksCompared).toBeGreaterThan(200);
    expect(largestBook).toBeGreaterThan(20);
  });
});
