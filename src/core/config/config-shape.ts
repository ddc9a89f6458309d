import { z } from "zod";
import { ConfigError } from "../errors.js";
import {
  allowedTexts,
  describeExpectation,
  findSchemaNode,
  type SchemaNode,
} from "./config-expectation.js";
import { suggestKey } from "./config-units.js";
import type { ConfigPath } from "./config-yaml.js";
import { createConfigError } from "./create-config-error.js";
import { findNearestName } from "./find-nearest-name.js";
import { describeIssueExpectation } from "./schema-violation.js";

/** Context for locating an error in its file. */
export interface ShapeContext {
  /**
   * Path of the checked value in its file: `["markets", "btcusdc", "params"]`. Default: the root.
   */
  readonly at?: ConfigPath;
  /** Returns the line of a path, if the file is known. */
  readonly locate?: ((path: ConfigPath) => string) | undefined;
}

type Issue = z.core.$ZodIssue;

/**
 * Checks a config value against its zod schema. Unknown keys are rejected, at the top level even if
 * the schema itself would drop them.
 * @throws ConfigError with ONE message: the path, the value, the expected value, and the number of
 * further problems.
 */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { at = [], locate }: ShapeContext = {},
): z.output<Schema> {
  const strict = strictly(schema);
  const result = strict.safeParse(value, { reportInput: true });
  if (result.success) return result.data as z.output<Schema>;
  const root = schemaNode(strict);
  const issues = result.error.issues
    .flatMap((issue) => meantIssues(issue, value))
    .sort((a, b) => rank(a) - rank(b));
  const [first] = issues;
  if (first === undefined)
    throw new ConfigError("does not match its schema", { field: at.join(".") });
  throw problem(first, issues.length - 1, value, root, { at, locate });
}

/**
 * Returns a predicate for the paths of a config that hold only texts of a fixed form, such as
 * decimals. A YAML number there keeps its written digits. A text of any form, such as a folder's
 * name, is not a number.
 * @param path the path of a written value.
 */
export function textPaths(schema: z.ZodType): (path: ConfigPath) => boolean {
  const root = schemaNode(schema);
  return (path) => {
    const node = findSchemaNode(root, path, undefined);
    return node?.type === "string" && node.pattern !== undefined;
  };
}

const schemaNodes = new WeakMap<z.ZodType, SchemaNode>();

function schemaNode(schema: z.ZodType): SchemaNode {
  const known = schemaNodes.get(schema);
  if (known !== undefined) return known;
  // Takes several times as long as a check of a whole bot's file.
  const node = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as SchemaNode;
  schemaNodes.set(schema, node);
  return node;
}

/** An unknown key comes first: it is often the reason why another one is missing. */
function rank(issue: Issue): number {
  return issue.code === "unrecognized_keys" ? 0 : 1;
}

/**
 * The problems of the form of a union that was probably meant: the one whose fixed values and keys
 * the mapping shares most. A union of plain values is unchanged.
 */
function meantIssues(issue: Issue, value: unknown): readonly Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const held = valueAt(value, plainPath(issue));
  if (
    typeof held !== "object" ||
    held === null ||
    Array.isArray(held) ||
    Object.keys(held).length === 0
  )
    return [issue];
  const forms = issue.errors
    .map((errors) =>
      errors.flatMap((inner) =>
        meantIssues({ ...inner, path: [...issue.path, ...inner.path] }, value),
      ),
    )
    .filter(
      (errors) =>
        !errors.some(
          (inner) => inner.code === "invalid_type" && inner.path.length === issue.path.length,
        ),
    )
    .sort((a, b) => weight(a, held) - weight(b, held));
  return forms[0] ?? [issue];
}

/** Distance of a mapping from a form: first unknown keys, then other problems. */
function weight(errors: readonly Issue[], held: object): number {
  const unknown = errors.reduce(
    (sum, inner) => sum + (inner.code === "unrecognized_keys" ? inner.keys.length : 0),
    0,
  );
  return unknown * (Object.keys(held).length + 1) * 100 + errors.length;
}

function plainPath(issue: Issue): (string | number)[] {
  return issue.path.filter((key) => typeof key !== "symbol");
}

function problem(
  issue: Issue,
  more: number,
  value: unknown,
  root: SchemaNode,
  { at = [], locate }: ShapeContext,
): ConfigError {
  const inner = plainPath(issue);
  const unknownKey = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = unknownKey === undefined ? inner : [...inner, unknownKey];
  // For a wrong name, the name itself is the wrong value.
  const held = issue.code === "invalid_key" ? inner.at(-1) : valueAt(value, path);
  const node = findSchemaNode(root, inner, value);
  const whole = [...at, ...path];
  const where = locate === undefined ? "" : ` in ${locate(whole)}`;
  const others = more === 0 ? "" : `, and ${more} ${more === 1 ? "problem" : "problems"} more`;
  const {
    summary,
    hint = "",
    expected,
  } = unknownKey === undefined
    ? issue.code === "invalid_key"
      ? wrongName(String(held), findSchemaNode(root, inner.slice(0, -1), value))
      : wrongValue(issue, held, node, inner)
    : wrongKey(unknownKey, held, node);
  return createConfigError(`${summary}${where}${hint === "" ? "" : `, ${hint}`}${others}`, {
    field: whole.length === 0 ? "the file" : whole.join("."),
    value: held,
    expected,
  });
}

