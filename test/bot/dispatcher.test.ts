import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cancelSubject, slotSubject } from "#bot/dispatcher.js";
import type { Side } from "#core/units.js";

describe("the subject of a queued action", () => {
  it("is the same for the same slot and differs between slots, so that no slot replaces another's action", () => {
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

  it("is the order of a cancel, and never equals a slot's", () => {
    expect(cancelSubject("0xab")).not.toBe(cancelSubject("0xac"));
    expect(slotSubject("0xab", "BUY", 0)).not.toMatch(/^0x/);
  });
});
