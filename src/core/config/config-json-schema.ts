import { z } from "zod";

/** A node of a JSON Schema. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * The JSON Schema of a config's YAML, as text, for the completion of editors and for publication
 * beside the examples.
 * @param add extends the schema of the whole file with rules that zod cannot express.
 */
export function configJsonSchema(
  schema: z.ZodType,
  add: (whole: JsonSchema) => JsonSchema = (whole) => whole,
): string {
  const { $schema, title, description, ...rest } = add(jsonSchemaOf(schema));
  return `${JSON.stringify({ $schema, title, description, ...rest }, null, 2)}\n`;
}

/** The JSON Schema of the YAML input of a zod schema: keys with defaults are optional. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // Only our own messages use the expected value.
    override: ({ jsonSchema }) => {
      delete jsonSchema.expected;
    },
  });
}
