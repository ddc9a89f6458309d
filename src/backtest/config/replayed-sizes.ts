import { checkOnGrid } from "../../bot/config/config-grid.js";
import type { BacktestConfig } from "./backtest-config.js";

/**
 * Checks that the bot would be taken by the markets that are replayed, as a live one is: of its file's other markets there are no rules.
 * @throws ConfigError as {@link checkOnGrid} does: sizes that would be rounded, or never be placed, are not what the file says
 */
export function checkReplayedSizes({ bot, history, rules }: BacktestConfig): void {
  const markets = Object.fromEntries(
    Object.keys(history.markets).map((marketId) => [marketId, bot.markets[marketId]]),
  );
  checkOnGrid({ ...bot, markets }, rules);
}
