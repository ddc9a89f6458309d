import {
  openKeystore,
  parsePrivateKey,
  readNamedFile,
  readPassword,
} from "../../bot/config/account-key.js";
import { encryptKeystore, keystoreAddress, randomKey } from "../../core/crypto/keystore.js";
import { protectSecret } from "../../core/crypto/secrets.js";
import { ecdsaScheme } from "../../core/crypto/signing.js";
import { ConfigError, FormatError, RunError } from "../../core/errors.js";
import { writeNewFile } from "../../core/files/atomic-file.js";
import { readPathKind } from "../../core/files/path-kind.js";
import type { Hex } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { printData } from "../process/output.js";

/** The keystore command's first argument. */
export type KeyAction = "new" | "import" | "address";

export interface KeyCommandOptions {
  readonly passwordEnv?: string;
  readonly passwordFile?: string;
  readonly keyEnv?: string;
  readonly keyFile?: string;
  readonly json?: boolean;
}

const OPTION_FIELDS = { env: "--password-env", file: "--password-file" };

/** Creates a keystore, or shows the address of one. */
export async function keyCommand(
  context: CliContext,
  action: KeyAction,
  file: string,
  options: KeyCommandOptions,
): Promise<void> {
  if (options.passwordEnv !== undefined)
    refuseBoth("--password-env", "--password-file", options.passwordFile);
  if (options.keyEnv !== undefined) refuseBoth("--key-env", "--key-file", options.keyFile);
  if (action !== "import" && (options.keyEnv ?? options.keyFile) !== undefined) {
    throw new ConfigError(`cannot be combined with key ${action}`, {
      field: options.keyEnv === undefined ? "--key-file" : "--key-env",
      expected: "key import, which takes an existing key",
    });
  }
  const address =
    action === "address"
      ? addressIn(context, file, options)
      : await make(context, action, file, options);
  printData(context, { address, file }, options.json);
}

/** The address in the file. With a password option, only if the decrypted key has that address. */
function addressIn(context: CliContext, file: string, options: KeyCommandOptions): Hex {
  const json = readNamedFile(file, { field: "file" });
  const password = readPassword(options, context.env, OPTION_FIELDS);
  if (password !== undefined)
    return ecdsaScheme.signer(openKeystore(json, password, { field: "file", name: file })).address;
  try {
    return keystoreAddress(json);
  } catch (error) {
    if (error instanceof FormatError)
      throw new ConfigError(error.message, { field: "file", value: file });
    throw error;
  }
}

async function make(
  context: CliContext,
  action: "new" | "import",
  file: string,
  options: KeyCommandOptions,
): Promise<Hex> {
  refuseExisting(file);
  const { random } = context.runtime;
  const privateKey = action === "new" ? randomKey(random) : await keyToImport(context, options);
  protectSecret(privateKey);
  const password = await newPassword(context, options);
  const json = encryptKeystore({ privateKey, password, random });
  writeNew(file, `${json}\n`);
  return ecdsaScheme.signer(privateKey).address;
}

async function keyToImport(
  context: CliContext,
  { keyEnv, keyFile }: KeyCommandOptions,
): Promise<Hex> {
  if (keyEnv !== undefined)
    return parsePrivateKey(context.env[keyEnv], {
      field: "--key-env",
      name: keyEnv,
      kind: "variable",
    });
  if (keyFile !== undefined)
    return parsePrivateKey(readNamedFile(keyFile, { field: "--key-file", holdsSecret: true }), {
      field: "--key-file",
      name: keyFile,
      kind: "file",
    });
  const typed = await promptOrRefuse(context, "private key: ", "--key-env NAME or --key-file FILE");
  return parsePrivateKey(typed, { field: "private key", name: "the terminal", kind: "terminal" });
}

async function newPassword(context: CliContext, options: KeyCommandOptions): Promise<string> {
  const given = readPassword(options, context.env, OPTION_FIELDS);
  if (given !== undefined) return given;
  const typed = await promptOrRefuse(
    context,
    "password: ",
    "--password-env NAME or --password-file FILE",
  );
  protectSecret(typed);
  if (typed === "")
    throw new ConfigError("is empty", { field: "password", expected: "at least one character" });
  if ((await promptOrRefuse(context, "the same again: ", "")) !== typed)
    throw new RunError("was typed differently the second time", {
      field: "password",
      expected: "the same password twice",
    });
  return typed;
}

function promptOrRefuse(
  { promptSecret }: CliContext,
  prompt: string,
  instead: string,
): Promise<string> {
  if (promptSecret !== undefined) return promptSecret(prompt);
  throw new ConfigError("cannot be typed without a terminal", {
    field: prompt.replace(": ", ""),
    expected: instead,
  });
}

/** Shows neither value: each may be the secret itself, given in place of its name. */
function refuseBoth(first: string, second: string, secondValue: string | undefined): void {
  if (secondValue !== undefined)
    throw new ConfigError(`cannot be combined with ${first}`, {
      field: second,
      expected: `either ${first} or ${second}`,
    });
}

function refuseExisting(file: string): void {
  if (readPathKind(file) === undefined) return;
  throw new ConfigError("already exists, and a key file is never overwritten", {
    field: "file",
    value: file,
    expected: "the path of a new file",
  });
}

/** Writes the whole file or none: a partial key is useless, and would block the next try. */
function writeNew(file: string, text: string): void {
  try {
    writeNewFile(file, text);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "EEXIST") refuseExisting(file);
    throw new RunError(`cannot be written (${code})`, {
      field: "file",
      value: file,
      expected: "a path in a folder that this user may write",
      cause,
    });
  }
}
