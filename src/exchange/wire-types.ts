/**
 * The records of the exchange's JSON, as they stand on the wire (specification, "Resources and their fields").
 * Types only: what a server writes and a client reads, shared by nothing else than their shape.
 */

/** Price, amount, fee or rate as a JSON string: plain, no exponent. */
export type WireDecimal = string;

/** A 64-bit identifier: a JSON integer that may pass 2^53, so that a careful reader holds it as decimal digits in a string. */
export type WireInt64 = number | string;

/** Milliseconds since the epoch. */
export type WireMs = number;

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
  readonly rateLimits: readonly { readonly name: string; readonly intervalSeconds: number; readonly limit: number }[];
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

/** An element of `GET /v1/klines` and `/v1/markPriceKlines`. */
export interface WireKline {
  readonly time: WireMs;
  readonly open: WireDecimal;
  readonly close: WireDecimal;
  readonly high: WireDecimal;
  readonly low: WireDecimal;
  readonly volume: WireDecimal;
}

/** An element of `GET /v1/fundingRate`. */
export interface WireFundingRate {
  readonly marketId: string;
  readonly fundingRate: WireDecimal;
  readonly fundingTime: WireMs;
}

/** A position; on the account stream some servers write `symbol` for `marketId`. */
export interface WirePosition {
  readonly marketId?: string;
  readonly symbol?: string;
  readonly side: string;
  readonly status: string;
  readonly size: WireDecimal;
  readonly maxSize: WireDecimal;
  readonly unrealizedPnl: WireDecimal;
  readonly realizedPnl: WireDecimal;
  readonly entryPrice: WireDecimal;
  readonly exitPrice: WireDecimal;
  readonly closedAt: WireMs | null;
  readonly sumOpen: WireDecimal;
  readonly sumClose: WireDecimal;
  readonly liquidationPrice: WireDecimal;
  readonly lastUpdatedAt?: WireMs;
}

/** An element of `GET /v1/riskyAccounts`. */
export interface WireRiskyAccount {
  readonly account: string;
  readonly isSafe: boolean;
  readonly risk: WireDecimal;
  readonly positions: readonly WirePosition[];
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

/** `POST` and `GET /v1/account`. */
export interface WireAccount {
  readonly address: string;
  readonly createdAt: WireMs;
}

/** The order structure as JSON; `sender` is a leftover that is not hashed. */
export interface WireOrderStruct {
  readonly perp: string;
  readonly signer: string;
  readonly sender: string;
  readonly paperAmount: string;
  readonly creditAmount: string;
  readonly info: string;
}

/** An order of the account. */
export interface WireOrder {
  readonly id: WireInt64;
  readonly account: string;
  readonly marketId: string;
  readonly side: string;
  readonly price: WireDecimal;
  readonly tif: string;
  readonly type: string;
  readonly amount: WireDecimal;
  readonly availableAmount: WireDecimal;
  readonly filledAmount: WireDecimal;
  readonly canceledAmount: WireDecimal;
  readonly pendingAmount: WireDecimal;
  readonly expiredAmount: WireDecimal;
  readonly failedAmount: WireDecimal;
  readonly averagePrice?: WireDecimal;
  readonly json: WireOrderStruct;
  readonly hash: string;
  readonly createdAt: WireMs;
  readonly status: string;
  readonly trades?: null;
  readonly expiration: WireMs;
}

/** `POST /v1/order/build`. */
export interface WireBuildResult {
  readonly order: WireOrderStruct;
  readonly orderHash: string;
  readonly packedOrder: string;
  readonly gasFeeQuotation: string;
}

/** An element of `GET /v1/userTrades`, and `trade` of TRADE_UPDATE. */
export interface WireUserTrade {
  readonly id: WireInt64;
  readonly commission: WireDecimal;
  readonly isMaker: boolean;
  readonly isBuyer: boolean;
  readonly marketId: string;
  readonly price: WireDecimal;
  readonly amount: WireDecimal;
  readonly quoteAmount: WireDecimal;
  readonly time: WireMs;
  readonly status: string;
  readonly timeInForce: string;
  readonly realizedPNL: WireDecimal;
  readonly orderType: string;
}

/** An element of `GET /v1/incomes`. */
export interface WireIncome {
  readonly id: WireInt64;
  readonly type: string;
  readonly amount: WireDecimal;
  readonly time: WireMs;
  readonly marketId: string;
}

/** `balances` of `GET /v1/balances` and of ACCOUNT_UPDATE. */
export interface WireBalances {
  readonly availableCreditAmounts: Readonly<Record<string, { readonly buy: WireDecimal; readonly sell: WireDecimal }>>;
  readonly availableMargin: WireDecimal;
  readonly exposure: WireDecimal;
  readonly frozenMargin: WireDecimal;
  readonly isSafe: boolean;
  readonly leverage: WireDecimal;
  readonly marginRate: WireDecimal;
  readonly netValue: WireDecimal;
  readonly pendingWithdrawPrimaryCreditAmount: WireDecimal;
  readonly pendingWithdrawSecondaryCreditAmount: WireDecimal;
  readonly perpetualBalances: Readonly<
    Record<string, { readonly creditAmount: WireDecimal; readonly paperAmount: WireDecimal; readonly serialNumber: number }>
  >;
  readonly positionMargin: WireDecimal;
  readonly primaryCreditAmount: WireDecimal;
  readonly secondaryCreditAmount: WireDecimal;
}

/** `GET /v1/balances`. */
export interface WireBalancesAnswer {
  readonly balances: WireBalances;
  readonly positions: readonly WirePosition[];
}

/** The body of every refused request. */
export interface WireError {
  readonly code: number;
  readonly codeText: string;
  readonly message: string;
}
