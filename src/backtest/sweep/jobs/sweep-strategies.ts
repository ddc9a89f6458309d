import {
  bindStrategies,
  loadStrategies,
  strategyFiles,
} from "../../../bot/run/market-strategies.js";
import { ConfigError } from "../../../core/errors.js";
import type { Log } from "../../../monitoring/log.js";
import type { BacktestConfig } from "../../config/backtest-config.js";
import { pointError, type SweepConfig } from "../sweep-config.js";
import { type InputChecksums, strategyChecksums } from "./input-files.js";

/**
 * Loads the strategies of every point, and gives each its parameters as its run will.
 * @returns the checksums of strategies that are files.
 * @throws ConfigError naming the point and the parameter that a strategy does not accept
 */
export async function checkStrategies(
  { configs, points }: Pick<SweepConfig, "configs" | "points">,
  log: Log,
): Promise<InputChecksums> {
  const loaded = new Map<string, Awaited<ReturnType<typeof loadStrategies>>>();
  for (const [at, point] of points.entries()) {
    const { bot } = configs[at] as BacktestConfig;
    const choice = JSON.stringify(Object.values(bot.markets).map(({ strategy }) => strategy));
    try {
      const known = loaded.get(choice) ?? (await loadStrategies(bot, log));
      loaded.set(choice, known);
      bindStrategies(bot, known);
    } catch (cause) {
      throw cause instanceof ConfigError ? pointError(cause, point) : cause;
    }
  }
  return Object.assign(
    {},
    ...[...loaded.values()].map((each) => strategyChecksums(strategyFiles(each))),
  );
}
