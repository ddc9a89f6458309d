import { ceilDivide, larger, smaller } from "../../core/bigints.js";
import { ConfigError } from "../../core/errors.js";

/** Fees of one transaction, wei per unit of gas. */
export interface Fees {
  readonly maxFeeWei: bigint;
  readonly tipWei: bigint;
}

/** Initial fees and their growth. */
export interface FeePolicy {
  /** Tip of the first transaction. */
  readonly tipWei: bigint;
  /** The least tip to try when a job's ceiling leaves no more. */
  readonly minTipWei: bigint;
  /**
   * Increase of both fees in a replacement, in ten thousandths: 1250 or more, as nodes demand 10 to
   * 12.5 %.
   */
  readonly bump: bigint;
  /**
   * Number of full blocks in a row for which the first transaction stays above the base fee, if the
   * ceiling allows.
   */
  readonly headroomBlocks: number;
}

const WHOLE = 10_000n;
/** geth demands 10 %, others 12.5 %. */
const LEAST_BUMP_PERCENT = 12.5;
/** Replacements for which the first transaction leaves room below the ceiling. */
const ROOM_FOR_BUMPS = 2;

/** @throws ConfigError when common nodes would reject the replacements, or a tip is negative. */
export function toFeePolicy(given: {
  tipWei: bigint;
  minTipWei: bigint;
  bumpPercent: number;
  headroomBlocks: number;
}): FeePolicy {
  const { tipWei, minTipWei, bumpPercent, headroomBlocks } = given;
  if (!(bumpPercent >= LEAST_BUMP_PERCENT && bumpPercent <= 1000))
    throw new ConfigError("is outside the fee increases that nodes accept", {
      field: "bumpPercent",
      value: bumpPercent,
      expected: `${LEAST_BUMP_PERCENT} to 1000`,
    });
  if (minTipWei < 0n || tipWei < minTipWei)
    throw new ConfigError("is below the smallest tip", {
      field: "tipWei",
      value: tipWei,
      expected: `at least ${minTipWei}`,
    });
  if (!Number.isInteger(headroomBlocks) || headroomBlocks < 0 || headroomBlocks > 50)
    throw new ConfigError("cannot be the number of blocks", {
      field: "headroomBlocks",
      value: headroomBlocks,
      expected: "0 to 50",
    });
  return { tipWei, minTipWei, bump: BigInt(Math.ceil(bumpPercent * 100)), headroomBlocks };
}

/**
 * Computes the fees of a first transaction: the configured tip and headroom, capped by the ceiling,
 * with room left for replacements if the base fee allows it.
 * @param baseFeeWei of the next block.
 * @returns undefined when not even the least tip fits under the ceiling.
 */
export function firstFees(
  baseFeeWei: bigint,
  policy: FeePolicy,
  ceilingFeeWei: bigint,
): Fees | undefined {
  if (baseFeeWei + policy.minTipWei > ceilingFeeWei) return undefined;
  const tipWei = smaller(policy.tipWei, ceilingFeeWei - baseFeeWei);
  let room = ceilingFeeWei;
  for (let i = 0; i < ROOM_FOR_BUMPS; i += 1) room = (room * WHOLE) / (WHOLE + policy.bump);
  return {
    tipWei,
    maxFeeWei: larger(
      baseFeeWei + tipWei,
      smaller(withHeadroom(baseFeeWei, policy) + tipWei, room),
    ),
  };
}

/**
 * Computes the fees of a replacement: both higher by at least the bump, and above the current base
 * fee if the ceiling allows.
 * @returns undefined when the ceiling leaves no replacement that a node would accept.
 */
export function bumpedFees(
  previous: Fees,
  baseFeeWei: bigint,
  policy: FeePolicy,
  ceilingFeeWei: bigint,
): Fees | undefined {
  const tipWei = bumped(previous.tipWei, policy);
  const least = bumped(previous.maxFeeWei, policy);
  if (least > ceilingFeeWei) return undefined;
  return {
    tipWei,
    maxFeeWei: larger(least, smaller(withHeadroom(baseFeeWei, policy) + tipWei, ceilingFeeWei)),
  };
}

function withHeadroom(baseFeeWei: bigint, { headroomBlocks }: FeePolicy): bigint {
  let fee = baseFeeWei;
  for (let i = 0; i < headroomBlocks; i += 1) fee += fee / 8n + 1n;
  return fee;
}

/** Always an increase: nodes demand one even from a tip of zero. */
function bumped(fee: bigint, { bump }: FeePolicy): bigint {
  return larger(fee + 1n, ceilDivide(fee * (WHOLE + bump), WHOLE));
}
