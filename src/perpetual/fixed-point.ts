/**
 * 1 in the contracts' fixed point, in which ratios and rates are
 * (docs/reference/protocol.md#units).
 */
export const ONE = 10n ** 18n;

/** Basis points of one. */
export const BPS = 10_000n;

/**
 * The contracts' product: cut off toward zero for either sign (docs/reference/protocol.md#units).
 */
export function mulFixed(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/**
 * The contracts' quotient: cut off toward zero for either sign (docs/reference/protocol.md#units).
 * @throws RangeError by zero.
 */
export function divFixed(a: bigint, b: bigint): bigint {
  return (a * ONE) / b;
}

/** A fraction in fixed point, to the ninth decimal. */
export function toFixedPoint(fraction: number): bigint {
  return BigInt(Math.round(fraction * 1e9)) * 10n ** 9n;
}
