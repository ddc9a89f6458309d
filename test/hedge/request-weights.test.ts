import { describe, expect, it } from "vitest";
import { RequestWeights } from "#hedge/request-weights.js";

function budget(mostPerMinute = 100) {
  let nowMs = 0;
  const weights = new RequestWeights(mostPerMinute, () => nowMs);
  return {
    weights,
    at: (ms: number) => {
      nowMs = ms;
    },
  };
}

describe("the budget of requests at a hedge venue", () => {
  it("keeps weight for a place when questions have used up theirs, and for a cancel after that", () => {
    const { weights, at } = budget();
    at(45_000);
    expect(weights.take(70, "query")).toBe(0);
    expect(weights.take(1, "query")).toBe(15_000);
    expect(weights.take(20, "place")).toBe(0);
    expect(weights.take(1, "place")).toBe(15_000);
    expect(weights.take(10, "cancel")).toBe(0);
    expect(weights.take(1, "cancel")).toBe(15_000);
  });

  it("starts over with the venue's next minute", () => {
    const { weights, at } = budget();
    expect(weights.take(100, "cancel")).toBe(0);
    at(60_000);
    expect(weights.take(70, "query")).toBe(0);
  });

  it("counts what other programs on the same address have used", () => {
    const { weights } = budget();
    weights.noteUsed(95);
    expect(weights.take(1, "place")).toBe(60_000);
    expect(weights.take(1, "cancel")).toBe(0);
    weights.noteUsed(10);
    expect(weights.take(5, "cancel")).toBe(60_000);
  });

  it("lets nothing through while the venue bans the address", () => {
    const { weights, at } = budget();
    expect(weights.block(120_000)).toBe(120_000);
    at(60_000);
    expect(weights.take(1, "cancel")).toBe(60_000);
    at(120_000);
    expect(weights.take(1, "cancel")).toBe(0);
  });

  it("waits for the next minute if a refusal names no time", () => {
    const { weights, at } = budget();
    at(59_000);
    expect(weights.block(undefined)).toBe(1000);
  });
});
