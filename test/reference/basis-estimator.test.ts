import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BasisEstimator } from "#reference/basis-estimator.js";

const options = { halfLifeMs: 1000, maxBasisBps: 20 };

describe("the basis between an exchange and its reference", () => {
  it("is none before the first observation, and then that observation", () => {
    const basis = new BasisEstimator(options);
    expect(basis.bps).toBe(0);
    basis.observe(1001, 1000, 0);
    expect(basis.bps).toBeCloseTo(10, 9);
  });

  it("goes half of the way to a new difference within a half-life", () => {
    const basis = new BasisEstimator(options);
    basis.observe(1000, 1000, 0);
    basis.observe(1001, 1000, 5000);
    basis.observe(1001, 1000, 6000);
    expect(basis.bps).toBeCloseTo(5, 9);
    basis.observe(1001, 1000, 7000);
    expect(basis.bps).toBeCloseTo(7.5, 9);
  });

  it("does not depend on how often the same difference is observed", () => {
    const rarely = new BasisEstimator(options);
    const often = new BasisEstimator(options);
    for (const basis of [rarely, often]) {
      basis.observe(1000, 1000, 0);
      basis.observe(1001, 1000, 0);
    }
    rarely.observe(1001, 1000, 3000);
    for (let ms = 1; ms <= 3000; ms++) often.observe(1001, 1000, ms);
    expect(often.bps).toBeCloseTo(rarely.bps, 9);
  });

  it("does not move while it is frozen, however long", () => {
    const basis = new BasisEstimator(options);
    basis.observe(1000, 1000, 0);
    basis.observe(1001, 1000, 0);
    basis.freeze(1000);
    const frozen = basis.bps;
    expect(frozen).toBeCloseTo(5, 9);
    basis.freeze(100_000);
    basis.observe(1001, 1000, 200_000);
    expect(basis.bps).toBe(frozen);
    basis.observe(1001, 1000, 201_000);
    expect(basis.bps).toBeCloseTo(7.5, 9);
  });

  it("leaves its bound at once after a jump far beyond it", () => {
    const basis = new BasisEstimator(options);
    basis.observe(2000, 1000, 0);
    expect(basis.bps).toBe(20);
    basis.observe(1000, 1000, 1);
    basis.observe(1000, 1000, 1001);
    expect(basis.bps).toBeCloseTo(10, 1);
  });

  it("is never beyond its bound", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.double({ min: 1, max: 1e6, noNaN: true }),
            fc.double({ min: 1, max: 1e6, noNaN: true }),
            fc.integer({ min: 0, max: 10_000 }),
          ),
          { minLength: 1, maxLength: 30 },
        ),
        (observations) => {
          const basis = new BasisEstimator(options);
          let nowMs = 0;
          for (const [mid, reference, afterMs] of observations) {
            nowMs += afterMs;
            basis.observe(mid, reference, nowMs);
            expect(Math.abs(basis.bps)).toBeLessThanOrEqual(20 + 1e-9);
          }
        },
      ),
    );
  });
});
