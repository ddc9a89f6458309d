/** A node of a JSON Schema, as `npm run schema` writes it. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
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
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

type Mapping = Readonly<Record<string, unknown>>;

/** One key of a mapping that a schema describes. */
export interface Place {
  readonly path: readonly string[];
  readonly node: SchemaNode;
}

/** Every key below a node, as far as `value` has it; of forms to choose from, the ones it chose. */
export function placesIn(node: SchemaNode, value: unknown, path: readonly string[] = []): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => {
    const child = childOf(node, key);
    if (child === undefined) return [];
    const own = node.properties?.[key] === undefined ? [] : [{ path: [...path, key], node: child }];
    return [...own, ...placesIn(child, held, [...path, key])];
  });
}

function childOf(node: SchemaNode, key: string): SchemaNode | undefined {
  const own = node.properties?.[key];
  if (own !== undefined) return own;
  if (node.items !== undefined) return node.items;
  if (typeof node.additionalProperties === "object" && node.properties === undefined)
    return node.additionalProperties;
  return node.anyOf?.flatMap((form) => childOf(form, key) ?? [])[0];
}

/**
 * A mapping with all keys of the node; what `given` holds is taken from there, undefined for none.
 */
export function filled(node: SchemaNode, given: Mapping = {}): Mapping {
  const own = Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    if (!Object.hasOwn(given, key)) return [[key, sampleOf(child)]];
    const held = given[key];
    if (held === undefined) return [];
    return [[key, isMapping(held) && child.properties !== undefined ? filled(child, held) : held]];
  });
  const beside = Object.entries(given).filter(([, held]) => held !== undefined);
  return { ...Object.fromEntries(beside), ...Object.fromEntries(own) };
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value that the node takes, its default where it has one. */
export function sampleOf(node: SchemaNode): unknown {
  if (node.properties !== undefined) return filled(node);
  if (node.default !== undefined) return node.default;
  if (node.enum !== undefined) return node.enum[0];
  if (node.anyOf !== undefined) return sampleOf(node.anyOf[0] as SchemaNode);
  if (node.type === "boolean") return true;
  if (node.type === "array") return node.items === undefined ? [] : [sampleOf(node.items)];
  if (node.type === "string") return "x";
  if (node.type === "object") return {};
  return node.minimum ?? (node.exclusiveMinimum ?? 0) + 1;
}

/** Values that the node refuses, by what is wrong with them. */
export function wrongValues(node: SchemaNode): [what: string, value: unknown][] {
  const wrong: [string, unknown][] = [["nothing", null]];
  const types = [node.type ?? []].flat();
  if (node.enum !== undefined) wrong.push(["none of the choices", "none-of-them"]);
  if (types.includes("integer")) wrong.push(["a fraction", (node.minimum ?? 0) + 0.5]);
  if (node.minimum !== undefined) wrong.push(["too low", node.minimum - 1]);
  if (node.exclusiveMinimum !== undefined) wrong.push(["on its bound", node.exclusiveMinimum]);
  if (node.maximum !== undefined && node.maximum < Number.MAX_SAFE_INTEGER)
    wrong.push(["too high", node.maximum + 1]);
  if (node.exclusiveMaximum !== undefined)
    wrong.push(["on its upper bound", node.exclusiveMaximum]);
  if (node.minLength !== undefined) wrong.push(["empty", ""]);
  wrong.push(["true for another type", types.includes("boolean") ? "true" : true]);
  if (!types.includes("string") && !isText(node)) wrong.push(["a text", "1"]);
  wrong.push(types.includes("array") ? ["a mapping", {}] : ["a list", []]);
  return wrong;
}

function isText(node: SchemaNode): boolean {
  return node.enum !== undefined || (node.anyOf?.some((form) => form.type === "string") ?? false);
}

/** A copy of a value in which the mapping that holds the key of a path has been changed. */
export function changedAt(
  value: unknown,
  path: readonly string[],
  change: (mapping: Record<string, unknown>, key: string) => void,
): unknown {
  const copy = structuredClone(value);
  const holder = path.slice(0, -1).reduce((held: unknown, key) => (held as Mapping)[key], copy);
  change(holder as Record<string, unknown>, path.at(-1) as string);
  return copy;
}
