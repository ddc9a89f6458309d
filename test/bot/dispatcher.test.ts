import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cancelSubject, slotSubject } from "#bot/dispatcher.js";
import type { Side } from "#core/units.js";

describe("what an action in the queue is known by", () => {
  it("is one name a slot, whoever asks and however often: two slots never stand in for each other", () => {
    const slot = fc.record({
      marketId: fc.constantFrom("btcusdc", "ethusdc", "ethusdc1"),
      side: fc.constantFrom<Side>("BUY", "SELL"),
      level: fc.constantFrom(-1, 0, 1, 11, 999),
    });
    fc.assert(
      fc.property(slot, slot, (a, b) => {
        const isOne = a.marketId === b.marketId && a.side === b.side && a.level === b.level;
        expect(
          slotSubject(a.marketId, a.side, a.level) === slotSubject(b.marketId, b.side, b.level),
        ).toBe(isOne);
      }),
    );
  });

  it("of a cancel is its order, which no slot is named like", () => {
    expect(cancelSubject("0xab")).not.toBe(cancelSubject("0xac"));
    expect(slotSubject("0xab", "BUY", 0)).not.toMatch(/^0x/);
  });
});
