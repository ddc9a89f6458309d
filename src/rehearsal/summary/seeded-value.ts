/** A value with the seed of the run that shows it. */
export interface SeededValue<Value> {
  readonly value: Value;
  readonly seed: number;
}

/**
 * The middle and the largest of some costs. Of two in the middle it is the larger one, so that the
 * median never makes a fault look cheaper than it is.
 */
export interface ValueSpread<Value> {
  readonly median: SeededValue<Value>;
  readonly largest: SeededValue<Value>;
}

/** The spread of values; undefined without any. Of equal values the first seed's counts. */
export function spreadOf<Value extends number | bigint>(
  values: readonly SeededValue<Value>[],
): ValueSpread<Value> | undefined {
  const sorted = [...values].sort((a, b) =>
    a.value === b.value ? a.seed - b.seed : a.value < b.value ? -1 : 1,
  );
  const median = sorted[Math.floor(sorted.length / 2)];
  const most = sorted.at(-1);
  if (median === undefined || most === undefined) return undefined;
  const largest = sorted.find(({ value }) => value === most.value) ?? most;
  return { median, largest };
}
