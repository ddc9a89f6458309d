import { decimalToScaled } from "../../core/instrument.js";
import type { ChainAddresses, ChainMarket } from "../chain/deployment.js";
import type { ExchangeConfig } from "../config.js";
import { ONE } from "../markets/market-rules.js";

/** The markets of an exchange as its contracts want them. Their first mark prices come with the exchange's marks. */
export function chainMarketsOf({ markets }: ExchangeConfig): ChainMarket[] {
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

/** The configuration of an exchange with the addresses of its chain: what its orders are signed for. */
export function onChain(config: ExchangeConfig, { dealer, markets }: ChainAddresses): ExchangeConfig {
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
