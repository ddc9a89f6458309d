import { maskVariableName, protectSecret } from "../../core/crypto/secrets.js";
import { ConfigError } from "../../core/errors.js";
import { DEFAULT_KEY_ENV } from "../call-defaults.js";

/** True for a text that a bot's file accepts as the name of an environment variable. */
export function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,59}$/.test(text);
}

/**
 * Checks the name of a variable that is written into a file. A secret may have been given in its
 * place: a name of unusual spelling is accepted only if the variable is set.
 * @throws ConfigError, without the name
 */
export function checkVariableName(
  name: string,
  field: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const isUsual = maskVariableName(name) === name || env[name] !== undefined;
  if (isVariableName(name) && isUsual) return name;
  protectSecret(name);
  throw new ConfigError("is not the name of a variable that is set, nor one in capitals", {
    field,
    value: maskVariableName(name),
    expected: `a name such as ${DEFAULT_KEY_ENV}`,
  });
}
