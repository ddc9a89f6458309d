import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BlockHeader, nextBaseFeeWei } from "#chain/block-header.js";
import { bumpedFees, firstFees, toFeePolicy } from "#chain/fees.js";
import { ConfigError } from "#core/errors.js";

const GWEI = 10n ** 9n;
const given = { tipWei: GWEI, minTipWei: 1n, bumpPercent: 12.5, headroomBlocks: 3 };
const policy = toFeePolicy(given);
const wei = (most: bigint) => fc.bigInt({ min: 0n, max: most });
const policies = fc
  .record({
    tip: wei(100n * GWEI),
    minTip: wei(10n),
    bump: fc.integer({ min: 1250, max: 5000 }),
    headroomBlocks: fc.nat(8),
  })
  .map(({ tip, minTip, bump, headroomBlocks }) =>
    toFeePolicy({
      tipWei: tip + minTip,
      minTipWei: minTip,
      bumpPercent: bump / 100,
      headroomBlocks,
    }),
  );

describe("the base fee of the next block", () => {
  const block = (gasUsed: bigint, baseFeeWei = 1000n): BlockHeader => ({
    number: 1,
    hash: "0x",
    parentHash: "0x",
    timestampMs: 0,
    baseFeeWei,
    gasUsed,
    gasLimit: 30_000_000n,
  });

  // EIP-1559: base + base * (used - target) / target / 8, at least one more when more was used.
  it.each([
    ["an empty block", 0n, 875n],
    ["one at its target", 15_000_000n, 1000n],
    ["a full one", 30_000_000n, 1125n],
    ["one a little above", 15_000_001n, 1001n],
    ["one half full", 7_500_000n, 938n],
  ])("after %s", (_, gasUsed, expected) => {
    expect(nextBaseFeeWei(block(gasUsed))).toBe(expected);
  });

  it("stays zero on a chain without one", () => {
    expect(nextBaseFeeWei({ ...block(0n, 0n), gasLimit: 0n })).toBe(0n);
  });
});

describe("the first fees", () => {
  it("are tip and base fee with headroom for three full blocks", () => {
    // 8 gwei grow by an eighth and a wei three times.
    const grown = [0, 1, 2].reduce((fee) => fee + fee / 8n + 1n, 8n * GWEI);
    expect(firstFees(8n * GWEI, policy, 1000n * GWEI)).toEqual({
      tipWei: GWEI,
      maxFeeWei: grown + GWEI,
    });
  });

  it("leave room for two replacements where the base fee allows, and not where it does not", () => {
    const ceiling = 12n * GWEI;
    const first = firstFees(8n * GWEI, policy, ceiling);
    expect(first?.maxFeeWei).toBe((((ceiling * 10_000n) / 11_250n) * 10_000n) / 11_250n);
    expect(firstFees(8n * GWEI, policy, 9n * GWEI + 1n)).toEqual({
      tipWei: GWEI,
      maxFeeWei: 9n * GWEI,
    });
  });

  it("lower the tip under a low ceiling, down to the least tip; below it nothing is sent", () => {
    expect(firstFees(8n * GWEI, policy, 8n * GWEI + 5n)).toEqual({
      tipWei: 5n,
      maxFeeWei: 8n * GWEI + 5n,
    });
    expect(firstFees(8n * GWEI, policy, 8n * GWEI + 1n)?.tipWei).toBe(1n);
    expect(firstFees(8n * GWEI, policy, 8n * GWEI)).toBeUndefined();
  });
});

describe("fees, whatever they are", () => {
  it("never pass the ceiling, cover the base fee, and every replacement pays an eighth more of both", () => {
    fc.assert(
      fc.property(
        policies,
        wei(200n * GWEI),
        wei(2000n * GWEI),
        fc.array(wei(300n * GWEI), { maxLength: 12 }),
        (rules, base, ceiling, bases) => {
          const first = firstFees(base, rules, ceiling);
          if (first === undefined)
            return void expect(base + rules.minTipWei).toBeGreaterThan(ceiling);
          expect(first.maxFeeWei).toBeLessThanOrEqual(ceiling);
          expect(first.maxFeeWei).toBeGreaterThanOrEqual(base + first.tipWei);
          let fees = first;
          for (const next of bases) {
            const higher = bumpedFees(fees, next, rules, ceiling);
            if (higher === undefined) {
              expect((fees.maxFeeWei * (10_000n + rules.bump)) / 10_000n + 1n).toBeGreaterThan(
                ceiling,
              );
              break;
            }
            expect(higher.maxFeeWei).toBeLessThanOrEqual(ceiling);
            expect(higher.tipWei).toBeLessThanOrEqual(higher.maxFeeWei);
            expect(higher.maxFeeWei * 8n).toBeGreaterThanOrEqual(fees.maxFeeWei * 9n);
            expect(higher.tipWei * 8n).toBeGreaterThanOrEqual(fees.tipWei * 9n);
            expect(higher.tipWei).toBeGreaterThan(fees.tipWei);
            fees = higher;
          }
        },
      ),
    );
  });
});

describe("a policy", () => {
  it.each([
    ["bumpPercent", { bumpPercent: 12.4 }],
    ["bumpPercent", { bumpPercent: Number.NaN }],
    ["tipWei", { tipWei: 0n }],
    ["headroomBlocks", { headroomBlocks: 1.5 }],
  ])("with an impossible %s is refused", (field, change) => {
    expect(() => toFeePolicy({ ...given, ...change })).toThrow(ConfigError);
    expect(() => toFeePolicy({ ...given, ...change })).toThrow(field);
  });
});
