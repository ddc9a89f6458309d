import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CarryState, decideCarry } from "#strategies/decide-carry.js";

const LIMITS = { entryMarginBps: 2, exitBps: 1, maxLossBps: 20 };
const FLAT: CarryState = {
  heldSide: 0,
  spreadBps: 20,
  basisBps: 0,
  feesBps: 12,
  worst: { longBps: -15, shortBps: -15 },
};

const want = (changes: Partial<CarryState>) => decideCarry({ ...FLAT, ...changes }, LIMITS).want;

describe("the decision about a carry trade", () => {
  it("enters what leaves its margin after the fees, with the basis that is expected to converge", () => {
    expect(decideCarry(FLAT, LIMITS)).toEqual({
      want: 1,
      expectedBps: 8,
      worstBps: -7,
      note: undefined,
    });
    expect(want({ spreadBps: 13.9 })).toBe(0);
    expect(want({ spreadBps: 13.9, basisBps: 0.2 })).toBe(1);
    expect(want({ spreadBps: -20 })).toBe(-1);
  });

  it("does not enter what the history of the rates may turn into more than the largest loss", () => {
    expect(want({ worst: { longBps: -28, shortBps: 0 } })).toBe(1);
    expect(decideCarry({ ...FLAT, worst: { longBps: -29, shortBps: 0 } }, LIMITS)).toMatchObject({
      want: 0,
      note: "carry: the worst case exceeds maxLossBps",
    });
    expect(want({ spreadBps: -20, worst: { longBps: -29, shortBps: 0 } })).toBe(-1);
    expect(want({ worst: undefined })).toBe(0);
  });

  it("holds what would not be entered, and ends it once too little is expected", () => {
    expect(want({ heldSide: 1, spreadBps: 5 })).toBe("hold");
    expect(want({ heldSide: 1, spreadBps: 0.9 })).toBe(0);
    expect(want({ heldSide: 1, spreadBps: 20, worst: undefined })).toBe("hold");
    // The other side is paid: first out of this one.
    expect(want({ heldSide: 1, spreadBps: -20 })).toBe(0);
  });

  it("is the mirror of the other side's, and never on the side that pays", () => {
    fc.assert(
      fc.property(
        fc.record({
          heldSide: fc.constantFrom(-1 as const, 0 as const, 1 as const),
          spreadBps: fc.double({ min: -100, max: 100, noNaN: true }),
          basisBps: fc.double({ min: -20, max: 20, noNaN: true }),
          feesBps: fc.double({ min: 0, max: 30, noNaN: true }),
        }),
        (drawn) => {
          const one = decideCarry({ ...FLAT, ...drawn }, LIMITS).want;
          const gross = drawn.spreadBps + drawn.basisBps;
          if (typeof one === "number" && one !== 0) expect(one * gross).toBeGreaterThan(0);
          if (gross === 0) return;
          const mirror = decideCarry(
            {
              ...FLAT,
              heldSide: -drawn.heldSide as -1 | 0 | 1,
              spreadBps: -drawn.spreadBps,
              basisBps: -drawn.basisBps,
              feesBps: drawn.feesBps,
            },
            LIMITS,
          ).want;
          expect(mirror).toBe(typeof one === "number" ? (one === 0 ? 0 : -one) : one);
        },
      ),
    );
  });
});
