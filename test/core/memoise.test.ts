import { describe, expect, it } from "vitest";
import { memoise } from "#core/memoise.js";

describe("a memoised function", () => {
  it("computes anew for another object, and only then", () => {
    let computed = 0;
    const total = memoise((numbers: readonly number[]) => {
      computed += 1;
      return numbers.reduce((sum, number) => sum + number, 0);
    });
    const two = [1, 2];
    expect([total(two), total(two), computed]).toEqual([3, 3, 1]);
    expect([total([1, 2, 3]), total(two), computed]).toEqual([6, 3, 3]);
  });
});
