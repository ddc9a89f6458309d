/**
 * Rules between the keys of a mapping, as JSON Schema has them: what an editor knows of a check that
 * zod keeps as a function. They stand in a schema's `allOf`, which the messages of errors do not read.
 */

/** A JSON Schema that a mapping keeps beside its own. */
export type KeyRule = Readonly<Record<string, unknown>>;

/** One of the keys is there, and no other of them. */
export function exactlyOneOf(...keys: readonly string[]): KeyRule {
  return { oneOf: keys.map((key) => ({ required: [key] })) };
}

/** The keys are not all there. */
export function notTogether(...keys: readonly string[]): KeyRule {
  return { not: { required: keys } };
}

/** Beside `key` there is `other`. */
export function needs(key: string, other: string): KeyRule {
  return when({ required: [key] }, { required: [other] });
}

/** What fits `condition` keeps `rule` too, and what does not fit keeps `otherwise`. */
export function when(condition: KeyRule, rule: KeyRule, otherwise?: KeyRule): KeyRule {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and no function.
  return { if: condition, then: rule, ...(otherwise === undefined ? {} : { else: otherwise }) };
}
