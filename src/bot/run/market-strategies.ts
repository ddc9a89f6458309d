import { dirname } from "node:path";
import type { MarketId } from "../../core/units.js";
import type { Log } from "../../monitoring/log.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";
import type { StrategyFile } from "../journal/journal.js";
import { checkStrategyMarket } from "../strategy/check-strategy-market.js";
import { loadStrategy } from "../strategy/load-strategy.js";

/**
 * Loads the strategies that a bot's file names, by market. Their console output and the warnings
 * about their source go to the log. @throws ConfigError
 */
export async function loadStrategies(config: BotConfig, log: Log) {
  const loaded = new Map<MarketId, Awaited<ReturnType<typeof loadStrategy>>>();
  for (const [marketId, { strategy }] of Object.entries(config.markets)) {
    if (strategy === undefined) continue;
    const folder = dirname(config.path);
    const found = await loadStrategy(strategy, folder, `markets.${marketId}.strategy`);
    for (const warning of found.warnings)
      log.warn(
        { marketId, ...warning },
        "the strategy reads time, randomness or data outside its context",
      );
    found.redirectConsole((text, isError) =>
      log[isError ? "warn" : "info"](
        { strategy: found.name, text: text.trimEnd() },
        "the strategy prints",
      ),
    );
    loaded.set(marketId, found);
  }
  return loaded;
}

/** The files and packages among them, as a journal names them. */
export function strategyFiles(
  loaded: Awaited<ReturnType<typeof loadStrategies>>,
): Record<MarketId, StrategyFile> {
  const files: Record<MarketId, StrategyFile> = {};
  for (const [marketId, { name, sha256, version }] of loaded)
    if (sha256 !== undefined)
      files[marketId] = { name, sha256, ...(version === undefined ? {} : { version }) };
  return files;
}

/**
 * Each with its market's parameters. @throws ConfigError for parameters that it does not accept,
 * and for a market without the reference price that it needs
 */
export function bindStrategies(
  config: BotConfig,
  loaded: Awaited<ReturnType<typeof loadStrategies>>,
): Map<MarketId, BoundStrategy> {
  const bound = new Map<MarketId, BoundStrategy>();
  for (const [marketId, { strategy }] of loaded) {
    const one = strategy.bind(config.markets[marketId].params, {
      at: ["markets", marketId, "params"],
    });
    checkStrategyMarket(config, marketId, one);
    bound.set(marketId, one);
  }
  return bound;
}
