import type { ChainMarket } from "../../chain/contracts/lens-results.js";
import type { Hex } from "../../core/units.js";
import { ONE } from "../../perpetual/fixed-point.js";
import type { MarginMarket } from "../../perpetual/margin-account.js";

/**
 * The inputs of margin for a market. Undefined while its price is stale, and for unusable figures:
 * a price of zero, or a maintenance margin of the whole value.
 */
export function toMarginMarket(market: ChainMarket): MarginMarket | undefined {
  const {
    markPrice,
    perp,
    initialMarginRatio,
    maintenanceMarginRatio,
    liquidationPriceOff,
    insuranceFeeRate,
  } = market;
  if (!markPrice.ok || markPrice.creditPerCoin <= 0n || maintenanceMarginRatio >= ONE)
    return undefined;
  return {
    perp,
    markPrice: markPrice.creditPerCoin,
    initialMarginRatio,
    maintenanceMarginRatio,
    liquidationPriceOff,
    insuranceFeeRate,
  };
}

/** Keeps the markets that have a price now. */
export function marginMarkets(markets: ReadonlyMap<Hex, ChainMarket>): Map<Hex, MarginMarket> {
  return new Map(
    [...markets.values()].flatMap((market): [Hex, MarginMarket][] => {
      const margin = toMarginMarket(market);
      return margin === undefined ? [] : [[market.perp, margin]];
    }),
  );
}
