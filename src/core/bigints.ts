/** The size of a signed whole number. */
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

/** The value, or 0 where it is below. */
export function atLeastZero(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

/** The quotient of a number that is not negative and one above zero, rounded up. */
export function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}
