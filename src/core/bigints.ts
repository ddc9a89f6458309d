/** The absolute value of a signed whole number. */
export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The smaller of two. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The larger of two. */
export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** The value, or 0 if it is negative. */
export function atLeastZero(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

/** Divides a non-negative number by a positive one, rounded up. */
export function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}
