import { RunError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { MarketLimits } from "../../risk/limits.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { decideConfigFor } from "../config/config.js";
import { findDifferentValues } from "../config/config-change.js";
import { formatConfigPath } from "../config/config-path.js";
import {
  isSameJson,
  type RunningValues,
  toRunningValues,
  withRunningValues,
} from "../config/running-values.js";
import type { ExecutionPlanner } from "../execution/execution-planner.js";
import { findOrdersOverLimits } from "../execution/orders-over-limits.js";
import { accountLimitsFor, marketLimitsFor } from "../safety/configured-limits.js";
import type { LadderFlatten } from "../safety/ladder-flatten.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import type { BotContext } from "./context.js";
import type { StrategySignals } from "./strategy-signals.js";

/** The parts of the bot that keep values of its configuration. */
export interface ConfigurationDeps {
  readonly tradingGuards: TradingGuards;
  readonly flattening: LadderFlatten;
  readonly planner: ExecutionPlanner;
  readonly signals: StrategySignals;
}

/**
 * Changes the configuration of a running bot, within one turn. Orders, positions, books, estimates,
 * halts, the peak and latched rungs stay. The end of the turn asks the strategies that are
 * concerned, and plans their orders against those that rest.
 */
export class Configuration {
  readonly #context: BotContext;
  readonly #deps: ConfigurationDeps;

  constructor(context: BotContext, deps: ConfigurationDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /**
   * Applies values that were checked before.
   * @throws ConfigError or RunError for values that no check would pass: a journal that was edited
   */
  apply(values: RunningValues): void {
    const context = this.#context;
    const { tradingGuards, flattening, planner, signals } = this.#deps;
    const strategies = this.#rebind(values);
    const { marketLimits, accountLimits } = context;
    this.#log(values);
    context.config = withRunningValues(context.config, values);
    context.marketLimits = marketLimitsOf(context);
    context.accountLimits = accountLimitsFor(context.config, context.rules.creditDecimals);
    context.loopLag.configure(context.config.risk.maxLoopLagMs);
    planner.configure();
    flattening.configure();
    for (const trader of context.traderList) {
      const { marketId } = trader;
      const limits = context.marketLimits.get(marketId);
      trader.configure(
        {
          decide: decideConfigFor(context.config, marketId),
          maxPositionLots: limits?.maxPositionLots ?? Number.POSITIVE_INFINITY,
          strategy: strategies.get(marketId),
        },
        signals,
      );
      if (!isSameLimits(limits, marketLimits.get(marketId))) signals.recheck(trader);
    }
    tradingGuards.configure();
    const over = findOrdersOverLimits(context, { marketLimits, accountLimits });
    for (const trader of context.traderList)
      trader.setOverLimit(over.get(trader.marketId) ?? new Map());
  }

  #log(values: RunningValues): void {
    const { config, notify } = this.#context;
    const changes = findDifferentValues(toRunningValues(config), values).map(
      ({ path, before, after }) => ({ path: formatConfigPath(path), before, after }),
    );
    const message = "an operator changed values of the running bot";
    notify({ kind: "log", level: "info", message, fields: { changes } });
  }

  /** The strategies whose parameters change, all of them before anything is applied. */
  #rebind(values: RunningValues): ReadonlyMap<MarketId, BoundStrategy> {
    const { config, traderList } = this.#context;
    const bound = new Map<MarketId, BoundStrategy>();
    for (const { marketId, strategy } of traderList) {
      const params = values.markets[marketId]?.params;
      if (strategy === undefined || isSameJson(params, config.markets[marketId]?.params)) continue;
      bound.set(marketId, rebindStrategy(strategy, marketId, params));
    }
    return bound;
  }
}

function isSameLimits(a: MarketLimits | undefined, b: MarketLimits | undefined): boolean {
  return a?.maxOrderLots === b?.maxOrderLots && a?.maxPositionLots === b?.maxPositionLots;
}

/** A market's strategy with other parameters. @throws ConfigError for invalid ones */
export function rebindStrategy(
  { rebind }: BoundStrategy,
  marketId: MarketId,
  params: unknown,
): BoundStrategy {
  const at = ["markets", marketId, "params"];
  if (rebind === undefined)
    throw new RunError("a strategy without a schema cannot get other parameters", {
      field: at.join("."),
      expected: "a strategy of defineStrategy",
    });
  return rebind(params, { at });
}

/** The limits of every market, by the config of the context. */
export function marketLimitsOf({
  config,
  traderList,
}: Pick<BotContext, "config" | "traderList">): ReadonlyMap<MarketId, MarketLimits> {
  return new Map(
    traderList.map(({ marketId, instrument }) => [
      marketId,
      marketLimitsFor(config.markets[marketId], instrument),
    ]),
  );
}
