import { z } from "zod";
import { botSchema } from "./config-schema.js";

/** The JSON Schema of a bot's YAML, as text: what `config/schema.json` holds and editors complete from. */
export function botJsonSchema(): string {
  const { $schema, title, description, ...rest } = z.toJSONSchema(botSchema, {
    io: "input",
    unrepresentable: "any",
    // What messages say would be right is ours alone.
    override: ({ jsonSchema }) => {
      delete jsonSchema.expected;
    },
  });
  return `${JSON.stringify({ $schema, title, description, ...rest }, null, 2)}\n`;
}
