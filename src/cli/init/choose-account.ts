import { isAbsolute, relative, resolve } from "node:path";
import {
  createAccountSigner,
  type KeySource,
  type KeystoreSource,
  openKeystore,
  parsePrivateKey,
  readNamedFile,
  readPassword,
} from "../../bot/config/account-key.js";
import { keystoreAddress } from "../../core/crypto/keystore.js";
import { maskSecretPath, protectSecret } from "../../core/crypto/secrets.js";
import type { Signer } from "../../core/crypto/signing.js";
import { ConfigError, FormatError } from "../../core/errors.js";
import { readPathKind } from "../../core/files/path-kind.js";
import { decimalToScaled, scaledToDecimal } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";
import { NO_ACCOUNT } from "../../exchange/protocol/errors.js";
import { VenueError } from "../../exchange/venue-errors.js";
import { DEFAULT_KEY_ENV } from "../call-defaults.js";
import type { CliContext } from "../cli-context.js";
import { nameExchangeInErrors, openExchange } from "../exchange-access.js";
import type { ChosenExchange } from "./choose-exchange.js";
import type { Choice, Chooser } from "./chooser.js";
import { checkVariableName, isVariableName } from "./variable-name.js";

/** The options that say where the key is. */
export interface KeyOptions {
  readonly keyEnv?: string;
  readonly keystore?: string;
  readonly passwordEnv?: string;
  readonly passwordFile?: string;
}

type Env = CliContext["env"];

const DEFAULT_PASSWORD_ENV = "MARKETWRIGHT_PASSWORD";
/** Planned with if the account is not known, in quote. */
const DEFAULT_BALANCE = "10000";

/** Where the account's key is, and the account. */
export interface ChosenKey {
  readonly source: KeySource;
  /** Undefined if the variable of the key or of its password is not set yet. */
  readonly signer: Signer | undefined;
}

/**
 * Chooses where the account's key is: in a variable, or in a keystore. Never takes the key itself.
 * A variable that holds something else, or the password of another keystore, is a wrong answer.
 */
export async function chooseKey(
  { env }: Pick<CliContext, "env">,
  chooser: Chooser,
  { keyEnv, keystore, passwordEnv, passwordFile }: KeyOptions,
): Promise<Choice<ChosenKey>> {
  refuseBoth("--key-env", keyEnv, "--keystore", keystore);
  refuseBoth("--password-env", passwordEnv, "--password-file", passwordFile);
  if (keystore === undefined && (passwordEnv ?? passwordFile) !== undefined)
    throw new ConfigError("is for a keystore", {
      field: passwordEnv === undefined ? "--password-file" : "--password-env",
      expected: "--keystore FILE beside it",
    });
  const key = await chooser.choose<ChosenKey>({
    question: "The variable that holds the account's private key, or a keystore's file",
    given: keyEnv ?? keystore,
    fallback: DEFAULT_KEY_ENV,
    parse: (text) => {
      const isName =
        keyEnv !== undefined || (keystore === undefined && isVariableName(text) && !isFile(text));
      if (isName) {
        const name = checkVariableName(text, "--key-env", env);
        return { source: { keyEnv: name }, signer: readSigner(name, env) };
      }
      return { source: { keystore: { file: checkKeystore(text) } }, signer: undefined };
    },
  });
  const { keystore: held } = key.value.source;
  if (held === undefined) return key;
  if (passwordFile !== undefined)
    return { ...key, value: openedKeystore({ ...held, passwordFile }, env) };
  const { value } = await chooser.choose({
    question: "The variable that holds the keystore's password",
    given: passwordEnv,
    fallback: DEFAULT_PASSWORD_ENV,
    parse: (text) => {
      const name = checkVariableName(text, "--password-env", env);
      try {
        return openedKeystore({ ...held, passwordEnv: name }, env);
      } catch (error) {
        // Another password does not mend the file, so the question is not repeated.
        if (error instanceof ConfigError && error.field === "--keystore") return error;
        throw error;
      }
    },
  });
  if (value instanceof ConfigError) throw value;
  return { ...key, value };
}

/** @throws ConfigError if the variable is set and holds something that is not a key. */
function readSigner(name: string, env: Env): Signer | undefined {
  if (!isSet(name, env)) return undefined;
  const place = { field: "--key-env", name, kind: "variable" } as const;
  return createAccountSigner({}, parsePrivateKey(env[name], place));
}

/**
 * Opens a keystore, unless its password is in a variable that is not set yet.
 * @throws RunError if the password is wrong, ConfigError if the keystore or the password's file is.
 */
