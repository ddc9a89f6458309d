/** A JSON replacer that keeps bigints; {@link untagBigints} restores them. */
export function tagBigints(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? { [BIGINT]: value.toString() } : value;
}

/** A JSON reviver for text written with {@link tagBigints}. */
export function untagBigints(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = (value as Readonly<Record<string, unknown>>)[BIGINT];
  return typeof text === "string" ? BigInt(text) : value;
}

/** A key that none of our objects has. */
const BIGINT = "$bigint";
