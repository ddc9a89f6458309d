/** 1 in the contracts' fixed point. */
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

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Quotient of two numbers that are not negative, rounded up. */
export function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}
