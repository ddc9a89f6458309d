import { isAbsolute, relative, resolve } from "node:path";
import {
  createAccountSigner,
  type KeySource,
  readAccountKey,
  readNamedFile,
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

const DEFAULT_PASSWORD_ENV = "MARKETWRIGHT_PASSWORD";
/** Planned with if the account is not known, in quote. */
const DEFAULT_BALANCE = "10000";

/**
 * Chooses where the account's key is: in a variable, or in a keystore. Never takes the key itself.
 */
export async function chooseKey(
  { env }: Pick<CliContext, "env">,
  chooser: Chooser,
  { keyEnv, keystore, passwordEnv, passwordFile }: KeyOptions,
): Promise<Choice<KeySource>> {
  refuseBoth("--key-env", keyEnv, "--keystore", keystore);
  refuseBoth("--password-env", passwordEnv, "--password-file", passwordFile);
  if (keystore === undefined && (passwordEnv ?? passwordFile) !== undefined)
    throw new ConfigError("is for a keystore", {
      field: passwordEnv === undefined ? "--password-file" : "--password-env",
      expected: "--keystore FILE beside it",
    });
  const key = await chooser.choose<KeySource>({
    question: "The variable that holds the account's private key, or a keystore's file",
    given: keyEnv ?? keystore,
    fallback: DEFAULT_KEY_ENV,
    parse: (text) => {
      const isName =
        keyEnv !== undefined || (keystore === undefined && isVariableName(text) && !isFile(text));
      if (isName) return { keyEnv: checkVariableName(text, "--key-env", env) };
      return { keystore: { file: checkKeystore(text) } };
    },
  });
  const { keystore: held } = key.value;
  if (held === undefined) return key;
  if (passwordFile !== undefined) {
    readNamedFile(passwordFile, { field: "--password-file", holdsSecret: true });
    return { ...key, value: { keystore: { ...held, passwordFile } } };
  }
  const { value } = await chooser.choose({
    question: "The variable that holds the keystore's password",
    given: passwordEnv,
    fallback: DEFAULT_PASSWORD_ENV,
    parse: (text) => checkVariableName(text, "--password-env", env),
  });
  return { ...key, value: { keystore: { ...held, passwordEnv: value } } };
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
    key,
    check,
  }: {
    readonly given: string | undefined;
    readonly key: KeySource;
    readonly check: (balance: CreditUnits) => void;
  },
): Promise<Choice<CreditUnits>> {
  const { creditDecimals } = exchange.rules;
  const account = given === undefined ? await readNetValue(context, exchange, key) : undefined;
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

/** The account's net value; undefined if its key is not at hand, or it is not registered. */
async function readNetValue(
  context: CliContext,
  { rest, stream }: ChosenExchange,
  key: KeySource,
): Promise<CreditUnits | undefined> {
  const { env } = context;
  const secret = key.keyEnv ?? key.keystore?.passwordEnv;
  if (secret !== undefined && (env[secret] ?? "").trim() === "") return undefined;
  const signer: Signer = createAccountSigner({}, readAccountKey(key, env));
  const access = openExchange(context, { rest, stream, signer });
  try {
    return await nameExchangeInErrors(rest, async () => {
      await access.syncClock();
      return (await access.client.balances()).balances.netValue;
    });
  } catch (error) {
    if (error instanceof VenueError && NO_ACCOUNT.includes(error.code)) return undefined;
    throw error;
  } finally {
    access.close();
  }
}
