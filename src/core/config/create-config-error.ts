import { isSecretField, maskSecrets, maskVariableName, NOT_SHOWN } from "../crypto/secrets.js";
import { ConfigError, type ErrorDetail } from "../errors.js";

/**
 * Creates the error for a value in a config. It omits anything that may be a secret, wherever it
 * was pasted by mistake (as a value, as the name of a key, or in a quoted line): a private key, a
 * wallet's phrase, the value of a key such as `password`, and credentials in addresses.
 */
export function createConfigError(
  summary: string,
  { field, value, expected, cause }: ErrorDetail,
): ConfigError {
  return new ConfigError(withoutKeys(summary), {
    ...(field === undefined ? {} : { field: withoutKeys(field) }),
    ...(value === undefined
      ? {}
      : { value: isOfSecret(field) ? withoutSecret(value) : withoutSecrets(value) }),
    ...(expected === undefined ? {} : { expected: withoutKeys(expected) }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * Returns true if the value of a field, such as `account.keyEnv` or `chain.rpcEnv.0`, could be a
 * secret.
 */
function isOfSecret(field: string | undefined): boolean {
  return (
    field !== undefined &&
    isSecretField(field.split(".").findLast((part) => !/^\d+$/.test(part)) ?? "")
  );
}

/**
 * The value of a field that may contain a secret: names of variables are shown, and values without
 * a secret.
 */
function withoutSecret(held: unknown): unknown {
  if (typeof held === "string") return held === "" ? held : maskVariableName(held);
  if (typeof held === "number" || typeof held === "bigint") return NOT_SHOWN;
  return withoutSecrets(held);
}

function withoutSecrets(held: unknown): unknown {
  // Nine words in a row are a phrase in a value, but a sentence in a message.
  if (typeof held === "string")
    return withoutKeys(held).replace(
      /\b[a-z]{3,8}(\s+[a-z]{3,8}){8,}\b/gi,
      "[not shown: looks like a wallet's phrase]",
    );
  if (typeof held === "bigint") return held.toString();
  if (typeof held === "number" && Number.isFinite(held) && Math.abs(held) > 1e60) return KEY_HIDDEN;
  if (Array.isArray(held)) return held.map(withoutSecrets);
  if (typeof held === "object" && held !== null)
    return Object.fromEntries(
      Object.entries(held).map(([key, value]) => [
        withoutKeys(key),
        isSecretField(key) ? withoutSecret(value) : withoutSecrets(value),
      ]),
    );
  return held;
}

const KEY_HIDDEN = "[not shown: looks like a private key]";

function withoutKeys(text: string): string {
  const plain = text.replace(/(0x)?[0-9a-fA-F]{64,}/g, KEY_HIDDEN);
  return maskSecrets(plain).replace(WRITTEN, (all, start: string, name: string, value: string) =>
    isSecretField(name) ? `${start}${maskVariableName(value)}` : all,
  );
}

/** A key and its value in a quoted line: `password: hunter2`, `{ keyEnv: "abc" }`. */
const WRITTEN = /((?:^|[\s{,])["']?([A-Za-z]\w*)["']?:\s*["']?)([^\s"',}{[\]][^"',}\n]*)/g;
