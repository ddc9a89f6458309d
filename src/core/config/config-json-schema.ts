import { z } from "zod";

/** A node of a JSON Schema. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * The JSON Schema of a config's YAML, as text: what editors complete from, and what is published
 * beside the examples.
 * @param add completes the schema of the whole file by what zod does not know.
 */
export function configJsonSchema(
  schema: z.ZodType,
  add: (whole: JsonSchema) => JsonSchema = (whole) => whole,
): string {
  const { $schema, title, description, ...rest } = add(jsonSchemaOf(schema));
  return `${JSON.stringify({ $schema, title, description, ...rest }, null, 2)}\n`;
}

/** The JSON Schema of what a YAML may write for a zod schema: defaults are left out at will. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // What messages say would be right is ours alone.
    override: ({ jsonSchema }) => {
      delete jsonSchema.expected;
    },
  });
}
