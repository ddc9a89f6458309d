import { basename, dirname, relative, sep } from "node:path";
import { stringify } from "yaml";
import type { BotConfig } from "../../bot/config/config.js";
import { isStrategyFile } from "../../bot/config/strategy-name.js";
import { instantText } from "../../history/day.js";
import { replayConfig } from "../engine/replay-config.js";
import { formatInstant } from "../report/page/format-instant.js";
import type { BacktestConfig } from "./backtest-config.js";

/** A file as shown to the reader of a report. */
export interface ResolvedFile {
  readonly name: string;
  /** YAML; JSON is valid YAML too. */
  readonly yaml: string;
}

/** Values that the history decided where the file left them open. */
export interface ResolvedInputs {
  readonly grade: string;
  /** Bar interval of candles. */
  readonly interval: string | undefined;
  readonly sampleMs: number;
}

/** Name of the file with an exchange's answer, where the configuration was one. */
const EXCHANGE_INFO = "exchangeInfo.json";

/**
 * Renders the files of a backtest with every default filled in, in the form in which they are read.
 * Saved in the folder of the backtest's file, they run again to the same report. Paths are relative
 * to that folder. Private details are left out: where the key is kept, the state directory, the
 * home folder.
 */
export function renderResolvedFiles(
  config: BacktestConfig,
  resolved: ResolvedInputs,
): ResolvedFile[] {
  const { path, bot, history, written, account, fills, warmupMs, seed, adverseSelectionMs, name } =
    config;
  const near = (absolute: string): string => relativeTo(dirname(path), absolute);
  const { fromUs, toUs, grade: _, interval: __, ...opened } = history;
  const span = { from: shownInstant(fromUs), to: shownInstant(toUs) };
  const botName =
    basename(bot.path) === basename(path) ? `bot-${basename(path)}` : basename(bot.path);
  const backtest = {
    history: {
      ...opened,
      store: near(history.store),
      ...span,
      grade: resolved.grade,
      interval: resolved.interval,
    },
    bot: botName,
    rules:
      written.exchangeInfo === undefined
        ? written.rules
        : { ...written.rules, exchangeInfo: EXCHANGE_INFO },
    ...(written.references === undefined ? {} : { references: written.references }),
    account,
    fills:
      fills.latencyFile === undefined ? fills : { ...fills, latencyFile: near(fills.latencyFile) },
    warmupMs,
    seed,
    sampleMs: resolved.sampleMs,
    adverseSelectionMs,
    name,
  };
  return [
    { name: basename(path), yaml: stringify(backtest) },
    { name: botName, yaml: stringify(shownBot(config, near)) },
    ...(written.exchangeInfo === undefined
      ? []
      : [{ name: EXCHANGE_INFO, yaml: written.exchangeInfo }]),
  ];
}

/** Whole milliseconds where possible, else microseconds. */
function shownInstant(atUs: number): string {
  return atUs % 1000 === 0 ? instantText(atUs / 1000) : formatInstant(atUs);
}

/**
 * The bot's file as the run had it. Its key is never read, so the key variable may have any name.
 */
function shownBot({ bot, history }: BacktestConfig, near: (absolute: string) => string): object {
  const {
    path: _,
    stateDir: __,
    account: ___,
    ...shown
  } = replayConfig(bot, new Set(Object.keys(history.markets)));
  const markets = Object.entries(shown.markets).map(([id, market]) => {
    const { strategy } = market;
    if (strategy === undefined || !isStrategyFile(strategy)) return [id, market];
    return [id, { ...market, strategy: `./${near(strategy)}` }];
  });
  return {
    ...shown,
    ...shownReferences(shown.references, near),
    account: { keyEnv: "MARKETWRIGHT_KEY" },
    markets: Object.fromEntries(markets),
  };
}

/**
 * Sources as a backtest needs them: their prices come from the store. A file with a feed needs some
 * address of a chain, and the bot's own may carry a key.
 */
function shownReferences(
  references: BotConfig["references"],
  near: (absolute: string) => string,
): object {
  if (references === undefined) return {};
  const sources = Object.entries(references).map(([name, source]) => [
    name,
    source.module === undefined ? source : { ...source, module: `./${near(source.module)}` },
  ]);
  const hasFeed = Object.values(references).some(({ feed }) => feed !== undefined);
  return {
    references: Object.fromEntries(sources),
    ...(hasFeed ? { chain: { rpc: ["http://127.0.0.1:8545"] } } : {}),
  };
}

function relativeTo(folder: string, absolute: string): string {
  const path = relative(folder, absolute).split(sep).join("/");
  return path === "" ? "." : path;
}
