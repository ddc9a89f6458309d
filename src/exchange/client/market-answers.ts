import { z } from "zod";
import { expectedBy } from "../../core/config/refusal.js";
import {
  addressSchema,
  hash32Schema,
  int64IdSchema,
  levelSchema,
  marketIdSchema,
  msSchema,
  sequenceSchema,
} from "../protocol/wire-schemas.js";
import { decimal, instantOrNull, instantText, record, unsigned } from "./answer-fields.js";
import { decimalOf } from "./decimal.js";
import type {
  Contracts,
  ExchangeInfo,
  Filter,
  FundingRate,
  Kline,
  MarketFigures,
  OrderBook,
  PublicTrade,
  ServerTime,
  TradeVolume,
} from "./market-records.js";

/** What reads the public answers: strict in what the specification gives, open for what it does not. */

const count = z.int().nonnegative();
const named = { filterType: z.string() };
const amountBounds = { maxAmount: unsigned, minAmount: unsigned, stepSize: unsigned };

const knownFilters: Readonly<Record<string, z.ZodType<Filter>>> = {
  PRICE_FILTER: record({
    filterType: z.literal("PRICE_FILTER"),
    maxPrice: unsigned,
    minPrice: unsigned,
    tickSize: unsigned,
  }),
  AMOUNT_FILTER: record({ filterType: z.literal("AMOUNT_FILTER"), ...amountBounds }),
  MARKET_AMOUNT_FILTER: record({ filterType: z.literal("MARKET_AMOUNT_FILTER"), ...amountBounds }),
  MAX_OPEN_ORDERS_FILTER: record({ filterType: z.literal("MAX_OPEN_ORDERS_FILTER"), limit: count }),
};

const filter: z.ZodType<Filter> = z.looseObject(named).transform((value, context): Filter => {
  const known = Object.hasOwn(knownFilters, value.filterType)
    ? knownFilters[value.filterType]
    : undefined;
  if (known === undefined) {
    const { filterType: type, ...extra } = value;
    return { filterType: "UNKNOWN", type, extra };
  }
  const read = known.safeParse(value);
  if (read.success) return read.data;
  for (const issue of read.error.issues)
    context.addIssue({ code: "custom", path: issue.path, message: expectedBy(issue) });
  return z.NEVER;
});

const priceSource = record({ text: z.string(), url: z.string() });

const market = record({
  id: marketIdSchema,
  pair: z.string(),
  symbol: z.string(),
  baseAssetName: z.string(),
  quoteAssetName: z.string(),
  desc: z.string(),
  OrderType: z.array(z.string()),
  timeInForce: z.array(z.string()),
  filters: z.array(filter),
  fundingIntervalSeconds: z.int().positive(),
  indexPriceSource: priceSource,
  markPriceSource: priceSource,
  liquidatedAt: instantOrNull,
  suspendedAt: instantOrNull,
  liquidationLeverage: unsigned,
  makerFee: decimal,
  takerFee: decimal,
  maxExposure: unsigned,
  maxLeverage: z.int().positive(),
  perpetualContractAddress: addressSchema,
  stage: z.string(),
  status: z.string(),
});

/** `GET /v1/time`. */
export const timeAnswer: z.ZodType<ServerTime> = record({ serverTime: msSchema });

/** `GET /v1/exchangeInfo`. */
export const exchangeInfoAnswer: z.ZodType<ExchangeInfo> = record({
  assets: z.array(record({ fullName: z.string(), name: z.string() })),
  dealerInfo: record({
    creditDecimals: z.int().min(0).max(36),
    paperDecimals: z.int().min(0).max(36),
    insuranceAmount: decimal,
    totalTraders: count,
    totalVolume: decimal,
  }),
  eip712: record({
    EIP712_DOMAIN_SEPARATOR: hash32Schema,
    EIP712_DOMAIN_TYPEHASH: hash32Schema,
    EIP712_ORDER_TYPE: hash32Schema,
    chainId: count,
    domainName: z.string(),
    domainVersion: z.string(),
    verifyingContract: addressSchema,
  }),
  gasFeeInfo: record({
    gasLimit: unsigned,
    gasPrice: unsigned,
    lastEthIndexPrice: unsigned,
    waiveGasFeeMinimumAmount: unsigned,
  }),
  markets: z.array(market),
  rateLimits: z.array(
    record({ name: z.string(), intervalSeconds: z.number().positive(), limit: count }),
  ),
  serverTime: msSchema,
  timezone: z.string(),
});

