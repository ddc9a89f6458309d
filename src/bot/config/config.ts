import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { checkShape } from "../../core/config-shape.js";
import { loadYamlFile } from "../../core/config-yaml.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { readAccountKey } from "./account-key.js";
import { type BotFile, botSchema } from "./config-schema.js";

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** One bot, as its YAML describes it: defaults filled in, paths absolute, quantities exact decimal strings. Holds no key; plain JSON. */
export type BotConfig = DeepReadonly<BotFile> & {
  /** The YAML's own absolute path. */
  readonly path: string;
};

/** The exchange's addresses, time-outs and ways of placing. */
export type ExchangeConfig = BotConfig["exchange"];
/** How quotes rest. */
export type QuotesConfig = BotConfig["quotes"];
/** Decision points, in force for one market. */
export type DecideConfig = BotConfig["decide"];
/** One market: strategy, parameters and limits. */
export type MarketConfig = BotConfig["markets"][MarketId];
/** Limits of one market; one that is left out does not bind. */
export type MarketLimits = MarketConfig["limits"];
/** Limits of the account. */
export type RiskConfig = BotConfig["risk"];
/** Heartbeat and token share of the guard. */
export type GuardConfig = BotConfig["guard"];

/** Where the secret comes from, and whether it is wanted at all. */
export interface LoadOptions {
  /** `unused` for what signs nothing: a backtest, a dry look at the file. Default `required`. */
  readonly key?: "required" | "unused";
}

/**
 * Reads and checks a bot's YAML. Paths in it are relative to it; decimal quantities keep the digits that were written.
 * @throws ConfigError with one message that names the path, the value and what would be right.
 */
export function loadBotConfig(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  { key = "required" }: LoadOptions = {},
): BotConfig {
  const absolute = resolve(path);
  const yaml = loadYamlFile(absolute, { exactNumbers: isQuantity, onDuplicate: duplicateHint });
  const file = checkShape(botSchema, yaml.value, { locate: yaml.locate });
  if (key === "required") readAccountKey(file.account.keyEnv, env);
  const folder = dirname(absolute);
  const markets = Object.fromEntries(
    Object.entries(file.markets).map(([id, market]) => [id, { ...market, strategy: strategyPath(market.strategy, folder, id) }]),
  );
  return { ...file, markets, path: absolute, ...(file.stateDir === undefined ? {} : { stateDir: resolve(folder, file.stateDir) }) };
}

/** The decision points of one market: the bot's, with the market's own over them. */
export function decideOf(config: BotConfig, marketId: MarketId): DecideConfig {
  const own = config.markets[marketId]?.decide ?? {};
  return {
    everyMs: own.everyMs ?? config.decide.everyMs,
    onTouchChange: own.onTouchChange ?? config.decide.onTouchChange,
    onFill: own.onFill ?? config.decide.onFill,
    minGapMs: own.minGapMs ?? config.decide.minGapMs,
  };
}

/** Whether a market's `strategy` is a file rather than the name of a built-in one. */
export function isStrategyFile(strategy: string): boolean {
  return /^\.{0,2}[/\\]/.test(strategy) || /\.[cm]?[jt]s$/.test(strategy);
}

function strategyPath(strategy: string, folder: string, marketId: MarketId): string {
  if (!isStrategyFile(strategy)) return strategy;
  const path = resolve(folder, strategy);
  if (existsSync(path) && statSync(path).isFile()) return path;
  throw new ConfigError("names a strategy file that is not there", {
    field: `markets.${marketId}.strategy`,
    value: strategy,
    expected: `a file at ${path}, or the name of a built-in strategy`,
  });
}

/** Quantities keep the digits that were written; a strategy's parameters are its own, and floats. */
function isQuantity(path: readonly (string | number)[]): boolean {
  return !path.includes("params") && /(Base|Quote|FeeRate)$/.test(String(path.at(-1)));
}

function duplicateHint(path: readonly (string | number)[]): string | undefined {
  return path.length === 2 && path[0] === "markets" ? "each market once: one market has one strategy" : undefined;
}
