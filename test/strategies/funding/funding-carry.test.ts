import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carryBand, fundingCarry } from "#strategies/funding-carry.js";

const HOUR_MS = 3_600_000;

/** The parameters of a carry, in the order of the table. */
interface CarryCase {
  readonly rateBps: number;
  readonly untilMs: number;
  readonly persistence: number;
  readonly longRunBps: number;
  readonly residualBps: number;
  readonly periodMs: number;
  readonly holdingMs: number;
}

const carryOf = ({ rateBps, untilMs, holdingMs, ...process }: CarryCase) =>
  fundingCarry({ rateBps, untilMs }, process, holdingMs);

const CASES: readonly (readonly [CarryCase, longBps: number, varianceBps2: number])[] = [
  [
    {
      rateBps: 3,
      untilMs: 2 * HOUR_MS,
      persistence: 0.8,
      longRunBps: 0.5,
      residualBps: 2,
      periodMs: 8 * HOUR_MS,
      holdingMs: 24 * HOUR_MS,
    },
    -7.012349940914,
    63.336859979111,
  ],
  [
    {
      rateBps: -4,
      untilMs: HOUR_MS,
      persistence: 0.5,
      longRunBps: 1.3,
      residualBps: 1.5,
      periodMs: 8 * HOUR_MS,
      holdingMs: 8 * HOUR_MS,
    },
    3.916564099725,
    1.846326053358,
  ],
  [
    {
      rateBps: 0.5,
      untilMs: 600_000,
      persistence: 0.95,
      longRunBps: 0.05,
      residualBps: 0.13,
      periodMs: HOUR_MS,
      holdingMs: 72 * HOUR_MS,
    },
    -10.731359167301,
    336.559340051968,
  ],
];

describe("the expected funding of a position", () => {
  // Python: the sum over the number of fundings that the position is held at, each with its chance,
  // its expected payments and their variance by recursion.
  it.each(CASES)(
    "is that of an enumeration by another program: %j",
    (inputs, longBps, variance) => {
      const carry = carryOf(inputs);
      expect(carry.longBps).toBeCloseTo(longBps, 7);
      expect(carry.varianceBps2).toBeCloseTo(variance, 6);
    },
  );

  it("is paid by longs at a positive rate, received at a negative one, and by as much", () => {
    fc.assert(
      fc.property(
        fc.record({
          rateBps: fc.double({ min: 0.01, max: 375, noNaN: true }),
          untilMs: fc.integer({ min: 1, max: 8 * HOUR_MS }),
          persistence: fc.double({ min: 0, max: 0.99, noNaN: true }),
          residualBps: fc.double({ min: 0, max: 50, noNaN: true }),
          holdingMs: fc.integer({ min: 60_000, max: 720 * HOUR_MS }),
        }),
        (drawn) => {
          const inputs = { ...drawn, longRunBps: 0, periodMs: 8 * HOUR_MS };
          const paying = carryOf(inputs);
          const paid = carryOf({ ...inputs, rateBps: -inputs.rateBps });
          expect(paying.longBps).toBeLessThanOrEqual(0);
          expect(paid.longBps).toBe(-paying.longBps);
          expect(paid.varianceBps2).toBe(paying.varianceBps2);
        },
      ),
    );
  });
});

describe("the positions that are worth their carry", () => {
  it("are the best of a search over all positions, with fees and without", () => {
    const [carryBps, feesBps, riskAversion, varianceBps2] = [7, 2, 0.002, 900];
    const best = (fees: number): number => {
      const worth = (q: number) =>
        q * carryBps - q * fees - (riskAversion * q * q * varianceBps2) / 2;
      let found = 0;
      for (let q = 0; q <= 20; q += 0.0005) if (worth(q) > worth(found)) found = q;
      return found;
    };
    const band = carryBand(carryBps, { feesBps, riskAversion, varianceBps2 });
    expect(Math.abs(band.nearOrders - best(feesBps))).toBeLessThan(0.001);
    expect(Math.abs(band.farOrders - best(0))).toBeLessThan(0.001);
  });

  it("are none where the carry does not pay the fees, so that none is entered", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -20, max: 20, noNaN: true }),
        fc.double({ min: 0, max: 20, noNaN: true }),
        (carryBps, feesBps) => {
          const risk = { feesBps, riskAversion: 0.001, varianceBps2: 500 };
          const { nearOrders, farOrders } = carryBand(carryBps, risk);
          expect(nearOrders > 0).toBe(Math.abs(carryBps) > feesBps);
          expect(farOrders).toBeGreaterThanOrEqual(nearOrders);
          expect(carryBand(-carryBps, risk)).toEqual({ nearOrders, farOrders });
        },
      ),
    );
  });

  it("are all that fits without a risk, and none without a carry", () => {
    const risk = { feesBps: 1, riskAversion: 0.001, varianceBps2: 0 };
    expect(carryBand(2, risk)).toEqual({ nearOrders: Infinity, farOrders: Infinity });
    expect(carryBand(0, risk)).toEqual({ nearOrders: 0, farOrders: 0 });
  });
});
