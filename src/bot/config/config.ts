import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { z } from "zod";
import { requireKind } from "../../core/config/config-kind.js";
import { checkShape } from "../../core/config/config-shape.js";
import { loadYamlFile, type YamlSource } from "../../core/config/config-yaml.js";
import { ConfigError } from "../../core/errors.js";
import { readPathKind } from "../../core/files/path-kind.js";
import type { MarketId } from "../../core/units.js";
import { checkKeySource, protectNamedSecrets, protectNotifySecrets } from "./account-key.js";
import { type BotFile, botSchema, botShape, createMarketsSchema } from "./config-schema.js";
import { checkSizes, checkTarget } from "./config-sizes.js";
import { type NotifyConfig, notifyShape } from "./fields/notify-fields.js";
import { isOwnStrategy, isStrategyFile } from "./strategy-name.js";

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/**
 * One bot, as its YAML describes it: defaults filled in, paths absolute, quantities exact decimal
 * strings. Holds no key; plain JSON.
 */
export type BotConfig = DeepReadonly<BotFile> & {
  /** Absolute path of the YAML. */
  readonly path: string;
  /**
   * The folder of the accounts' state folders, if the file is part of an installed package: the
   * next install would delete state beside it.
   */
  readonly statesDir?: string;
};

/** Decision points, in force for one market. */
export type DecideConfig = BotConfig["decide"];
/** One market: strategy, parameters and limits. */
export type MarketConfig = BotConfig["markets"][MarketId];
/** The reference price of a market that has one. */
export type MarketReferenceConfig = NonNullable<MarketConfig["reference"]>;
/** The hedge of a market that has one. */
export type MarketHedgeConfig = NonNullable<MarketConfig["hedge"]>;
/** A venue where positions are laid off. */
export type HedgeVenueConfig = NonNullable<BotConfig["hedgeVenues"]>[string];
/** Access to the chain, of a bot that names one. */
export type ChainAccessConfig = NonNullable<BotConfig["chain"]>;
/** The liquidator, of a bot that has one. */
export type LiquidatorConfig = NonNullable<BotConfig["liquidator"]>;

const unread = z.unknown().optional();

/**
 * The part of a bot file that names its orders: the account, the exchange, the markets, and the
 * settings of its guard. Top-level keys have to be known ones, since a misspelt key may be one of
 * these. The content of the other keys is not checked.
 */
const botOrdersSchema = z.strictObject({
  ...botShape,
  markets: createMarketsSchema(z.unknown()),
  quotes: unread,
  decide: unread,
  risk: unread,
  chain: unread,
  liquidator: unread,
  paper: unread,
  references: unread,
  hedgeVenues: unread,
  metrics: unread,
  cockpit: unread,
  notify: unread,
  days: unread,
});

/** The part of a bot file about its notices. */
const botNotifySchema = z.looseObject({ notify: notifyShape.optional() });

/** The part that {@link botOrdersSchema} reads. */
type BotOrdersFile = Pick<
  z.output<typeof botOrdersSchema>,
  "exchange" | "account" | "guard" | "stateDir" | "logLevel" | "markets"
>;

/**
 * The part of a bot's YAML that is needed to cancel its orders, or to keep it from placing any.
 * Every {@link BotConfig} is one.
 */
export type BotOrdersConfig = DeepReadonly<BotOrdersFile> & Pick<BotConfig, "path" | "statesDir">;

/** Options of {@link loadBotConfig}. */
export interface LoadOptions {
  /**
   * `unused` for a command that signs nothing: a backtest, or a check of the file. Default
   * `required`.
   */
  readonly key?: "required" | "unused";
  /** Replaces values of the file before anything is checked: a sweep tries other ones. */
  readonly change?: (written: unknown) => unknown;
}

/**
 * Reads and checks a bot's YAML. Paths in it are relative to it; decimal quantities keep the digits
 * that were written.
 * @throws ConfigError with one message that names the path, the value and the expected value.
 */
export function loadBotConfig(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  { key = "required", change = (written) => written }: LoadOptions = {},
): BotConfig {
  const yaml = readBotYaml(path);
  const file = checkBotValues(change(yaml.value), yaml.locate);
  const places = placesOf(file, yaml, env);
  const { chain, notify, hedgeVenues } = file;
  protectNamedSecrets({ ...places, chain, notify, hedgeVenues }, env);
  if (key === "required") checkKeySource(places.account, env);
  const folder = dirname(yaml.path);
  const markets = Object.fromEntries(
    Object.entries(file.markets).map(([id, market]) => [
      id,
      market.strategy === undefined
        ? market
        : { ...market, strategy: strategyPath(market.strategy, folder, id) },
    ]),
  );
  return { ...file, ...places, markets, ...withModulePaths(file, folder) };
}

/** The sources with absolute paths of their files. */
function withModulePaths(
  { references }: Pick<BotFile, "references">,
  folder: string,
): Pick<BotFile, "references"> {
  if (references === undefined) return {};
  return {
    references: Object.fromEntries(
      Object.entries(references).map(([name, source]) => [
        name,
        source.module === undefined
          ? source
          : { ...source, module: resolve(folder, source.module) },
      ]),
    ),
  };
}

/**
 * Checks the values of a bot's file, and fills in the defaults.
 * @param locate where a value is written, for errors
 * @throws ConfigError with one message that names the path, the value and the expected value.
 */
