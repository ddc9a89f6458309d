import { statSync } from "node:fs";
import { checksumAddress } from "../../core/crypto/address.js";
import { decryptKeystore } from "../../core/crypto/keystore.js";
import {
  maskSecretPath,
  maskVariableName,
  protectAddress,
  protectSecret,
} from "../../core/crypto/secrets.js";
import { ecdsaScheme, type Signer } from "../../core/crypto/signing.js";
import { ConfigError, FormatError, RunError } from "../../core/errors.js";
import { readPlainText } from "../../core/files/plain-files.js";
import type { Hex } from "../../core/units.js";
import type { NotifyConfig } from "./fields/notify-fields.js";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Order of the secp256k1 group: a private key is at least 1 and below it (SEC 2, section 2.4.1).
 */
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const CONFIG_FIELDS = {
  env: "account.keystore.passwordEnv",
  file: "account.keystore.passwordFile",
};

/** A keystore file and where its password is: exactly one of the two. */
export interface KeystoreSource {
  /** Absolute, or relative to the working directory. */
  readonly file: string;
  readonly passwordEnv?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/** Where the key is that signs for an account: exactly one of the two. */
export interface KeySource {
  readonly keyEnv?: string | undefined;
  readonly keystore?: KeystoreSource | undefined;
}

/**
 * Reads the account's private key from the environment variable or the keystore that the config
 * names. Every command reads it here. Neither key nor password ever enters a message.
 * @throws ConfigError if the named source is missing or does not hold a key; RunError if the
 * password is wrong.
 */
export function readAccountKey({ keyEnv, keystore }: KeySource, env: Env): Hex {
  if (keystore !== undefined) return readKeystore(keystore, env);
  if (keyEnv !== undefined)
    return parsePrivateKey(env[keyEnv], {
      field: "account.keyEnv",
      name: keyEnv,
      kind: "variable",
    });
  throw new ConfigError("has no source of its key", {
    field: "account",
    expected: "keyEnv or keystore",
  });
}

/**
 * Checks that the named sources of a key exist, without the work of opening a keystore.
 * @throws ConfigError as {@link readAccountKey} does.
 */
export function checkKeySource(source: KeySource, env: Env): void {
  if (source.keystore === undefined) readAccountKey(source, env);
  else {
    readNamedFile(source.keystore.file, { field: "account.keystore.file" });
    readPassword(source.keystore, env, CONFIG_FIELDS);
  }
}

/**
 * The signer of the bot's account: its own key, or the key of its operator under the account's
 * address.
 */
export function createAccountSigner(
  { address }: { readonly address?: Hex | undefined },
  privateKey: Hex,
): Signer {
  const signer = ecdsaScheme.signer(privateKey);
  return address === undefined
    ? signer
    : { address: checksumAddress(address), sign: (digest) => signer.sign(digest) };
}

/** The source of a secret, for messages. */
export interface SecretSource {
  readonly field: string;
  /** Name of the variable or path of the file. */
  readonly name: string;
  readonly kind: "variable" | "file" | "terminal";
}

/**
 * Parses the private key that a variable or a file holds, in lower case.
 * @throws ConfigError if there is none; the message does not show the content.
 */
export function parsePrivateKey(
  content: string | undefined,
  { field, name, kind }: SecretSource,
): Hex {
  const shownName =
    kind === "variable" ? maskVariableName(name) : kind === "file" ? maskSecretPath(name) : name;
  const place =
    kind === "variable"
      ? `the environment variable ${shownName}`
      : kind === "file"
        ? `the file ${shownName}`
        : "what is typed";
  const expected = `${place} to hold a private key, 0x and 64 hex digits`;
  const noun = kind === "terminal" ? "is something" : `names a ${kind}`;
  const held = content?.trim();
  if (held === undefined || held === "") {
    const why =
      kind === "variable"
        ? "names an environment variable that is not set"
        : `${noun} that is empty`;
    throw new ConfigError(why, { field, value: shownName, expected });
  }
  protectSecret(held);
  if (!/^0x[0-9a-fA-F]{64}$/.test(held)) {
    throw new ConfigError(
      `${noun} whose content (${held.length} characters, not shown) is not a private key`,
      {
        field,
        value: shownName,
        expected,
      },
    );
  }
  const scalar = BigInt(held);
  if (scalar === 0n || scalar >= GROUP_ORDER) {
    throw new ConfigError(`${noun} whose content (not shown) is out of the range of private keys`, {
      field,
      value: shownName,
      expected: `${expected}, neither zero nor the group's order or above`,
    });
  }
  return held.toLowerCase();
}

/**
 * Reads a password from a variable, whole, or from the first line of a file.
 * @param fields names of the two in the config or options.
 * @returns undefined if neither is named.
 * @throws ConfigError if it is missing or empty.
 */
export function readPassword(
  { passwordEnv, passwordFile }: Omit<KeystoreSource, "file">,
  env: Env,
  fields: { readonly env: string; readonly file: string },
): string | undefined {
  if (passwordEnv !== undefined) {
    const held = env[passwordEnv];
    if (held !== undefined && held !== "") return guarded(held);
    throw new ConfigError("names an environment variable that is not set", {
      field: fields.env,
      value: maskVariableName(passwordEnv),
      expected: `the environment variable ${maskVariableName(passwordEnv)} to hold the keystore's password`,
    });
  }
  if (passwordFile === undefined) return undefined;
  const [line = ""] = readNamedFile(passwordFile, { field: fields.file, holdsSecret: true }).split(
    /\r?\n/,
  );
  if (line !== "") return guarded(line);
  throw new ConfigError("names a file that is empty", {
    field: fields.file,
    value: maskSecretPath(passwordFile),
    expected: "the keystore's password in its first line",
  });
}

function guarded(password: string): string {
  protectSecret(password);
  return password;
}

/** The variables that a bot's file names for its secrets, for {@link protectNamedSecrets}. */
export interface NamedSecrets {
  readonly account: KeySource;
  readonly chain?:
    | { readonly rpc: readonly string[]; readonly rpcEnv: readonly string[] }
    | undefined;
  readonly notify?: NotifyConfig | undefined;
  readonly hedgeVenues?:
    | Readonly<Record<string, { readonly keyEnv: string; readonly secretEnv: string }>>
    | undefined;
}

/**
 * Protects the secrets that a bot's file names, even if this command does not need them: a strategy
 * may print the environment.
 */
export function protectNamedSecrets(
  { account, chain, notify, hedgeVenues }: NamedSecrets,
  env: Env,
): void {
  for (const name of [account.keyEnv, account.keystore?.passwordEnv])
    protectSecret(name === undefined ? "" : (env[name] ?? ""));
  for (const address of chain?.rpc ?? []) protectAddress(address);
  for (const name of chain?.rpcEnv ?? []) protectAddress(env[name]?.trim() ?? "");
  for (const { keyEnv, secretEnv } of Object.values(hedgeVenues ?? {}))
    for (const name of [keyEnv, secretEnv]) protectSecret(env[name]?.trim() ?? "");
  protectNotifySecrets(notify, env);
}

/** Protects the secrets of the channels, and that of the one-time passwords. */
export function protectNotifySecrets(notify: NotifyConfig | undefined, env: Env): void {
  const read = (name: string | undefined): string =>
    name === undefined ? "" : (env[name]?.trim() ?? "");
  protectSecret(read(notify?.totpSecretEnv));
  for (const { telegram, slack, discord, webhook, email } of Object.values(
    notify?.channels ?? {},
  )) {
    for (const name of [telegram?.tokenEnv, webhook?.secretEnv, email?.passwordEnv])
      protectSecret(read(name));
    for (const name of [slack?.urlEnv, discord?.urlEnv, webhook?.urlEnv])
      protectWebhook(read(name));
  }
}

/** The whole address of a webhook lets anyone write there, and so do the parts of its path. */
function protectWebhook(address: string): void {
  if (address === "") return;
  protectSecret(address);
  protectAddress(address);
}

/** Opens a keystore. @throws as {@link readAccountKey} does. */
function readKeystore(source: KeystoreSource, env: Env): Hex {
  const field = "account.keystore";
  const json = readNamedFile(source.file, { field: `${field}.file` });
  const password = readPassword(source, env, CONFIG_FIELDS);
  if (password === undefined)
    throw new ConfigError("has no source of its password", {
      field,
      expected: "passwordEnv or passwordFile",
    });
  return openKeystore(json, password, { field: `${field}.file`, name: source.file });
}

/**
 * Decrypts the private key of a keystore's text.
 * @param place names the file in a message.
 * @throws ConfigError if the text is not a keystore; RunError if the password is wrong.
 */
export function openKeystore(
  json: string,
  password: string,
  { field, name }: Pick<SecretSource, "field" | "name">,
): Hex {
  try {
    return decryptKeystore(json, password);
  } catch (error) {
    if (error instanceof FormatError) throw new ConfigError(error.message, { field, value: name });
    if (error instanceof RunError)
      throw new RunError("cannot be opened with this password", {
        field,
        value: name,
        expected: "its password",
      });
    throw error;
  }
}

const WRONG_FILES: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EISDIR: "is a folder",
  ENOTFILE: "is a pipe, a socket or a device",
  EACCES: "may not be read by this user",
};

