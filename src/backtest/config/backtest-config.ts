import { accessSync, constants } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { type BotConfig, loadBotConfig } from "../../bot/config/config.js";
import { requireKind } from "../../core/config/config-kind.js";
import { checkShape } from "../../core/config/config-shape.js";
import { loadYamlFile } from "../../core/config/config-yaml.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import { parseInstantUs } from "../../history/day.js";
import { readFitFile } from "../whatif/fit-file.js";
import { readBacktestRules } from "./backtest-rules.js";
import { type BacktestFile, backtestSchema } from "./backtest-schema.js";
import { type PlayedReferences, playedReferences } from "./played-references.js";

/**
 * One backtest as its YAML describes it, with absolute paths, the bot's file loaded and the rules
 * known. Plain data.
 */
export interface BacktestConfig
  extends Omit<BacktestFile, "bot" | "history" | "references" | "rules"> {
  /** Absolute path of the YAML. */
  readonly path: string;
  readonly name: string;
  readonly bot: BotConfig;
  readonly history: Omit<BacktestFile["history"], "market" | "markets" | "from" | "to"> & {
    /** Name of the market in the store, by the bot's id. */
    readonly markets: Readonly<Record<MarketId, string>>;
    readonly fromUs: number;
    /** Exclusive. */
    readonly toUs: number;
  };
  /** The sources of reference prices that the replayed markets use. */
  readonly references: PlayedReferences;
  readonly rules: VenueRules;
  /** Name of the settlement asset. */
  readonly asset: string;
  /**
   * The rules as the file states them, and the exchange's answer that it names, of the replayed
   * markets: for display.
   */
  readonly written: {
    readonly rules: BacktestFile["rules"];
    readonly references?: BacktestFile["references"];
    readonly exchangeInfo: string | undefined;
  };
  readonly liquidation: { readonly priceOff: number; readonly insuranceFeeRate: number };
}

/** Values that replace those of the two files before anything is checked. A sweep sets them. */
export interface BacktestChanges {
  readonly backtest?: (written: unknown) => unknown;
  readonly bot?: (written: unknown) => unknown;
}

/**
 * Reads and checks a backtest's YAML and the bot's file that it names. Paths in each file are
 * relative to that file.
 * @throws ConfigError with one message that names the path, the value and what would be right
 */
export function loadBacktestConfig(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  { backtest = unchanged, bot: botChange = unchanged }: BacktestChanges = {},
): BacktestConfig {
  const absolute = resolve(path);
  const yaml = loadYamlFile(absolute, {
    exactNumbers: (at) => /(Base|Quote|FeeRate)$/.test(String(at.at(-1))),
  });
  requireKind("backtest", absolute, yaml);
  const changed = backtest(yaml.value);
  const file = checkShape(backtestSchema, changed, { locate: yaml.locate });
  const folder = dirname(absolute);
  const botPath = resolve(folder, file.bot);
  const bot = loadBotConfig(botPath, env, { key: "unused", change: botChange });
  const { market, markets, from, to, ...history } = file.history;
  const replayed = markets ?? { [market as string]: market as string };
  const [fromUs, toUs] = [instantUs(from, "history.from"), instantUs(to, "history.to")];
  if (fromUs >= toUs)
    throw new ConfigError("is not later than history.from", {
      field: "history.to",
      value: to,
      expected: `a time after ${from}`,
    });
  for (const id of Object.keys(replayed)) requireStrategy(bot, id, market === id);
  const { liquidationPriceOff, insuranceFeeRate } = file.rules;
  const { rules, asset, exchangeInfo } = readBacktestRules(
    file.rules,
    Object.keys(replayed),
    folder,
  );
  return {
    ...file,
    path: absolute,
    name: file.name ?? basename(absolute).replace(/\.ya?ml$/, ""),
    bot,
    history: { ...history, store: resolve(folder, history.store), markets: replayed, fromUs, toUs },
    rules,
    asset,
    references: playedReferences(bot, Object.keys(replayed), file.references),
    written: { rules: file.rules, references: file.references, exchangeInfo },
    liquidation: { priceOff: liquidationPriceOff, insuranceFeeRate },
    fills: resolveFills(file.fills, changed, Object.keys(replayed), folder),
  };
}

/** Keys of `fills` that a fitted model sets. */
const FITTED_KEYS = [
  "queue",
  "orderLatencyMs",
  "responseLatencyMs",
  "latencyFile",
  "feedLatency",
  "markets",
];

/**
 * The fill models with what their files hold: a fit becomes the models of its markets, so that a
 * report needs no file.
 * @param written the whole file, before defaults
 * @throws ConfigError where a fit is given beside a key that it sets, or lacks a market
 */
function resolveFills(
  { fit, ...fills }: BacktestFile["fills"],
  written: unknown,
  markets: readonly MarketId[],
  folder: string,
): BacktestFile["fills"] {
  const { latencyFile } = fills;
  if (fit === undefined)
    return latencyFile === undefined
      ? fills
      : { ...fills, latencyFile: readable(resolve(folder, latencyFile)) };
  const given = (written as { readonly fills: object }).fills;
  const twice = FITTED_KEYS.find((key) => key in given);
  if (twice !== undefined)
    throw new ConfigError("cannot be used together with fit, which sets it", {
      field: `fills.${twice}`,
      expected: `either fit or ${twice}`,
    });
  const fitted = readFitFile(resolve(folder, fit), "fills.fit").markets;
  const models = markets.map((id) => {
    const model = fitted[id];
    if (model === undefined)
      throw new ConfigError(`has no fit of ${id}`, {
        field: "fills.fit",
        value: fit,
        expected: `a fit of ${markets.join(", ")}; it has ${Object.keys(fitted).join(", ")}`,
      });
    const { queue, orderLatencyMs, responseLatencyMs } = model;
    return [id, { queue, orderLatencyMs, responseLatencyMs }];
  });
  return { ...fills, markets: Object.fromEntries(models) };
}

/**
 * Checks that a file of round trips can be read. It may be large, so its content is read when a run
 * begins.
 * @throws ConfigError where it cannot be read
 */
function readable(latencyFile: string): string {
  try {
    accessSync(latencyFile, constants.R_OK);
    return latencyFile;
  } catch (cause) {
    throw new ConfigError("cannot be read", {
      field: "fills.latencyFile",
      value: latencyFile,
      expected: "a CSV file",
      cause,
    });
  }
}

function unchanged(written: unknown): unknown {
  return written;
}

function requireStrategy(bot: BotConfig, id: MarketId, isStoresToo: boolean): void {
  const market = bot.markets[id];
  if (market?.strategy !== undefined) return;
  const quoted = Object.entries(bot.markets).flatMap(([known, { strategy }]) =>
    strategy === undefined ? [] : [known],
  );
  throw new ConfigError(
    market === undefined ? "is not among the bot's markets" : "has no strategy in the bot's file",
    {
      field: isStoresToo ? "history.market" : `history.markets.${id}`,
      value: id,
      expected: `one of ${quoted.join(", ") || "none: the bot quotes no market"}${isStoresToo ? otherName(quoted[0], id) : ""}`,
    },
  );
}

/** Hint for history that the store has under another name than the bot's. */
function otherName(quoted: MarketId | undefined, stores: string): string {
  return quoted === undefined
    ? ""
    : `; if the store calls it ${stores}, write markets: { ${quoted}: ${stores} } instead of market`;
}

function instantUs(written: string | number, field: string): number {
  return parseInstantUs(String(written), field);
}
