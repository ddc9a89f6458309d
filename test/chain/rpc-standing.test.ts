import { describe, expect, it } from "vitest";
import { findDistrustedHeads, type Head } from "#chain/rpc-health.js";

describe("heads", () => {
  const head = (number: number, timestampMs = 100_000): Head => ({
    number,
    hash: `0x${"00".repeat(32)}`,
    timestampMs,
  });
  const rules = { nowMs: 100_000, maxHeadAgeMs: 10_000, maxLagBlocks: 2, quorum: 1 };
  const believed = (heads: readonly (Head | undefined)[], changes: Partial<typeof rules> = {}) =>
    findDistrustedHeads(heads, { ...rules, ...changes }).map((why) => why === undefined);

  it("are believed within their bounds, and not beyond by one", () => {
    expect(believed([head(9), head(7), head(6), undefined])).toEqual([true, true, false, false]);
    expect(
      believed([head(9, 90_000), head(9, 89_999), head(9, 110_000), head(9, 110_001)]),
    ).toEqual([true, false, true, false]);
  });

  it("that the clock rules out do not make other heads count as late", () => {
    expect(believed([head(500, 200_000), head(9)])).toEqual([false, true]);
  });

  it("that run ahead alone do not make the others late when the quorum is two", () => {
    expect(believed([head(500), head(9), head(8)])).toEqual([true, false, false]);
    expect(believed([head(500), head(9), head(8)], { quorum: 2 })).toEqual([true, true, true]);
  });
});
