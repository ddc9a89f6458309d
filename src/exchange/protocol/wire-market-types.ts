import type { WireDecimal, WireInt64, WireMs } from "./wire-values.js";

/** The records of what everybody may read of the exchange and its markets. */

/** `PRICE_FILTER`: bounds and step of a price. */
export interface WirePriceFilter {
  readonly filterType: "PRICE_FILTER";
  readonly maxPrice: WireDecimal;
  readonly minPrice: WireDecimal;
  readonly tickSize: WireDecimal;
}

/** `AMOUNT_FILTER` (LIMIT orders) and `MARKET_AMOUNT_FILTER` (MARKET orders): bounds and step of an amount. */
export interface WireAmountFilter {
  readonly filterType: "AMOUNT_FILTER" | "MARKET_AMOUNT_FILTER";
  readonly maxAmount: WireDecimal;
  readonly minAmount: WireDecimal;
  readonly stepSize: WireDecimal;
}

/** `MAX_OPEN_ORDERS_FILTER`: how many orders of an account may rest in the market. */
export interface WireMaxOpenOrdersFilter {
  readonly filterType: "MAX_OPEN_ORDERS_FILTER";
  readonly limit: number;
}

/** A filter of a market, told apart by `filterType`. */
export type WireFilter = WirePriceFilter | WireAmountFilter | WireMaxOpenOrdersFilter;

/** Where a price comes from, for people. */
export interface WirePriceSource {
  readonly text: string;
  readonly url: string;
}

/** A market of `exchangeInfo`. */
export interface WireMarket {
  readonly id: string;
  readonly pair: string;
  readonly symbol: string;
  readonly baseAssetName: string;
  readonly quoteAssetName: string;
  readonly desc: string;
  readonly OrderType: readonly string[];
  readonly timeInForce: readonly string[];
  readonly filters: readonly WireFilter[];
  readonly fundingIntervalSeconds: number;
  readonly indexPriceSource: WirePriceSource;
  readonly markPriceSource: WirePriceSource;
  readonly liquidatedAt: WireMs | null;
  readonly suspendedAt: WireMs | null;
  readonly liquidationLeverage: WireDecimal;
  readonly makerFee: WireDecimal;
  readonly takerFee: WireDecimal;
  readonly maxExposure: WireDecimal;
  readonly maxLeverage: number;
  readonly perpetualContractAddress: string;
  readonly stage: string;
  readonly status: string;
}

/** What the order hash is made under. */
export interface WireEip712 {
  readonly EIP712_DOMAIN_SEPARATOR: string;
  readonly EIP712_DOMAIN_TYPEHASH: string;
  readonly EIP712_ORDER_TYPE: string;
  readonly chainId: number;
  readonly domainName: string;
  readonly domainVersion: string;
  readonly verifyingContract: string;
}

/** `GET /v1/exchangeInfo`. */
export interface WireExchangeInfo {
  readonly assets: readonly { readonly fullName: string; readonly name: string }[];
  readonly dealerInfo: {
    readonly creditDecimals: number;
    readonly paperDecimals: number;
    readonly insuranceAmount: WireDecimal;
    readonly totalTraders: number;
    readonly totalVolume: WireDecimal;
  };
  readonly eip712: WireEip712;
  readonly gasFeeInfo: {
    readonly gasLimit: WireDecimal;
    readonly gasPrice: WireDecimal;
    readonly lastEthIndexPrice: WireDecimal;
    readonly waiveGasFeeMinimumAmount: WireDecimal;
  };
  readonly markets: readonly WireMarket[];
  readonly rateLimits: readonly {
    readonly name: string;
    readonly intervalSeconds: number;
    readonly limit: number;
  }[];
  readonly serverTime: WireMs;
  readonly timezone: string;
}

/** One level: price and absolute amount. */
export type WireLevel = readonly [price: WireDecimal, amount: WireDecimal];

/** `GET /v1/orderbook`. */
export interface WireOrderBook {
  readonly bids: readonly WireLevel[];
  readonly asks: readonly WireLevel[];
  readonly sequence: number;
  readonly ticker_id: string;
  readonly timestamp: WireMs;
}

/** An element of `GET /v1/trades` and `/v1/historicalTrades`, and the payload of `<marketId>@trades`. */
export interface WirePublicTrade {
  readonly id: WireInt64;
  readonly price: WireDecimal;
  readonly amount: WireDecimal;
  readonly quoteAmount: WireDecimal;
  readonly time: WireMs;
  readonly isBuyerMaker: boolean;
  readonly status: string;
}

/** An element of `GET /v1/klines`, `/v1/markPriceKlines` and `/v1/offchainMarkPriceWithVolKlines`. */
export interface WireKline {
  readonly time: WireMs;
  readonly open: WireDecimal;
  readonly close: WireDecimal;
  readonly high: WireDecimal;
  readonly low: WireDecimal;
  readonly volume: WireDecimal;
  /** Not in the specification: some servers have it. */
  readonly quote_volume?: WireDecimal;
}

/** `GET /v1/platform/tradeVolume`, which the specification does not list. All in quote. */
export interface WireTradeVolume {
  readonly totalVolume: WireDecimal;
  /** Days of UTC with their start and their volume, oldest first. */
  readonly dailyVolume: readonly { readonly t: WireMs; readonly v: WireDecimal }[];
}

/** An element of `GET /v1/fundingRate`. */
export interface WireFundingRate {
  readonly marketId: string;
  readonly fundingRate: WireDecimal;
  readonly fundingTime: WireMs;
}

/** An element of `contracts` in `GET /v1/contracts`. */
export interface WireContract {
  readonly ticker_id: string;
  readonly base_currency: string;
  readonly quote_currency: string;
  readonly last_price: WireDecimal;
  readonly base_volume: WireDecimal;
  readonly quote_volume: WireDecimal;
  readonly high: WireDecimal;
  readonly low: WireDecimal;
  readonly product_type: string;
  readonly open_interest: WireDecimal;
  readonly index_price: WireDecimal;
  readonly index_name: string;
  readonly index_currency: string;
  readonly start_timestamp: string;
  readonly end_timestamp: string;
  readonly funding_rate: WireDecimal;
  readonly next_funding_rate: WireDecimal;
  readonly next_funding_rate_timestamp: string;
}
