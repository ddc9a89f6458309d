import type { ExchangeConfig, MarketConfig } from "../config/config.js";
import { type ConfigSource, configConflict } from "../markets/config-conflict.js";
import { LeveragedFlow, type LeveragedMarket } from "./agents/leveraged-flow.js";
import type { AccountFlow } from "./flow-accounts.js";
import type { LeveragedParams } from "./leveraged-params.js";

/**
 * Default bounds of the leverage, as fractions of the market's highest: near it, and with room for
 * the opening fee.
 */
const DEFAULT_SHARES = { min: 0.85, max: 0.97 };

/**
 * The maximum number of markets of one trader, since each position costs gas; the contracts may
 * allow fewer.
 */
const MOST_MARKETS = 5;

/**
 * Checks the leveraged traders of a configuration against settings outside their flow: the market's
 * highest leverage and smallest order, and the exchange's number of accounts.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function checkLeveraged(config: ExchangeConfig, written?: ConfigSource): void {
  let count = 0;
  for (const [id, market] of Object.entries(config.markets)) {
    const leveraged = leveragedOf(market);
    if (leveraged === null) {
      continue;
    }
    const at = ["markets", id, "flow", "leveraged"];
    const { params, startPriceQuote } = leveraged;
    if (params.leverage !== undefined && params.leverage.max > market.maxLeverage) {
      const against = [{ path: ["markets", id, "maxLeverage"], value: market.maxLeverage }];
      const expected = `at most the market's maxLeverage, ${market.maxLeverage}`;
      const summary = "is above the market's maxLeverage";
      throw configConflict(
        {
          path: [...at, "leverage", "max"],
          value: params.leverage.max,
          summary,
          expected,
          against,
        },
        written,
      );
    }
    const least =
      (Number(market.amountBase.min) * startPriceQuote) / leverageOf(market, params).min;
    if (params.creditQuote < least) {
      const against = [
        { path: ["markets", id, "amountBase", "min"], value: market.amountBase.min },
      ];
      const expected = `at least ${Math.ceil(least)}, the margin of the smallest order`;
      const summary = "is too small for the market's smallest order";
      throw configConflict(
        { path: [...at, "creditQuote"], value: params.creditQuote, summary, expected, against },
        written,
      );
    }
    count += params.count;
    if (count > config.maxAccounts) {
      const against = [{ path: ["maxAccounts"], value: config.maxAccounts }];
      const expected = `at most maxAccounts, ${config.maxAccounts}, together with other markets`;
      throw configConflict(
        {
          path: [...at, "count"],
          value: params.count,
          summary: "is above maxAccounts",
          expected,
          against,
        },
        written,
      );
    }
  }
}

/**
 * Returns a factory of a configuration's leveraged traders, called at every start; null if no
 * market has any.
 */
export function leveragedFlowFactory(config: ExchangeConfig): (() => AccountFlow) | null {
  const markets = Object.entries(config.markets).flatMap(
    ([marketId, market]): LeveragedMarket[] => {
      const leveraged = leveragedOf(market);
      if (leveraged === null) {
        return [];
      }
      const { params, seed } = leveraged;
      return [
        {
          marketId,
          seed: String(seed ?? `${config.seed}/${marketId}`),
          params: { ...params, leverage: leverageOf(market, params) },
        },
      ];
    },
  );
  const mostMarkets = Math.min(MOST_MARKETS, config.chain?.contracts.maxPositions ?? MOST_MARKETS);
  return markets.length === 0 ? null : () => new LeveragedFlow(markets, mostMarkets);
}

function leveragedOf({ flow }: MarketConfig) {
  return flow.kind === "synthetic" && flow.leveraged !== undefined
    ? { params: flow.leveraged, startPriceQuote: flow.startPriceQuote, seed: flow.seed }
    : null;
}

function leverageOf(
  { maxLeverage }: MarketConfig,
  { leverage }: LeveragedParams,
): { readonly min: number; readonly max: number } {
  return (
    leverage ?? {
      min: Math.max(1, maxLeverage * DEFAULT_SHARES.min),
      max: Math.max(1, maxLeverage * DEFAULT_SHARES.max),
    }
  );
}