const level = levelSchema.transform(([price, amount], context) => {
  try {
    return [decimalOf(price, "price"), decimalOf(amount, "amount")] as const;
  } catch (error) {
    context.addIssue({
      code: "custom",
      message: error instanceof Error ? error.message : "expected a price and an amount",
    });
    return z.NEVER;
  }
});
/** The levels of one side. */
export const levels = z.array(level);

/** `GET /v1/orderbook`. */
export const orderBookAnswer: z.ZodType<OrderBook> = record({
  bids: levels,
  asks: levels,
  sequence: sequenceSchema,
  ticker_id: marketIdSchema,
  timestamp: msSchema,
});

/** A trade of a market, in a list or on a stream. */
export const publicTradeAnswer: z.ZodType<PublicTrade> = record({
  id: int64IdSchema,
  price: unsigned,
  amount: unsigned,
  quoteAmount: unsigned,
  time: msSchema,
  isBuyerMaker: z.boolean(),
  status: z.string(),
});

/** `GET /v1/trades` and `GET /v1/historicalTrades`. */
export const publicTradesAnswer: z.ZodType<readonly PublicTrade[]> = z.array(publicTradeAnswer);

/** `GET /v1/klines`, `GET /v1/markPriceKlines`, `GET /v1/offchainMarkPriceWithVolKlines`, and the kline streams. */
export const klinesAnswer: z.ZodType<readonly Kline[]> = z.array(
  record({
    time: msSchema,
    open: unsigned,
    close: unsigned,
    high: unsigned,
    low: unsigned,
    volume: unsigned,
    quote_volume: unsigned.optional(),
  }),
);

/** `GET /v1/platform/tradeVolume`. */
export const tradeVolumeAnswer: z.ZodType<TradeVolume> = record({
  totalVolume: unsigned,
  dailyVolume: z.array(z.object({ t: msSchema, v: unsigned })),
});

/** `GET /v1/fundingRate`. */
export const fundingRatesAnswer: z.ZodType<readonly FundingRate[]> = z.array(
  record({ marketId: marketIdSchema, fundingRate: decimal, fundingTime: msSchema }),
);

/** `GET /v1/contracts`. */
export const contractsAnswer: z.ZodType<Contracts> = record({
  contracts: z.array(
    record({
      ticker_id: marketIdSchema,
      base_currency: z.string(),
      quote_currency: z.string(),
      last_price: unsigned,
      base_volume: unsigned,
      quote_volume: unsigned,
      high: unsigned,
      low: unsigned,
      product_type: z.string(),
      open_interest: unsigned,
      index_price: unsigned,
      index_name: z.string(),
      index_currency: z.string(),
      start_timestamp: instantText,
      end_timestamp: instantText,
      funding_rate: decimal,
      next_funding_rate: decimal,
      next_funding_rate_timestamp: instantText,
    }),
  ),
});

/** The payload of `<marketId>@market`. */
export const marketFiguresAnswer: z.ZodType<MarketFigures> = record({
  fundingRate: decimal,
  nextFundingTime: msSchema,
  markPrice: unsigned,
  indexPrice: unsigned,
  lastTradePrice: unsigned.optional(),
  liquidationPriceOff: unsigned.optional(),
  liquidationThreshold: unsigned.optional(),
  openInterest: unsigned.optional(),
  "24hVolume": unsigned.optional(),
  price24HAgo: unsigned.optional(),
});
