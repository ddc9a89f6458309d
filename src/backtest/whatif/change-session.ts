import type { BotConfig } from "../../bot/config/config.js";
import { findDifferentValues, type ValueChange } from "../../bot/config/config-change.js";
import { checkOnGrid } from "../../bot/config/config-grid.js";
import { isSameJson, toRunningValues } from "../../bot/config/running-values.js";
import { changeRunningConfig } from "../../bot/configure/change-running-config.js";
import { toChangedValue } from "../../bot/configure/change-values.js";
import type { ChangedValue } from "../../bot/configure/config-difference.js";
import { rebindStrategy } from "../../bot/engine/configuration.js";
import { checkStrategyMarket } from "../../bot/strategy/check-strategy-market.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { Strategies } from "../run/replay-options.js";
import type { Session } from "../session/session-file.js";

/** The bot of a session with other values. */
export interface ChangedSession {
  readonly config: BotConfig;
  readonly strategies: Strategies;
  /** The differences from the bot of the session. */
  readonly changes: readonly ChangedValue[];
}

/**
 * Changes values of a session's bot, as `marketwright set` changes those of a running one.
 * @param strategies of the session's bot
 * @throws ConfigError for a key that cannot change while a bot runs, an unknown key, a value that
 * the bot or its strategy refuses, and for a change that changes nothing
 */
export function changeSession(
  { config, rules }: Pick<Session, "config" | "rules">,
  strategies: Strategies,
  changes: readonly ValueChange[],
): ChangedSession {
  const traders = new Map([...strategies].map(([marketId, strategy]) => [marketId, { strategy }]));
  const changed = changeRunningConfig({ config, traders }, changes);
  checkOnGrid(changed, rules);
  const bound = new Map<MarketId, BoundStrategy>();
  for (const [marketId, strategy] of strategies) {
    const params = changed.markets[marketId]?.params;
    const isSame = isSameJson(params, config.markets[marketId]?.params);
    const next = isSame ? strategy : rebindStrategy(strategy, marketId, params);
    checkStrategyMarket(changed, marketId, next);
    bound.set(marketId, next);
  }
  const [before, after] = [toRunningValues(config), toRunningValues(changed)];
  const differences = findDifferentValues(before, after);
  if (differences.length === 0)
    throw new ConfigError("changes nothing: the session ran with these values", {
      field: "--set",
      value: changes.map(({ path }) => path.join(".")).join(", "),
      expected: "another value than the session's",
    });
  return { config: changed, strategies: bound, changes: differences.map(toChangedValue) };
}
