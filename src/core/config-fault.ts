import { ConfigError, type ErrorDetail } from "./errors.js";

/**
 * The error of what somebody wrote in a config. What looks like a private key or a wallet's phrase is left out of it, wherever it was pasted by
 * mistake: as a value, as the name of a key, or in a line that is quoted.
 */
export function configFault(summary: string, { field, value, expected, cause }: ErrorDetail): ConfigError {
  return new ConfigError(withoutKeys(summary), {
    ...(field === undefined ? {} : { field: withoutKeys(field) }),
    ...(value === undefined ? {} : { value: withoutSecrets(value) }),
    ...(expected === undefined ? {} : { expected: withoutKeys(expected) }),
    ...(cause === undefined ? {} : { cause }),
  });
}

function withoutSecrets(held: unknown): unknown {
  // Nine words in a row are a phrase in a value, and a sentence in what is said of it.
  if (typeof held === "string")
    return withoutKeys(held).replace(/\b[a-z]{3,8}(\s+[a-z]{3,8}){8,}\b/gi, "[not shown: looks like a wallet's phrase]");
  if (typeof held === "bigint") return held.toString();
  if (typeof held === "number" && Number.isFinite(held) && Math.abs(held) > 1e60) return KEY_HIDDEN;
  if (Array.isArray(held)) return held.map(withoutSecrets);
  if (typeof held === "object" && held !== null)
    return Object.fromEntries(Object.entries(held).map(([key, value]) => [withoutKeys(key), withoutSecrets(value)]));
  return held;
}

const KEY_HIDDEN = "[not shown: looks like a private key]";

function withoutKeys(text: string): string {
  return text.replace(/(0x)?[0-9a-fA-F]{64,}/g, KEY_HIDDEN);
}