function openedKeystore(keystore: KeystoreSource, env: Env): ChosenKey {
  const { file, passwordEnv } = keystore;
  const source = { keystore };
  if (passwordEnv !== undefined && !isSet(passwordEnv, env)) return { source, signer: undefined };
  const fields = { env: "--password-env", file: "--password-file" };
  const password = readPassword(keystore, env, fields) ?? "";
  const field = "--keystore";
  const key = openKeystore(readNamedFile(file, { field }), password, { field, name: file });
  return { source, signer: createAccountSigner({}, key) };
}

function isSet(name: string, env: Env): boolean {
  return (env[name] ?? "").trim() !== "";
}

function isFile(path: string): boolean {
  return readPathKind(path) === "file";
}

function checkKeystore(file: string): string {
  const field = "--keystore";
  if (readPathKind(file) === undefined) {
    const shown = maskSecretPath(file);
    if (shown !== file) protectSecret(file);
    throw new ConfigError("names a file that does not exist", {
      field,
      value: shown,
      expected: `a keystore's file (marketwright key new makes one), or the name of a variable, such as ${DEFAULT_KEY_ENV}`,
    });
  }
  try {
    keystoreAddress(readNamedFile(file, { field }));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new ConfigError(error.message, { field, value: maskSecretPath(file) });
  }
  return file;
}

/** Shows neither value: each may be the secret itself. */
function refuseBoth(
  first: string,
  firstValue: string | undefined,
  second: string,
  secondValue: string | undefined,
): void {
  if (firstValue === undefined || secondValue === undefined) return;
  throw new ConfigError(`does not go with ${first}`, {
    field: second,
    expected: `either ${first} or ${second}`,
  });
}

/** The key's source with paths relative to the folder of the bot's file. */
export function relativeToFolder({ keyEnv, keystore }: KeySource, folder: string): KeySource {
  if (keystore === undefined) return { keyEnv };
  const seen = (path: string): string =>
    isAbsolute(path) ? path : relative(folder, resolve(path)) || ".";
  const { file, passwordEnv, passwordFile } = keystore;
  return {
    keystore: {
      file: seen(file),
      ...(passwordFile === undefined ? { passwordEnv } : { passwordFile: seen(passwordFile) }),
    },
  };
}

/**
 * Chooses the balance to plan with: the option, else the account's net value, else an answer.
 * @param check throws ConfigError if the balance is too small
 */
export async function chooseBalance(
  context: CliContext,
  chooser: Chooser,
  exchange: ChosenExchange,
  {
    given,
    signer,
    check,
  }: {
    readonly given: string | undefined;
    readonly signer: Signer | undefined;
    readonly check: (balance: CreditUnits) => void;
  },
): Promise<Choice<CreditUnits>> {
  const { creditDecimals } = exchange.rules;
  const account = given === undefined ? await readNetValue(context, exchange, signer) : undefined;
  if (account !== undefined && account > 0n) {
    if (!chooser.isAsking) check(account);
    if (!chooser.isAsking || isEnough(check, account))
      return {
        value: account,
        text: scaledToDecimal(account, creditDecimals),
        source: "account",
      };
  }
  return chooser.choose({
    question: "Balance to plan with, in quote",
    given,
    fallback: DEFAULT_BALANCE,
    parse: (text) => {
      const balance = parseBalance(text, creditDecimals);
      check(balance);
      return balance;
    },
  });
}

function isEnough(check: (balance: CreditUnits) => void, balance: CreditUnits): boolean {
  try {
    check(balance);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

function parseBalance(text: string, creditDecimals: number): CreditUnits {
  const fail = (why: string): ConfigError =>
    new ConfigError(why, {
      field: "--balance",
      value: text,
      expected: `an amount of quote above 0 with at most ${creditDecimals} decimals, such as ${DEFAULT_BALANCE}`,
    });
  try {
    const balance = decimalToScaled(text, creditDecimals);
    if (balance > 0n) return balance;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
  throw fail("is not a balance");
}

/** The account's net value; undefined if its key is not set, or it is not registered. */
async function readNetValue(
  context: CliContext,
  { rest, field, stream }: ChosenExchange,
  signer: Signer | undefined,
): Promise<CreditUnits | undefined> {
  if (signer === undefined) return undefined;
  const access = openExchange(context, { rest, field, stream, signer });
  try {
    return await nameExchangeInErrors(
      rest,
      async () => {
        await access.syncClock();
        return (await access.client.balances()).balances.netValue;
      },
      field,
    );
  } catch (error) {
    if (error instanceof VenueError && NO_ACCOUNT.includes(error.code)) return undefined;
    throw error;
  } finally {
    access.close();
  }
}
