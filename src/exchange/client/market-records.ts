import type { Hex, Int64Id, MarketId, Ms } from "../../core/units.js";
import type { Decimal } from "./decimal.js";

/**
 * The exchange's public records as the client gives them (specification, "Resources and their fields"), under the specification's own
 * field names. Decimal strings are exact {@link Decimal}s, ids are {@link Int64Id} texts, instants whole milliseconds, addresses and
 * hashes lower case. A field that the specification does not name is in `extra`, as it came.
 */

/** What a record held beyond the specification. */
export interface WithExtra {
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A word of a set that the specification does not give whole: the known ones are named, any other comes through as it is. */
export type OpenWord<Known extends string> = Known | (string & {});

/** `GET /v1/time`. */
export interface ServerTime extends WithExtra {
  readonly serverTime: Ms;
}

/** An asset of the exchange. */
export interface Asset extends WithExtra {
  readonly fullName: string;
  readonly name: string;
}

/** `dealerInfo`: units of money, and figures of the whole exchange. */
export interface DealerInfo extends WithExtra {
  /** Decimals of the quote credit's smallest unit. */
  readonly creditDecimals: number;
  /** Decimals of the base amount's smallest unit. */
  readonly paperDecimals: number;
  readonly insuranceAmount: Decimal;
  readonly totalTraders: number;
  readonly totalVolume: Decimal;
}

/** `eip712`: the domain that orders are signed for. */
export interface Eip712 extends WithExtra {
  readonly EIP712_DOMAIN_SEPARATOR: Hex;
  readonly EIP712_DOMAIN_TYPEHASH: Hex;
  readonly EIP712_ORDER_TYPE: Hex;
  readonly chainId: number;
  readonly domainName: string;
  readonly domainVersion: string;
  readonly verifyingContract: Hex;
}

/** `gasFeeInfo`: what a small order's settlement costs. */
export interface GasFeeInfo extends WithExtra {
  readonly gasLimit: Decimal;
  readonly gasPrice: Decimal;
  readonly lastEthIndexPrice: Decimal;
  /** An order below it needs a `gasFeeQuotation`. The specification does not name its unit: quote by default. */
  readonly waiveGasFeeMinimumAmount: Decimal;
}

/** A rate limit; the specification names COMMON and ORDER. */
export interface RateLimit extends WithExtra {
  readonly name: OpenWord<"COMMON" | "ORDER">;
  readonly intervalSeconds: number;
  readonly limit: number;
}

/** PRICE_FILTER. */
export interface PriceFilter extends WithExtra {
  readonly filterType: "PRICE_FILTER";
  readonly maxPrice: Decimal;
  readonly minPrice: Decimal;
  readonly tickSize: Decimal;
}

/** AMOUNT_FILTER (LIMIT orders) or MARKET_AMOUNT_FILTER (MARKET orders). */
export interface AmountFilter extends WithExtra {
  readonly filterType: "AMOUNT_FILTER" | "MARKET_AMOUNT_FILTER";
  readonly maxAmount: Decimal;
  readonly minAmount: Decimal;
  readonly stepSize: Decimal;
}

/** MAX_OPEN_ORDERS_FILTER. */
export interface MaxOpenOrdersFilter extends WithExtra {
  readonly filterType: "MAX_OPEN_ORDERS_FILTER";
  readonly limit: number;
}

/** A filter of a type that the specification does not name, its fields in `extra`. */
export interface UnknownFilter extends WithExtra {
  readonly filterType: "UNKNOWN";
  /** As the exchange spells it. */
  readonly type: string;
}

/** A filter of a market, told apart by `filterType`. */
export type Filter = PriceFilter | AmountFilter | MaxOpenOrdersFilter | UnknownFilter;

/** Where a price comes from, for people. */
export interface PriceSource extends WithExtra {
  readonly text: string;
  readonly url: string;
}

/** A market of `exchangeInfo`. */
export interface Market extends WithExtra {
  readonly id: MarketId;
  readonly pair: string;
  readonly symbol: string;
  readonly baseAssetName: string;
  readonly quoteAssetName: string;
  readonly desc: string;
  readonly OrderType: readonly OpenWord<"LIMIT" | "MARKET">[];
  readonly timeInForce: readonly OpenWord<"GTC" | "IOC" | "FOK" | "POST_ONLY" | "GTT">[];
  readonly filters: readonly Filter[];
  readonly fundingIntervalSeconds: number;
  readonly indexPriceSource: PriceSource;
  readonly markPriceSource: PriceSource;
  /** null when not set. */
  readonly liquidatedAt: Ms | null;
  readonly suspendedAt: Ms | null;
  readonly liquidationLeverage: Decimal;
  /** Fractions; a negative maker fee is a rebate. */
  readonly makerFee: Decimal;
  readonly takerFee: Decimal;
  readonly maxExposure: Decimal;
  readonly maxLeverage: number;
  readonly perpetualContractAddress: Hex;
  readonly stage: OpenWord<"TRADING">;
  readonly status: OpenWord<"TRADING">;
}

/** `GET /v1/exchangeInfo`. */
export interface ExchangeInfo extends WithExtra {
  readonly assets: readonly Asset[];
  readonly dealerInfo: DealerInfo;
  readonly eip712: Eip712;
  readonly gasFeeInfo: GasFeeInfo;
  readonly markets: readonly Market[];
  readonly rateLimits: readonly RateLimit[];
  readonly serverTime: Ms;
  readonly timezone: string;
}

/** One level of a book: price, and amount in base units. */
export type Level = readonly [price: Decimal, amount: Decimal];

/** `GET /v1/orderbook`, best first as the exchange sorts it. */
export interface OrderBook extends WithExtra {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly sequence: number;
  readonly ticker_id: MarketId;
  readonly timestamp: Ms;
}

/** A trade of a market: `GET /v1/trades`, `GET /v1/historicalTrades`, and the trades stream. */
export interface PublicTrade extends WithExtra {
  readonly id: Int64Id;
  readonly price: Decimal;
  /** Base units. */
  readonly amount: Decimal;
  readonly quoteAmount: Decimal;
  readonly time: Ms;
  readonly isBuyerMaker: boolean;
  readonly status: TradeStatus;
}

/** CREATED at the match, SETTLED after the chain. */
export type TradeStatus = OpenWord<"CREATED" | "SETTLED" | "FAILED">;

/** A candle: `GET /v1/klines`, `GET /v1/markPriceKlines`, `GET /v1/offchainMarkPriceWithVolKlines`, and the kline streams. */
export interface Kline extends WithExtra {
  /** Start of the bar. */
  readonly time: Ms;
  readonly open: Decimal;
  readonly close: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly volume: Decimal;
  /** Quote traded; not in the specification, and not on every server. */
  readonly quote_volume?: Decimal | undefined;
}

/** `GET /v1/platform/tradeVolume`, which the specification does not list; all in quote. */
export interface TradeVolume extends WithExtra {
  readonly totalVolume: Decimal;
  /** Each day of UTC: its start, and what was traded. */
  readonly dailyVolume: readonly { readonly t: Ms; readonly v: Decimal }[];
}

/** `GET /v1/fundingRate`. */
export interface FundingRate extends WithExtra {
  readonly marketId: MarketId;
  readonly fundingRate: Decimal;
  readonly fundingTime: Ms;
}

/** An element of `contracts` in `GET /v1/contracts`; the wire has its three instants as texts. */
export interface Contract extends WithExtra {
  readonly ticker_id: MarketId;
  readonly base_currency: string;
  readonly quote_currency: string;
  readonly last_price: Decimal;
  readonly base_volume: Decimal;
  readonly quote_volume: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly product_type: OpenWord<"PERP">;
  readonly open_interest: Decimal;
  readonly index_price: Decimal;
  readonly index_name: string;
  readonly index_currency: string;
  readonly start_timestamp: Ms;
  readonly end_timestamp: Ms;
  readonly funding_rate: Decimal;
  readonly next_funding_rate: Decimal;
  readonly next_funding_rate_timestamp: Ms;
}

/** `GET /v1/contracts`. */
export interface Contracts extends WithExtra {
  readonly contracts: readonly Contract[];
}

/** The payload of `<marketId>@market`; the wire's names that begin with a digit are kept. */
export interface MarketFigures extends WithExtra {
  readonly fundingRate: Decimal;
  readonly nextFundingTime: Ms;
  readonly markPrice: Decimal;
  readonly indexPrice: Decimal;
  readonly lastTradePrice?: Decimal | undefined;
  readonly liquidationPriceOff?: Decimal | undefined;
  readonly liquidationThreshold?: Decimal | undefined;
  readonly openInterest?: Decimal | undefined;
  readonly "24hVolume"?: Decimal | undefined;
  readonly price24HAgo?: Decimal | undefined;
}
