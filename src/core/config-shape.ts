import { z } from "zod";
import { describeExpectation, nodeAt, type SchemaNode } from "./config-expectation.js";
import { meantKey } from "./config-units.js";
import type { ConfigPath } from "./config-yaml.js";
import { ConfigError } from "./errors.js";
import { nearestName } from "./nearest-name.js";

/** How the message names the place of what is wrong. */
export interface ShapeContext {
  /** Path of the checked value in its file: `["markets", "btcusdc", "params"]`. Default: the root. */
  readonly at?: ConfigPath;
  /** The line of a path, where the file is at hand. */
  readonly locate?: ((path: ConfigPath) => string) | undefined;
}

type Issue = z.core.$ZodIssue;

/**
 * Checks a config value against its zod schema. Unknown keys are refused, at the top level even when the schema
 * itself would drop them.
 * @throws ConfigError with ONE message: the path, the value, what would be right, and how many problems more there are.
 */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { at = [], locate }: ShapeContext = {},
): z.output<Schema> {
  const strict = strictly(schema);
  const result = strict.safeParse(value, { reportInput: true });
  if (result.success) return result.data as z.output<Schema>;
  const root = z.toJSONSchema(strict, { io: "input", unrepresentable: "any" }) as SchemaNode;
  const issues = [...result.error.issues].sort((a, b) => rank(a) - rank(b));
  const [first] = issues;
  if (first === undefined) throw new ConfigError("is not what it should be", { field: at.join(".") });
  throw problem(first, issues.length - 1, value, root, { at, locate });
}

/** An unknown key is named first: it is often why another one is missing. */
function rank(issue: Issue): number {
  return issue.code === "unrecognized_keys" ? 0 : 1;
}

function problem(issue: Issue, more: number, value: unknown, root: SchemaNode, { at = [], locate }: ShapeContext): ConfigError {
  const inner = issue.path.filter((key) => typeof key !== "symbol");
  const unknownKey = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = unknownKey === undefined ? inner : [...inner, unknownKey];
  const held = valueAt(value, path);
  const node = nodeAt(root, inner);
  const whole = [...at, ...path];
  const where = locate === undefined ? "" : ` in ${locate(whole)}`;
  const others = more === 0 ? "" : `, and ${more} ${more === 1 ? "problem" : "problems"} more`;
  const {
    summary,
    hint = "",
    expected,
  } = unknownKey === undefined ? wrongValue(issue, held, node, inner) : wrongKey(unknownKey, held, node);
  return new ConfigError(`${summary}${where}${hint === "" ? "" : `, ${hint}`}${others}`, {
    field: whole.length === 0 ? "the file" : whole.join("."),
    value: withoutSecrets(held),
    expected,
  });
}

/** What is wrong, what was probably meant, and what would be right. */
interface Finding {
  readonly summary: string;
  readonly hint?: string | undefined;
  readonly expected: string;
}

function wrongKey(key: string, held: unknown, node: SchemaNode | undefined): Finding {
  const known = Object.keys(node?.properties ?? {});
  return {
    summary: "unknown key",
    hint: meantKey(key, held, known),
    expected: known.length === 0 ? "no such key" : `one of ${known.join(", ")}`,
  };
}

function wrongValue(issue: Issue, held: unknown, node: SchemaNode | undefined, path: ConfigPath): Finding {
  const own = "params" in issue && typeof issue.params?.expected === "string" ? issue.params.expected : undefined;
  const expected = own ?? (node === undefined ? issue.message : describeExpectation(node, String(path.at(-1) ?? "")));
  const near = issue.code === "invalid_value" && typeof held === "string" ? nearestName(held, (node?.enum ?? []).map(String)) : undefined;
  return { summary: summaryOf(issue, held), hint: near === undefined ? undefined : `did you mean ${near}?`, expected };
}

function summaryOf(issue: Issue, held: unknown): string {
  if (held === undefined) return "is missing";
  if (held === null) return "is empty";
  switch (issue.code) {
    case "custom":
      return issue.message;
    case "invalid_value":
      return "is none of the choices";
    case "too_small":
      return held === 0 ? "must not be zero" : "is too low";
    case "too_big":
      return "is too high";
    case "invalid_format":
      return "has the wrong form";
    case "invalid_key":
      return "is no such name";
    case "invalid_type":
    case "invalid_union":
      return "is of the wrong type";
    default:
      return issue.message;
  }
}

/** A user's own schema may come from another copy of zod, so its methods are asked for, not its class. */
function strictly(schema: z.ZodType): z.ZodType {
  if ("strict" in schema && typeof schema.strict === "function" && !hasCatchall(schema))
    return (schema.strict as () => z.ZodType).call(schema);
  return schema;
}

function hasCatchall(schema: z.ZodType): boolean {
  const definition: object = schema.def;
  return "catchall" in definition && definition.catchall !== undefined;
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (held, key) => (typeof held === "object" && held !== null ? (held as Record<string | number, unknown>)[key] : undefined),
    value,
  );
}

/** What looks like a private key or a keystore phrase is not shown, wherever it was pasted by mistake. */
export function withoutSecrets(held: unknown): unknown {
  if (typeof held === "string") return held.replace(/(0x)?[0-9a-fA-F]{64,}/g, "[not shown: looks like a private key]");
  if (typeof held === "bigint") return held.toString();
  if (typeof held === "number" && Math.abs(held) > 1e60) return "[not shown: looks like a private key]";
  if (Array.isArray(held)) return held.map(withoutSecrets);
  if (typeof held === "object" && held !== null)
    return Object.fromEntries(Object.entries(held).map(([key, value]) => [key, withoutSecrets(value)]));
  return held;
}
