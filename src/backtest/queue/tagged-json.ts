/** As JSON takes it: a replacer that keeps bigints, which {@link untagBigints} gives back. */
export function tagBigints(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? { [BIGINT]: value.toString() } : value;
}

/** A reviver for what was written with {@link tagBigints}. */
export function untagBigints(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = (value as Readonly<Record<string, unknown>>)[BIGINT];
  return typeof text === "string" ? BigInt(text) : value;
}

/** A key that nothing of ours has. */
const BIGINT = "$bigint";
