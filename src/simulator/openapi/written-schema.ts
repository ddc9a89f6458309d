import { z } from "zod";
import { WRITTEN_FORMS } from "../../exchange/protocol/values.js";

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * The schemas of named records that this exchange writes, as JSON Schemas that refer to each other
 * by `refTo`.
 */
export function writtenSchemas(
  records: Readonly<Record<string, z.ZodType>>,
  refTo: (name: string) => { readonly $ref: string },
): Record<string, unknown> {
  const names = new Map<z.core.$ZodType, string>(
    Object.entries(records).map(([name, schema]) => [schema, name]),
  );
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(records)) registry.add(schema, { id: name });
  type Context = { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: JsonSchema };
  const override = ({ zodSchema, jsonSchema }: Context): void => {
    closeObject(zodSchema, jsonSchema);
    const written = WRITTEN_FORMS.get(zodSchema)?.written;
    if (written !== undefined) become(jsonSchema, writtenJson(written));
    openTuple(jsonSchema);
  };
  const refToNamed = ({ zodSchema, jsonSchema }: Context): void => {
    const name = names.get(zodSchema);
    if (name !== undefined) become(jsonSchema, refTo(name));
  };
  const writtenJson = (schema: z.ZodType): JsonSchema => {
    const name = names.get(schema);
    if (name !== undefined) return refTo(name);
    const both = (context: Context): void => {
      override(context);
      refToNamed(context);
    };
    return withoutDialect(z.toJSONSchema(schema, { io: "input", override: both }));
  };
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    override,
    uri: (id) => refTo(id).$ref,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withoutDialect(schema)]),
  );
}

function withoutDialect({ $schema: _dialect, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** Replaces a schema, but keeps the description of its place of use. */
function become(schema: JsonSchema, written: JsonSchema): void {
  const { description } = schema;
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, written, description !== undefined && { description });
}

/** Closes an object: readers accept unknown fields, but this exchange writes none. */
function closeObject(schema: z.core.$ZodType, json: JsonSchema): void {
  if (!(schema instanceof z.ZodObject)) return;
  json.additionalProperties = false;
  json.required = Object.entries(schema.shape as Record<string, z.ZodType>)
    .filter(
      ([name, field]) =>
        json.required?.includes(name) === true || WRITTEN_FORMS.get(field)?.isAlwaysWritten,
    )
    .map(([name]) => name);
}

/**
 * Rewrites a tuple for client generators. JSON Schema closes one by `items: false`, which some
 * generators refuse, while others read only `items`. The bounds of its length close it as well.
 */
function openTuple(schema: JsonSchema): void {
  if (!Array.isArray(schema.prefixItems)) return;
  const kinds = [
    ...new Map(
      (schema.prefixItems as JsonSchema[]).map((kind) => [JSON.stringify(kind), kind]),
    ).values(),
  ];
  const [only] = kinds;
  schema.items = kinds.length === 1 && only !== undefined ? only : { anyOf: kinds };
  schema.minItems = schema.prefixItems.length;
  schema.maxItems = schema.prefixItems.length;
}
