import { configJsonSchema } from "../../core/config/config-json-schema.js";
import { botSchema } from "./config-schema.js";

/** The JSON Schema of a bot's YAML, as text: what `config/schema.json` holds and editors complete from. */
export function botJsonSchema(): string {
  return configJsonSchema(botSchema);
}
