import { joinTapes } from "../../../history/columns/tape/open-tapes.js";
import type { BacktestConfig } from "../../config/backtest-config.js";
import { openHistory } from "../../run/opening/open-history.js";
import {
  type SharedHistory,
  type SharedMarket,
  type SharedReference,
  sharedMarket,
  sharedReference,
} from "../../run/opening/shared-history.js";
import type { SweepWindow } from "../windows.js";

/** A backtest on a part of its history. */
export function restrictToWindow(
  config: BacktestConfig,
  { fromUs, toUs }: SweepWindow,
): BacktestConfig {
  return { ...config, history: { ...config.history, fromUs, toUs } };
}

/**
 * Opens a window's history, once for all workers.
 * @throws ConfigError where the store lacks it; HistoryError naming a file that is broken
 */
export async function openShared(
  config: BacktestConfig,
  window: SweepWindow,
): Promise<SharedHistory> {
  const opened = await openHistory(restrictToWindow(config, window));
  const markets: SharedMarket[] = [];
  for (const market of opened.markets) {
    const { marks, tapes } = market;
    markets.push(sharedMarket(market, await marks?.whole(), tapes && (await joinTapes(tapes))));
  }
  const { references, ...rest } = opened;
  if (references === undefined) return { ...rest, markets };
  const shared: SharedReference[] = [];
  for (const { source, prices } of references)
    shared.push(sharedReference(source, await prices.whole()));
  return { ...rest, markets, references: shared };
}
