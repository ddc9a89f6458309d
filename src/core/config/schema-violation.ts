import type { z } from "zod";

/** A schema's finding about a value: the path, the value, and the expected value. */
export interface SchemaViolation {
  /**
   * Keys and indices from the root, joined by dots: `orders.1.amount`; empty for the value itself.
   */
  readonly path: string;
  /** The value; undefined if absent. */
  readonly value: unknown;
  /** Text to follow "expected". */
  readonly expected: string;
}

type Issue = z.core.$ZodIssue;

/**
 * Finds the first violation of a schema in a value. For a config, `checkShape` gives more detail
 * from the schema's own texts.
 */
export function findSchemaViolation(
  { issues: [issue] }: z.ZodError,
  value: unknown,
): SchemaViolation {
  if (issue === undefined) return { path: "", value, expected: OTHER };
  return {
    path: issue.path.map(String).join("."),
    value: valueAt(value, issue.path),
    expected: describeIssueExpectation(issue),
  };
}

const OTHER = "another value";

const TYPES: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

/** Describes the value that an issue's schema accepts, as text to follow "expected". */
export function describeIssueExpectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return `${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `${issue.inclusive === false ? "more than" : "at least"} ${amount(issue.minimum, issue.origin)}`;
    case "too_big":
      return `${issue.inclusive === false ? "less than" : "at most"} ${amount(issue.maximum, issue.origin)}`;
    case "invalid_format":
      return `a text of the form ${issue.pattern ?? issue.format}`;
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `no key ${issue.keys.join(", ")}`;
    case "invalid_union": {
      const forms = issue.errors.flatMap(([first]) =>
        first === undefined ? [] : [describeIssueExpectation(first)],
      );
      return [...new Set(forms)].join(" or ") || OTHER;
    }
    default:
      return issue.message === "Invalid input" ? OTHER : issue.message;
  }
}

function amount(count: number | bigint, origin: string): string {
  if (origin === "string") return `${count} character${count === 1 ? "" : "s"}`;
  return origin === "array" ? `${count} entr${count === 1 ? "y" : "ies"}` : String(count);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (held, key) =>
      typeof held === "object" && held !== null
        ? (held as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}
