import { protectSecret } from "../core/crypto/secrets.js";
import { ConfigError } from "../core/errors.js";
import type { Random } from "../core/runtime/runtime.js";
import type { ExchangeConfig } from "../simulator/config/config.js";
import type { UsdmCredentials } from "../simulator/dialects/binance-usdm/usdm-api-keys.js";
import {
  type UsdmConfig,
  usdmConfigShape,
} from "../simulator/dialects/binance-usdm/usdm-config.js";
import type { CliContext } from "./cli-context.js";
import { parsePort } from "./exchange-ports.js";

/** Options of the command line for another wire language. */
export interface DialectOptions {
  readonly dialect?: string;
  readonly dialectPort?: string;
}

/** A dialect that the exchange is to speak. */
export interface ChosenDialect {
  readonly config: UsdmConfig;
  readonly credentials: readonly UsdmCredentials[];
  /** A key that was made for this run, to be printed once; null if the file names keys. */
  readonly demoKey: UsdmCredentials | null;
}

const NAME = "binance-usdm";

/**
 * The dialect of an exchange's file, or of the command line, with its API keys. Without keys in the
 * file it makes one, whose account exists for this run.
 * @throws ConfigError for an unknown dialect, an invalid port, and a secret that is not in the
 * environment
 */
export function chooseDialect(
  exchange: ExchangeConfig,
  { dialect, dialectPort }: DialectOptions,
  { env, runtime }: Pick<CliContext, "env" | "runtime">,
): ChosenDialect | null {
  if (dialect !== undefined && dialect !== NAME) {
    throw new ConfigError("is not a dialect of the exchange", {
      field: "--dialect",
      value: dialect,
      expected: NAME,
    });
  }
  const written = exchange.dialects[NAME] ?? (dialect === NAME ? usdmConfigShape.parse({}) : null);
  if (written === null) {
    if (dialectPort === undefined) return null;
    throw new ConfigError("there is no dialect", {
      field: "--dialect-port",
      value: dialectPort,
      expected: `--dialect ${NAME}, or dialects in the exchange's file`,
    });
  }
  const config =
    dialectPort === undefined
      ? written
      : { ...written, port: parsePort("--dialect-port", dialectPort) };
  const credentials = Object.entries(config.apiKeys).map(([apiKey, { secretEnv, account }]) => ({
    apiKey,
    secret: secretFrom(env, apiKey, secretEnv),
    account: account as UsdmCredentials["account"],
  }));
  if (credentials.length > 0) return { config, credentials, demoKey: null };
  const demoKey = newDemoKey(runtime.random);
  return { config, credentials: [demoKey], demoKey };
}

function secretFrom(env: CliContext["env"], apiKey: string, name: string): string {
  const secret = env[name];
  if (secret === undefined || secret.length < 8) {
    throw new ConfigError("the API secret is not in the environment, or shorter than 8 letters", {
      field: `dialects.${NAME}.apiKeys.${apiKey}.secretEnv`,
      value: name,
      expected: `export ${name}=... before the exchange starts`,
    });
  }
  protectSecret(secret);
  return secret;
}

function newDemoKey(random: Random): UsdmCredentials {
  const hex = (words: number) =>
    Array.from({ length: words }, () => random.uint64().toString(16).padStart(16, "0")).join("");
  return { apiKey: `demo-${hex(2)}`, secret: `demo-${hex(2)}` };
}
