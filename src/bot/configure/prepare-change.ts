import { describeThrown } from "../../core/describe-thrown.js";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";
import {
  checkRestartKeys,
  type DifferentValue,
  findDifferentValues,
} from "../config/config-change.js";
import { checkOnGrid } from "../config/config-grid.js";
import {
  isSameJson,
  type RunningValues,
  toRunningValues,
  withRunningValues,
} from "../config/running-values.js";
import { rebindStrategy } from "../engine/configuration.js";
import type { BotContext } from "../engine/context.js";
import { checkStrategyMarket } from "../strategy/check-strategy-market.js";
import { withDefaultsBefore } from "./change-running-config.js";

/** Values that passed every check, and have not been applied. */
export interface PreparedChange {
  readonly values: RunningValues;
  readonly config: BotConfig;
  /** Empty if the values are in force already. */
  readonly differences: readonly DifferentValue[];
  /** The strategies whose parameters change. */
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
}

/**
 * Checks a config that is to replace the one in force: that it changes nothing which needs a
 * restart, the market's grid, and the parameters by their strategies.
 * @throws ConfigError naming the path, the value and the expected value; nothing has changed then
 */
export function prepareChange(context: BotContext, next: BotConfig): PreparedChange {
  const { config, rules, traderList } = context;
  checkRestartKeys(config, next);
  const markets = Object.fromEntries(traderList.map((trader) => [trader.marketId, trader.rules]));
  checkOnGrid(next, { ...rules, markets });
  const strategies = new Map<MarketId, BoundStrategy>();
  for (const trader of traderList) {
    const { marketId, strategy } = trader;
    const params = next.markets[marketId]?.params;
    if (strategy === undefined || isSameJson(params, config.markets[marketId]?.params)) continue;
    const bound = rebindStrategy(strategy, marketId, params);
    checkStrategyMarket(next, marketId, bound);
    try {
      trader.tryStrategy(bound);
    } catch (error) {
      if (error instanceof MarketwrightError) throw error;
      throw new ConfigError(`the strategy does not start with them: ${describeThrown(error)}`, {
        field: `markets.${marketId}.params`,
        expected: "parameters that it accepts",
        cause: error,
      });
    }
    strategies.set(marketId, bound);
  }
  const values = toRunningValues(next);
  return {
    values,
    config: withRunningValues(config, values),
    differences: withDefaultsBefore(context, findDifferentValues(toRunningValues(config), values)),
    strategies,
  };
}
