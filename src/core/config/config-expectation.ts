import { splitUnit } from "./config-units.js";
import type { ConfigPath } from "./config-yaml.js";

/** The part of a JSON Schema node that messages use. */
export interface SchemaNode {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string;
  /** The expected value as text, if a schema gives it by `meta({ expected })`. */
  readonly expected?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | boolean;
  readonly propertyNames?: SchemaNode;
  readonly items?: SchemaNode | boolean;
  readonly prefixItems?: readonly SchemaNode[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly multipleOf?: number;
  readonly format?: string;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

/**
 * Finds the node of a schema at a path of values. For a union, it takes the form that the value
 * selects by its fixed keys (`kind: replay`), or the common part of all forms if it selects none.
 */
export function findSchemaNode(
  root: SchemaNode,
  path: ConfigPath,
  value: unknown,
): SchemaNode | undefined {
  let nodes: readonly SchemaNode[] = [root];
  let held = value;
  for (const key of path) {
    nodes = nodes
      .flatMap((node) => formsOf(node, held))
      .flatMap((form) => childOf(form, key) ?? []);
    held =
      typeof held === "object" && held !== null
        ? (held as Record<string | number, unknown>)[key]
        : undefined;
  }
  const forms = nodes.flatMap((node) =>
    typeof held === "object" && held !== null ? formsOf(node, held) : [node],
  );
  return forms.length > 1 ? { anyOf: forms } : forms[0];
}

/** The forms of a node that a value may have selected. */
function formsOf(node: SchemaNode, held: unknown): readonly SchemaNode[] {
  const choices = node.anyOf ?? node.oneOf;
  if (choices === undefined) return [node];
  const forms = choices.flatMap((choice) => formsOf(choice, held));
  if (typeof held !== "object" || held === null) return forms;
  const mapping = held as Readonly<Record<string, unknown>>;
  const chosen = forms.filter(({ properties = {} }) => {
    const fixed = Object.entries(properties).filter(([, child]) => child.const !== undefined);
    return fixed.length > 0 && fixed.every(([key, child]) => child.const === mapping[key]);
  });
  if (chosen.length > 0) return chosen;
  const shared = ({ properties = {} }: SchemaNode): number =>
    Object.keys(mapping).filter((key) => Object.hasOwn(properties, key)).length;
  const most = Math.max(...forms.map(shared));
  // A form's own key identifies it as well as a fixed value does.
  return most > 0 &&
    !forms.some(({ properties = {} }) =>
      Object.values(properties).some((child) => child.const !== undefined),
    )
    ? forms.filter((form) => shared(form) === most)
    : forms;
}

function childOf(node: SchemaNode, key: string | number): SchemaNode | undefined {
  const own = node.properties?.[key];
  if (own !== undefined) return own;
  if (typeof key === "number" && node.prefixItems?.[key] !== undefined)
    return node.prefixItems[key];
  if (typeof key === "number" && typeof node.items === "object") return node.items;
  return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
}

/** The texts that a node accepts, if it accepts nothing else. */
export function allowedTexts(node: SchemaNode): readonly string[] {
  if (typeof node.const === "string") return [node.const];
  if (node.enum !== undefined) return node.enum.map(String);
  const forms = (node.anyOf ?? node.oneOf ?? []).map(allowedTexts);
  return forms.some((form) => form.length === 0) ? [] : forms.flat();
}

/** The key whose fixed value identifies the form of a mapping. */
function fixedKeyOf(
  forms: readonly SchemaNode[],
): { readonly key: string; readonly values: readonly string[] } | undefined {
  const key = Object.keys(forms[0]?.properties ?? {}).find((name) =>
    forms.every(({ properties }) => properties?.[name]?.const !== undefined),
  );
  return key === undefined
    ? undefined
    : { key, values: forms.map(({ properties }) => String(properties?.[key]?.const)) };
}

/**
 * Describes the values that a node accepts: `a whole number of milliseconds from 50 to 60000`.
 * `key` gives the unit.
 */
export function describeExpectation(node: SchemaNode, key: string): string {
  if (node.expected !== undefined) return node.expected;
  const texts = allowedTexts(node);
  if (texts.length > 1) return `one of ${[...new Set(texts)].join(", ")}`;
  const choices = node.anyOf ?? node.oneOf;
  if (choices !== undefined) {
    const fixed = fixedKeyOf(choices);
    if (fixed !== undefined)
      return `a mapping whose ${fixed.key} is one of ${fixed.values.join(", ")}`;
    return [
      ...new Set(choices.map((choice) => describeExpectation({ ...bounds(node), ...choice }, key))),
    ].join(" or ");
  }
  if (Array.isArray(node.type)) {
    return describeExpectation(
      { ...node, type: undefined, anyOf: node.type.map((type: string) => ({ type })) },
      key,
    );
  }
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return `one of ${node.enum.join(", ")}`;
  switch (node.type) {
    case "integer":
      return `a whole number${unitWords(key)}${range(node)}`;
    case "number":
      return `a number${unitWords(key)}${range(node)}`;
    case "boolean":
      return "true or false";
    case "array":
      return listWords(node);
    case "null":
      return "nothing";
    case "object":
      return mappingWords(node);
    case "string":
      return textWords(node);
    default:
      return node.description ?? "another value";
  }
}

function listWords({
  prefixItems,
  minItems = 0,
  maxItems = Number.POSITIVE_INFINITY,
}: SchemaNode): string {
  if (prefixItems !== undefined)
    return `a list of ${prefixItems.length}: ${prefixItems.map((item) => describeExpectation(item, "")).join(", ")}`;
  const least = minItems === 0 ? "" : `at least ${minItems}`;
  const most = Number.isFinite(maxItems) ? `at most ${maxItems}` : "";
  const count = [least, most].filter(Boolean).join(" and ");
  return count === "" ? "a list" : `a list of ${count}`;
}

function mappingWords({ properties, propertyNames }: SchemaNode): string {
  if (properties !== undefined) return `a mapping of ${Object.keys(properties).join(", ")}`;
  return propertyNames?.expected === undefined
    ? "a mapping"
    : `a mapping whose keys are ${propertyNames.expected}`;
}

function textWords({ description, minLength = 0, format }: SchemaNode): string {
  const text =
    format !== undefined
      ? `a text of the form ${format}`
      : minLength === 1
        ? "a text that is not empty"
        : "a text";
  return description === undefined ? text : `a text: ${lowerFirst(description.replace(/\.$/, ""))}`;
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: SchemaNode): SchemaNode {
  return {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
    ...(exclusiveMaximum === undefined ? {} : { exclusiveMaximum }),
  };
}

function unitWords(key: string): string {
  const words = splitUnit(key).unit?.words;
  if (words === undefined) return "";
  return /^(in|as|per) /.test(words) ? ` ${words}` : ` of ${words}`;
}

function range({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: SchemaNode): string {
  const low = exclusiveMinimum === undefined ? safe(minimum) : exclusiveMinimum;
  const high = exclusiveMaximum === undefined ? safe(maximum) : exclusiveMaximum;
  const from =
    low === undefined ? "" : exclusiveMinimum === undefined ? `from ${low}` : `above ${low}`;
  const to =
    high === undefined
      ? ""
      : exclusiveMaximum === undefined
        ? `${from === "" ? "at most" : "to"} ${high}`
        : `below ${high}`;
  const words = [from, to]
    .filter(Boolean)
    .join(from.startsWith("above") || to.startsWith("below") ? " and " : " ");
  const grid = multipleOf === undefined ? "" : `, a multiple of ${multipleOf}`;
  return `${words === "" ? "" : ` ${words.replace("and to", "and at most")}`}${grid}`;
}

/** JSON Schema spells "no bound" of a whole number as the safe integers. */
function safe(bound: number | undefined): number | undefined {
  return bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}

function lowerFirst(text: string): string {
  return /^[A-Z][A-Z]/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