export function checkBotValues(written: unknown, locate: YamlSource["locate"]): BotFile {
  const file = checkShape(botSchema, written, { locate });
  for (const [id, market] of Object.entries(file.markets)) {
    checkSizes(market, `markets.${id}`, locate);
    if (market.strategy !== undefined && !isOwnStrategy(market.strategy))
      checkTarget(market, `markets.${id}`, locate);
  }
  return file;
}

/**
 * Reads only the part of a bot's YAML that names its orders. An error in a strategy, its limits or
 * the risk section keeps a bot from starting, but must not keep anybody from cancelling its orders.
 * @throws ConfigError as {@link loadBotConfig} does, for the part that is read.
 */
export function loadBotOrders(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): BotOrdersConfig {
  const yaml = readBotYaml(path);
  const { exchange, guard, logLevel, markets, ...file } = checkShape(botOrdersSchema, yaml.value, {
    locate: yaml.locate,
  });
  const places = placesOf(file, yaml, env);
  protectNamedSecrets(places, env);
  checkKeySource(places.account, env);
  return { exchange, guard, logLevel, markets, ...places };
}

/**
 * Reads only where a bot's YAML sends its events; undefined if nowhere. The guard reads it apart,
 * since an error in it must not keep the guard from cancelling.
 * @throws ConfigError as {@link loadBotConfig} does, for the part that is read.
 */
export function loadBotNotify(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): NotifyConfig | undefined {
  const { value, locate } = readBotYaml(path);
  const { notify } = checkShape(botNotifySchema, value, { locate });
  protectNotifySecrets(notify, env);
  return notify;
}

type BotYaml = YamlSource & { readonly path: string };

function readBotYaml(path: string): BotYaml {
  const absolute = resolve(path);
  const yaml = loadYamlFile(absolute, { exactNumbers: isQuantity, onDuplicate: duplicateHint });
  requireKind("bot", absolute, yaml);
  return { ...yaml, path: absolute };
}

/** Places of the key and the state, as absolute paths. */
function placesOf(
  { account, stateDir }: Pick<BotFile, "account" | "stateDir">,
  { path, locate }: BotYaml,
  env: Readonly<Record<string, string | undefined>>,
) {
  const folder = dirname(path);
  if (stateDir !== undefined) checkStateDir(stateDir, folder, locate(["stateDir"]));
  const statesDir = stateDir === undefined ? statesDirOf(folder, env) : undefined;
  return {
    path,
    account: withAbsolutePaths(account, folder),
    ...(stateDir === undefined ? {} : { stateDir: resolve(folder, stateDir) }),
    ...(statesDir === undefined ? {} : { statesDir }),
  };
}

/** Undefined if the states belong beside the YAML: everywhere but in an installed package. */
function statesDirOf(
  folder: string,
  { XDG_STATE_HOME: stateHome }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (!realpathSync(folder).split(sep).includes("node_modules")) return undefined;
  return stateHome !== undefined && isAbsolute(stateHome)
    ? join(stateHome, "marketwright")
    : resolve(".marketwright");
}

/** The decision points of one market: the bot's, overridden by the market's own. */
export function decideConfigFor(config: BotConfig, marketId: MarketId): DecideConfig {
  const own = config.markets[marketId]?.decide ?? {};
  return {
    everyMs: own.everyMs ?? config.decide.everyMs,
    onTouchChange: own.onTouchChange ?? config.decide.onTouchChange,
    onFill: own.onFill ?? config.decide.onFill,
    onReferenceMove: own.onReferenceMove ?? config.decide.onReferenceMove,
    minGapMs: own.minGapMs ?? config.decide.minGapMs,
  };
}

function strategyPath(strategy: string, folder: string, marketId: MarketId): string {
  if (!isStrategyFile(strategy)) return strategy;
  const path = resolve(folder, strategy);
  if (readPathKind(path) === "file") return path;
  throw new ConfigError("names a strategy file that does not exist", {
    field: `markets.${marketId}.strategy`,
    value: strategy,
    expected: `a file at ${path}, or the name of a built-in strategy`,
  });
}

function withAbsolutePaths(account: BotFile["account"], folder: string): BotFile["account"] {
  const { keystore } = account;
  if (keystore === undefined) return account;
  const { file, passwordFile } = keystore;
  const password =
    passwordFile === undefined ? {} : { passwordFile: resolve(folder, passwordFile) };
  return { ...account, keystore: { ...keystore, file: resolve(folder, file), ...password } };
}

/** Checks that a folder can exist there. If it cannot be written, that shows once it exists. */
function checkStateDir(written: string, folder: string, line: string): void {
  if (written === "~" || written.startsWith("~/"))
    throw new ConfigError(`holds a ~, which only a shell expands, in ${line}`, {
      field: "stateDir",
      value: written,
      expected: "a path without ~",
    });
  for (let path = resolve(folder, written); ; path = dirname(path)) {
    const kind = readPathKind(path);
    if (kind === "folder") return;
    if (kind === undefined) continue;
    throw new ConfigError(`leads to a file, in ${line}`, {
      field: "stateDir",
      value: written,
      expected: `a folder: ${path} is not one`,
    });
  }
}

/**
 * True for a quantity of a bot's file: it keeps the digits that were written. A strategy's
 * parameters have their own schema, and are floats.
 */
export function isQuantity(path: readonly (string | number)[]): boolean {
  return !path.includes("params") && /(Base|Quote|FeeRate|Gwei)$/.test(String(path.at(-1)));
}

function duplicateHint(path: readonly (string | number)[]): string | undefined {
  return path.length === 2 && path[0] === "markets"
    ? "each market once: one market has one strategy"
    : undefined;
}