/** The problem, the probable intention, and the expected value. */
interface Finding {
  readonly summary: string;
  readonly hint?: string | undefined;
  readonly expected: string;
}

function wrongKey(key: string, held: unknown, node: SchemaNode | undefined): Finding {
  const forms = node?.anyOf ?? (node === undefined ? [] : [node]);
  const known = [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))];
  if (node !== undefined && known.includes(key))
    return {
      summary: "cannot be combined with the keys beside it",
      expected: describeExpectation(node, key),
    };
  const isComma = /^\d+$/.test(key) && held === null;
  return {
    summary: "unknown key",
    hint: isComma
      ? "since the comma ended the value before it (write numbers without commas)"
      : suggestKey(key, held, known),
    expected: known.length === 0 ? "no keys here" : `one of ${known.join(", ")}`,
  };
}

/** A name that the user chooses, such as a market's id. */
function wrongName(name: string, mapping: SchemaNode | undefined): Finding {
  const names = mapping?.propertyNames ?? {};
  const lower = name.toLowerCase();
  const fits =
    lower !== name && names.pattern !== undefined && new RegExp(names.pattern).test(lower);
  return {
    summary: "is not a valid name",
    hint: fits ? `did you mean ${lower}?` : undefined,
    expected: describeExpectation(names, ""),
  };
}

function wrongValue(
  issue: Issue,
  held: unknown,
  node: SchemaNode | undefined,
  path: ConfigPath,
): Finding {
  const own =
    "params" in issue && typeof issue.params?.expected === "string"
      ? issue.params.expected
      : undefined;
  const expected =
    own ??
    (node === undefined
      ? describeIssueExpectation(issue)
      : describeExpectation(node, String(path.at(-1) ?? "")));
  const near =
    typeof held === "string"
      ? findNearestName(held, node === undefined ? [] : allowedTexts(node))
      : undefined;
  const hint = near === undefined ? otherSpelling(held, node) : `did you mean ${near}?`;
  return { summary: summaryOf(issue, held, node), hint, expected };
}

/** The probable meaning of a value that is written as another type. */
function otherSpelling(held: unknown, node: SchemaNode | undefined): string | undefined {
  if (typeof held === "number" && node?.type === "string" && node.pattern === undefined)
    return "write a text in quotes";
  if (typeof held !== "string" || held.trim() === "") return undefined;
  if (node?.type === "boolean" && /^(yes|no|on|off)$/i.test(held))
    return `did you mean ${/^(yes|on)$/i.test(held)}?`;
  const isNumber = node?.type === "number" || node?.type === "integer";
  return isNumber && Number.isFinite(Number(held)) ? "write a number without quotes" : undefined;
}

function summaryOf(issue: Issue, held: unknown, node: SchemaNode | undefined): string {
  if (issue.code === "custom" && issue.message !== "Invalid input") return issue.message;
  if (held === undefined) return "is missing";
  if (held === null) return "is empty";
  if (typeof held === "string" && node !== undefined && allowedTexts(node).length > 0)
    return "is not one of the allowed values";
  switch (issue.code) {
    case "invalid_value":
      return "is not one of the allowed values";
    case "too_small":
      return sizeWords(issue.origin, held, "is too low", "is too short", "has too few entries");
    case "too_big":
      return sizeWords(issue.origin, held, "is too high", "is too long", "has too many entries");
    case "invalid_format":
      return "has the wrong form";
    case "not_multiple_of":
      return "is not a multiple of its step";
    case "invalid_type":
      if (typeof held === "number" && !Number.isFinite(held)) return "is not a finite number";
      return issue.expected === "int" && typeof held === "number"
        ? "is not a whole number"
        : "is of the wrong type";
    case "invalid_union":
      return typeof held === "object" ? "has none of the allowed forms" : "is of the wrong type";
    default:
      return issue.message;
  }
}

function sizeWords(
  origin: string,
  held: unknown,
  number: string,
  text: string,
  list: string,
): string {
  if (held === 0) return "must not be zero";
  if (origin === "string") return held === "" ? "is empty" : text;
  return origin === "array" || origin === "set" || origin === "map" ? list : number;
}

const strictForms = new WeakMap<z.ZodType, z.ZodType>();

/**
 * A user's schema may come from another copy of zod, so this checks for its methods, not its class.
 */
function strictly(schema: z.ZodType): z.ZodType {
  if (!("strict" in schema) || typeof schema.strict !== "function" || hasCatchall(schema))
    return schema;
  const known = strictForms.get(schema);
  if (known !== undefined) return known;
  const strict = (schema.strict as () => z.ZodType).call(schema);
  strictForms.set(schema, strict);
  return strict;
}

function hasCatchall(schema: z.ZodType): boolean {
  const definition: object = schema.def;
  return "catchall" in definition && definition.catchall !== undefined;
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (held, key) =>
      typeof held === "object" && held !== null
        ? (held as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}
