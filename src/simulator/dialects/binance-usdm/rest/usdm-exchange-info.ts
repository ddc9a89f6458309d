import { Decimal } from "decimal.js";
import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { Market, MarketStatus } from "../../../markets/market.js";
import { usdmPrice, usdmQuantity } from "../records/usdm-decimals.js";
import type { UsdmConfig } from "../usdm-config.js";
import type { UsdmSymbols } from "../usdm-symbols.js";

/** The delivery time that the interface shows for a contract without one. */
const NEVER_MS = 4_133_404_800_000;
const STATUSES: Readonly<Record<MarketStatus, string>> = {
  PENDING: "PENDING_TRADING",
  TRADING: "TRADING",
  SUSPENDED: "SETTLING",
  DELISTED: "CLOSE",
};
const ASSET_PRECISION = 8;

/** The types of orders that the dialect accepts. */
export const USDM_ORDER_TYPES = ["LIMIT", "MARKET"] as const;
/** The times in force that the dialect accepts. */
export const USDM_TIMES_IN_FORCE = ["GTC", "IOC", "FOK", "GTX", "GTD"] as const;

/** GET /fapi/v1/exchangeInfo. */
export function usdmExchangeInfo(state: ExchangeState, symbols: UsdmSymbols, config: UsdmConfig) {
  const { weightPerMinute, ordersPerMinute, ordersPer10Seconds } = config.rateLimits;
  const limit = (rateLimitType: string, interval: string, intervalNum: number, most: number) => ({
    rateLimitType,
    interval,
    intervalNum,
    limit: most,
  });
  return {
    timezone: "UTC",
    serverTime: state.nowMs(),
    futuresType: "U_MARGINED",
    rateLimits: [
      limit("REQUEST_WEIGHT", "MINUTE", 1, weightPerMinute),
      limit("ORDERS", "MINUTE", 1, ordersPerMinute),
      limit("ORDERS", "SECOND", 10, ordersPer10Seconds),
    ],
    exchangeFilters: [],
    assets: [{ asset: symbols.asset, marginAvailable: true, autoAssetExchange: "0" }],
    symbols: [...symbols.all].map(([symbol, market]) =>
      symbolRecord(symbol, market, config, state.accountsFor(market).house.createdAtMs),
    ),
  };
}

function symbolRecord(symbol: string, market: Market, config: UsdmConfig, onboardDate: number) {
  const { instrument, rules, status } = market;
  const { config: own } = rules;
  const amount = (lots: number) => usdmQuantity(instrument, lots);
  const percent = (ratio: Decimal) => ratio.times(100).toFixed(4);
  return {
    symbol,
    pair: symbol,
    contractType: "PERPETUAL",
    deliveryDate: NEVER_MS,
    onboardDate,
    status: STATUSES[status],
    maintMarginPercent: percent(new Decimal(own.liquidationThreshold)),
    requiredMarginPercent: percent(new Decimal(1).div(own.maxLeverage)),
    baseAsset: own.baseAsset.toUpperCase(),
    quoteAsset: own.quoteAsset.toUpperCase(),
    marginAsset: own.quoteAsset.toUpperCase(),
    pricePrecision: instrument.priceDecimals,
    quantityPrecision: instrument.amountDecimals,
    baseAssetPrecision: ASSET_PRECISION,
    quotePrecision: ASSET_PRECISION,
    underlyingType: "COIN",
    underlyingSubType: [],
    triggerProtect: "0.0500",
    liquidationFee: own.insuranceFeeRate,
    marketTakeBound: config.marketTakeBound,
    filters: [
      {
        filterType: "PRICE_FILTER",
        minPrice: usdmPrice(instrument, rules.minTicks),
        maxPrice: usdmPrice(instrument, rules.maxTicks),
        tickSize: usdmPrice(instrument, rules.tickStep),
      },
      {
        filterType: "LOT_SIZE",
        minQty: amount(rules.minLots),
        maxQty: amount(rules.maxLots),
        stepSize: amount(rules.lotStep),
      },
      {
        filterType: "MARKET_LOT_SIZE",
        minQty: amount(rules.marketMinLots),
        maxQty: amount(rules.marketMaxLots),
        stepSize: amount(rules.lotStep),
      },
      { filterType: "MAX_NUM_ORDERS", limit: own.maxOpenOrders },
      { filterType: "MAX_NUM_ALGO_ORDERS", limit: 0 },
      { filterType: "MIN_NOTIONAL", notional: config.minNotionalQuote },
      {
        filterType: "PERCENT_PRICE",
        multiplierUp: config.percentPrice.up,
        multiplierDown: config.percentPrice.down,
        multiplierDecimal: "4",
      },
    ],
    orderTypes: USDM_ORDER_TYPES,
    timeInForce: USDM_TIMES_IN_FORCE,
  };
}
