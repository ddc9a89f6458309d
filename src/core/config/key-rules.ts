/**
 * Rules between the keys of a mapping in JSON Schema: they show an editor the checks that zod
 * implements as functions. They are in a schema's `allOf`, which error messages do not use.
 */

/** A JSON Schema that a mapping must satisfy in addition to its own. */
export type KeyRule = Readonly<Record<string, unknown>>;

/** Exactly one of the keys is present. */
export function exactlyOneOf(...keys: readonly string[]): KeyRule {
  return { oneOf: keys.map((key) => ({ required: [key] })) };
}

/** The keys are not all present. */
export function notTogether(...keys: readonly string[]): KeyRule {
  return { not: { required: keys } };
}

/** If `key` is present, `other` is too. */
export function needs(key: string, other: string): KeyRule {
  return when({ required: [key] }, { required: [other] });
}

/** A value that matches `condition` must match `rule`, any other `otherwise`. */
export function when(condition: KeyRule, rule: KeyRule, otherwise?: KeyRule): KeyRule {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and no function.
  return { if: condition, then: rule, ...(otherwise === undefined ? {} : { else: otherwise }) };
}
