import { checkOnGrid } from "../../bot/config/config-grid.js";
import type { BacktestConfig } from "./backtest-config.js";

/**
 * Checks the bot's sizes against the rules of the replayed markets, as a live bot does. The other
 * markets of its file have no rules here.
 * @throws ConfigError as {@link checkOnGrid} does: for sizes that would be rounded, or never be
 * placed
 */
export function checkReplayedSizes({ bot, history, rules }: BacktestConfig): void {
  const markets = Object.fromEntries(
    Object.keys(history.markets).map((marketId) => [marketId, bot.markets[marketId]]),
  );
  checkOnGrid({ ...bot, markets }, rules);
}
