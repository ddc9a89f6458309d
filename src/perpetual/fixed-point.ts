/**
 * The number 1 in the contracts' fixed point of ratios and rates
 * (docs/reference/protocol.md#units).
 */
export const ONE = 10n ** 18n;

/** Basis points in one. */
export const BPS = 10_000n;

/**
 * The contracts' product, truncated toward zero for either sign (docs/reference/protocol.md#units).
 */
export function mulFixed(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/**
 * The contracts' quotient, truncated toward zero for either sign
 * (docs/reference/protocol.md#units).
 * @throws RangeError for a division by zero
 */
export function divFixed(a: bigint, b: bigint): bigint {
  return (a * ONE) / b;
}

/** A fraction in fixed point, to the ninth decimal. */
export function toFixedPoint(fraction: number): bigint {
  return BigInt(Math.round(fraction * 1e9)) * 10n ** 9n;
}
