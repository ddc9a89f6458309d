import { maskVariableName } from "../../core/crypto/secrets.js";
import { ConfigError } from "../../core/errors.js";

/** The environment of a process. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A key of the file that names a variable, and what the variable is to hold. */
interface NamedVariable {
  /** The path of the key in the bot's file. */
  readonly field: string;
  readonly name: string;
  /** Such as `the bot's token`. */
  readonly holds: string;
  /** The form that a secret must have; any if absent. */
  readonly form?: RegExp;
}

/**
 * Reads a secret from the environment.
 * @throws ConfigError if it is missing or has another form; it names the variable alone
 */
export function readSecret(env: Env, { field, name, holds, form }: NamedVariable): string {
  const text = env[name]?.trim() ?? "";
  const shown = maskVariableName(name);
  const expected = `the environment variable ${shown} to hold ${holds}`;
  if (text === "")
    throw new ConfigError("names an environment variable that is not set", {
      field,
      value: shown,
      expected,
    });
  if (form !== undefined && !form.test(text))
    throw new ConfigError(
      `names an environment variable whose content (${text.length} characters, not shown) has another form`,
      { field, value: shown, expected },
    );
  return text;
}

/** Reads the address of a webhook. @throws ConfigError as {@link readSecret} does */
export function readWebhookAddress(env: Env, variable: Omit<NamedVariable, "holds">): string {
  const holds = "the webhook's address, such as https://hooks.example.com/services/...";
  const address = readSecret(env, { ...variable, holds, form: /^https?:\/\/\S+$/ });
  const problem = !URL.canParse(address)
    ? "is no address"
    : hasUser(new URL(address))
      ? "has a user or a password, which would not be sent"
      : undefined;
  if (problem === undefined) return address;
  throw new ConfigError(`names an environment variable whose content (not shown) ${problem}`, {
    field: variable.field,
    value: maskVariableName(variable.name),
    expected: holds,
  });
}

function hasUser({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}
