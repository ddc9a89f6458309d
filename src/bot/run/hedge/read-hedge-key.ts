import { maskVariableName, protectSecret } from "../../../core/crypto/secrets.js";
import { ConfigError } from "../../../core/errors.js";
import type { HedgeVenueConfig } from "../../config/config.js";

/** An API key of a hedge venue. */
export interface HedgeKey {
  readonly apiKey: string;
  readonly secret: string;
}

/**
 * Reads a hedge venue's API key and its secret from the environment, and protects both.
 * @param field path of the venue in the bot's file
 * @throws ConfigError if a variable is not set; it names the variable alone
 */
export function readHedgeKey(
  { keyEnv, secretEnv }: Pick<HedgeVenueConfig, "keyEnv" | "secretEnv">,
  env: Readonly<Record<string, string | undefined>>,
  field: string,
): HedgeKey {
  const read = (name: string, key: "keyEnv" | "secretEnv"): string => {
    const text = env[name]?.trim() ?? "";
    if (text === "") {
      const shown = maskVariableName(name);
      throw new ConfigError("names an environment variable that is not set", {
        field: `${field}.${key}`,
        value: shown,
        expected: `the environment variable to hold the ${key === "keyEnv" ? "API key" : "API key's secret"}`,
      });
    }
    protectSecret(text);
    return text;
  };
  return { apiKey: read(keyEnv, "keyEnv"), secret: read(secretEnv, "secretEnv") };
}
