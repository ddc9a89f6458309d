import { describe, expect, it } from "vitest";
import { PositionCountingMode } from "#account/position-counting-mode.js";

describe("the trades that the exchange's positions include", () => {
  it("are counted from match or settlement once three positions in a row agree, and not while they contradict each other", () => {
    const counting = new PositionCountingMode();
    const shown = (
      [
        "match",
        "match",
        "settlement",
        "match",
        "match",
        "match",
        "match",
        "settlement",
        "settlement",
        "settlement",
      ] as const
    ).map((from) => {
      counting.addEvidence(from);
      return counting.from;
    });
    const none = undefined;
    expect(shown).toEqual([
      none,
      none,
      none,
      none,
      none,
      "match",
      "match",
      none,
      none,
      "settlement",
    ]);
  });
});