/** A file that a config or an option names. */
export interface NamedFile {
  readonly field: string;
  /**
   * True if the file holds a secret in plain text. Only its owner may have access to it, and its
   * name may be the secret itself.
   */
  readonly holdsSecret?: boolean;
}

/**
 * Reads a file that a config or an option names.
 * @throws ConfigError if it cannot be read, or if it holds a secret that other users of this
 * machine may read.
 */
export function readNamedFile(path: string, { field, holdsSecret = false }: NamedFile): string {
  const value = holdsSecret ? maskSecretPath(path) : path;
  try {
    const text = readPlainText(path);
    if (holdsSecret) requirePrivate(path, field);
    return text;
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const why = WRONG_FILES[code];
    throw new ConfigError(`names a file that ${why ?? `cannot be read (${code})`}`, {
      field,
      value,
      expected: "a file to read",
      ...(holdsSecret ? {} : { cause }),
    });
  }
}

/** Windows does not have such modes. */
function requirePrivate(path: string, field: string): void {
  const { mode, uid } = statSync(path);
  // A secret that a container's platform mounts belongs to another user, and its group is the
  // container's.
  const others = uid === process.getuid?.() ? 0o077 : 0o007;
  if (process.platform === "win32" || (mode & others) === 0) return;
  throw new ConfigError(
    `names a file that other users may read or write (mode ${(mode & 0o777).toString(8)})`,
    {
      field,
      value: maskSecretPath(path),
      expected: "a secret that is its owner's alone: chmod 600 for that file",
    },
  );
}
