import { joined } from "../../history/columns/open-tape.js";
import { inSharedMemory } from "../../history/columns/shared-columns.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import { openHistory } from "../run/open-history.js";
import type { SharedHistory, SharedMarket } from "./shared-history.js";
import type { SweepWindow } from "./windows.js";

/** A backtest on a part of its history. */
export function configOfWindow(config: BacktestConfig, { fromUs, toUs }: SweepWindow): BacktestConfig {
  return { ...config, history: { ...config.history, fromUs, toUs } };
}

/**
 * Opens a window's history, once for all workers.
 * @throws ConfigError where the store lacks it; HistoryError naming a file that is broken
 */
export async function openShared(config: BacktestConfig, window: SweepWindow): Promise<SharedHistory> {
  const opened = await openHistory(configOfWindow(config, window));
  const markets: SharedMarket[] = [];
  for (const { marketId, marks, tellsFunding, funding, klines, tapes, lacking } of opened.markets) {
    const tape = tapes === undefined ? undefined : await joined(tapes);
    const whole = await marks?.whole();
    markets.push({
      marketId,
      marks: whole && inSharedMemory(whole),
      tellsFunding,
      funding: funding && inSharedMemory(funding),
      klines: klines && inSharedMemory(klines),
      tape: tape && inSharedMemory(tape),
      lacking,
    });
  }
  return { ...opened, markets };
}
