import { z } from "zod";

/** The JSON Schema of a config's YAML, as text: what editors complete from, and what is published beside the examples. */
export function configJsonSchema(schema: z.ZodType): string {
  const { $schema, title, description, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // What messages say would be right is ours alone.
    override: ({ jsonSchema }) => {
      delete jsonSchema.expected;
    },
  });
  return `${JSON.stringify({ $schema, title, description, ...rest }, null, 2)}\n`;
}
