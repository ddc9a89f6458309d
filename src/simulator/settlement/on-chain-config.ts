import { Decimal } from "decimal.js";
import { ConfigError } from "../../core/errors.js";
import { decimalToScaled } from "../../core/instrument.js";
import { ONE } from "../../perpetual/fixed-point.js";
import type { ChainAddresses, DeployedMarket } from "../chain/deployment.js";
import type { ExchangeConfig } from "../config/config.js";
import type { Market } from "../markets/market.js";
import type { MarketRulesOnGrid } from "../markets/market-rules.js";

/**
 * Converts the markets of an exchange for deployment. Their first mark prices come from the
 * exchange.
 */
export function toDeployedMarkets({ markets }: ExchangeConfig): DeployedMarket[] {
  return Object.entries(markets).map(([marketId, market]) => ({
    marketId,
    initialMarginRatio: ONE / BigInt(market.maxLeverage),
    liquidationThreshold: decimalToScaled(market.liquidationThreshold, 18),
    liquidationPriceOff: decimalToScaled(market.liquidationPriceOff, 18),
    insuranceFeeRate: decimalToScaled(market.insuranceFeeRate, 18),
    markPrice: null,
    isRegistered: true,
  }));
}

/**
 * Checks a change of a market's rules against its deployed contracts.
 * @throws ConfigError when they would contradict each other
 */
export function requireAsDeployed({ id, configured }: Market, { config }: MarketRulesOnGrid): void {
  const { maxLeverage, liquidationThreshold, priceQuote } = configured;
  const refuse = (name: string, value: unknown, expected: string): never => {
    throw new ConfigError("contradicts the market's contracts", {
      field: `markets.${id}.${name}`,
      value,
      expected,
    });
  };
  if (config.maxLeverage !== maxLeverage)
    refuse("maxLeverage", config.maxLeverage, `${maxLeverage}, as deployed`);
  if (!new Decimal(config.liquidationThreshold).eq(liquidationThreshold)) {
    refuse(
      "liquidationThreshold",
      config.liquidationThreshold,
      `${liquidationThreshold}, as deployed`,
    );
  }
  if (new Decimal(config.priceQuote.min).lt(priceQuote.min)) {
    refuse(
      "priceQuote.min",
      config.priceQuote.min,
      `at least ${priceQuote.min}, at which a trade of one step is worth at least one unit of credit`,
    );
  }
}

/** Adds the addresses of its chain to an exchange's configuration; orders are signed for them. */
export function withChainAddresses(
  config: ExchangeConfig,
  { dealer, markets }: ChainAddresses,
): ExchangeConfig {
  return {
    ...config,
    domain: { ...config.domain, verifyingContract: dealer },
    markets: Object.fromEntries(
      Object.entries(config.markets).map(([marketId, market]) => {
        const perp = markets.get(marketId)?.perp;
        return [marketId, perp === undefined ? market : { ...market, perp }];
      }),
    ),
  };
}
