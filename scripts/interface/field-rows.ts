/** A JSON Schema, as far as the records of the exchange need one. */
export interface FieldSchema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly $ref?: string;
  readonly items?: FieldSchema;
  readonly prefixItems?: readonly FieldSchema[];
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: FieldSchema | boolean;
  readonly required?: readonly string[];
}

/** One field of a record. */
export interface FieldRow {
  /** From the record down: `markets[]`, `perpetualBalances.<marketId>.paperAmount`. */
  readonly path: string;
  /** A few words, with links to other records. */
  readonly type: string;
}

/** A longer list of values goes under the table instead of into its cell. */
const LONGEST_LIST = 60;

/**
 * The fields of a record, nested objects flattened.
 * @param linkTo turns a schema's name into a link
 */
export function fieldRows(schema: FieldSchema, linkTo: (name: string) => string): FieldRow[] {
  return rowsBelow(schema, "", linkTo);
}

function rowsBelow(schema: FieldSchema, above: string, linkTo: LinkTo): FieldRow[] {
  const rows: FieldRow[] = [];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const rest = schema.required?.includes(name) === false ? ", optional" : "";
    rows.push(...rowsOf(field, `${above}${name}`, rest, linkTo));
  }
  return rows;
}

type LinkTo = (name: string) => string;

function rowsOf(field: FieldSchema, path: string, rest: string, linkTo: LinkTo): FieldRow[] {
  if (field.properties !== undefined) return rowsBelow(field, `${path}.`, linkTo);
  if (typeof field.additionalProperties === "object")
    return rowsBelow(field.additionalProperties, `${path}.<marketId>.`, linkTo);
  if (field.type === "array" && field.items !== undefined && field.prefixItems === undefined)
    return rowsOf(field.items, `${path}[]`, rest, linkTo);
  return [{ path, type: `${typeText(field, linkTo)}${rest}` }];
}

function typeText(field: FieldSchema, linkTo: LinkTo): string {
  if (field.$ref !== undefined) return linkTo(field.$ref.slice(field.$ref.lastIndexOf("/") + 1));
  if (field.anyOf !== undefined)
    return field.anyOf.map((each) => typeText(each, linkTo)).join(" or ");
  if (field.oneOf !== undefined) return "filter";
  if (field.prefixItems !== undefined) return "[price, amount]";
  if (field.enum !== undefined) {
    const words = field.enum.map((word) => `\`${word}\``).join(", ");
    return words.length <= LONGEST_LIST ? words : "word of a list";
  }
  if (field.type === "integer") return integerText(field);
  if (field.type !== "string") return field.type ?? "anything";
  if (field.format === "decimal")
    return field.pattern?.startsWith("^-") ? "signed decimal" : "decimal";
  if (field.format === "smallest units") return "integer as text, signed";
  if (field.format !== undefined) return field.format;
  if (field.pattern === "^\\d+$") return "ms as text";
  return field.pattern?.startsWith("^0x") ? "hex" : "text";
}

function integerText({ format, maximum, description }: FieldSchema): string {
  if (format === "int64" && maximum === undefined) return "id";
  return description?.startsWith("milliseconds") || format === "int64" ? "ms" : "integer";
}

/** The values of the fields whose lists are too long for a cell. */
export function longLists(
  schema: FieldSchema,
): readonly [path: string, words: readonly string[]][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const words = field.enum ?? field.items?.enum ?? [];
    const length = words.map((word) => `\`${word}\``).join(", ").length;
    return length > LONGEST_LIST ? [[name, words] as [string, readonly string[]]] : [];
  });
}
