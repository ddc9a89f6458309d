/** 1 in the contracts' fixed point, in which ratios and rates are (protocol 7.1). */
export const ONE = 10n ** 18n;

/** Basis points of one. */
export const BPS = 10_000n;

/** The contracts' product: cut off toward zero for either sign (protocol 7.1, dMul). */
export function mulFixed(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/** The contracts' quotient: cut off toward zero for either sign (protocol 7.1, dDiv). @throws RangeError by zero. */
export function divFixed(a: bigint, b: bigint): bigint {
  return (a * ONE) / b;
}

/** A fraction in fixed point, to the ninth decimal. */
export function toFixedPoint(fraction: number): bigint {
  return BigInt(Math.round(fraction * 1e9)) * 10n ** 9n;
}
