import { parseYamlValue } from "../../core/config/config-yaml.js";
import { ConfigError } from "../../core/errors.js";
import { isQuantity } from "../config/config.js";
import { parseConfigPath } from "../config/config-path.js";

/** A new value for a path of a bot's file, as it was typed. */
export interface TypedChange {
  readonly path: string;
  readonly value: unknown;
}

/**
 * Reads `path=value`. The value is YAML, as in the file.
 * @param field the option or argument that holds the text, for the error
 * @throws ConfigError for a text of another form, and for a value that no file could have
 */
export function parseChange(text: string, field = "changes"): TypedChange {
  const [, path, written] = /^((?:"[^"]*"|[^="])*)=(.*)$/s.exec(text) ?? [];
  if (path === undefined || written === undefined || path === "")
    throw new ConfigError("is not a change", {
      field,
      value: text,
      expected: "path=value, such as markets.btcusdc.params.halfSpreadBps=5",
    });
  const keys = parseConfigPath(path);
  if (written.trim() === "")
    throw new ConfigError("has no value", {
      field: path,
      expected: `${path}=VALUE, or ${path}=null to remove the key`,
    });
  const value = parseYamlValue(written, path, (below) => isQuantity([...keys, ...below]));
  // JSON would send it to the bot as null, which removes the key.
  if (hasNonFinite(value))
    throw new ConfigError("is not a finite number", {
      field: path,
      value: written,
      expected: "a number that the file could have, such as 5",
    });
  return { path, value };
}

/** True if a value of YAML is or contains infinity or NaN. */
function hasNonFinite(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasNonFinite);
}
