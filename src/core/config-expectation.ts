import { splitUnit } from "./config-units.js";
import type { ConfigPath } from "./config-yaml.js";

/** The part of a JSON Schema node that messages are made from. */
export interface SchemaNode {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

/** The node of a schema that a path of values leads to. */
export function nodeAt(root: SchemaNode, path: ConfigPath): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const key of path) {
    node = node === undefined ? undefined : childOf(node, key);
  }
  return node;
}

function childOf(node: SchemaNode, key: string | number): SchemaNode | undefined {
  const own = node.properties?.[key];
  if (own !== undefined) return own;
  if (typeof key === "number" && typeof node.items === "object") return node.items;
  if (typeof node.additionalProperties === "object") return node.additionalProperties;
  for (const choice of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
    const found = childOf(choice, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a node takes, in words: `a whole number of milliseconds from 50 to 60000`. `key` tells the unit. */
export function describeExpectation(node: SchemaNode, key: string): string {
  const choices = node.anyOf ?? node.oneOf;
  if (choices !== undefined) {
    const words = [...new Set(choices.map((choice) => describeExpectation({ ...bounds(node), ...choice }, key)))];
    return words.length === 2 && words.includes("a text")
      ? `${words.find((word) => word !== "a text")}, or the same as text`
      : words.join(" or ");
  }
  if (Array.isArray(node.type)) {
    return describeExpectation({ ...node, type: undefined, anyOf: node.type.map((type: string) => ({ type })) }, key);
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
      return "a list";
    case "object":
      return node.properties === undefined ? "a mapping" : `a mapping of ${Object.keys(node.properties).join(", ")}`;
    case "string":
      return node.description === undefined ? "a text" : `a text: ${lowerFirst(node.description.replace(/\.$/, ""))}`;
    default:
      return node.description ?? "another value";
  }
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

function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: SchemaNode): string {
  const low = exclusiveMinimum === undefined ? safe(minimum) : exclusiveMinimum;
  const high = exclusiveMaximum === undefined ? safe(maximum) : exclusiveMaximum;
  const from = low === undefined ? "" : exclusiveMinimum === undefined ? `from ${low}` : `above ${low}`;
  const to = high === undefined ? "" : exclusiveMaximum === undefined ? `${from === "" ? "at most" : "to"} ${high}` : `below ${high}`;
  const words = [from, to].filter(Boolean).join(from.startsWith("above") || to.startsWith("below") ? " and " : " ");
  return words === "" ? "" : ` ${words.replace("and to", "and at most")}`;
}

/** JSON Schema spells "no bound" of a whole number as the safe integers. */
function safe(bound: number | undefined): number | undefined {
  return bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
