import { z } from "zod";
import type {
  WireContract,
  WireExchangeInfo,
  WireFundingRate,
  WireKline,
  WireMarket,
  WireOrderBook,
  WirePublicTrade,
  WireTradeVolume,
} from "../../exchange/protocol/wire-market-types.js";
import type { WireError } from "../../exchange/protocol/wire-values.js";
import { CODE_TEXTS } from "../rest/api-codes.js";
import {
  address,
  decimal,
  hash32,
  int64,
  marketId,
  ms,
  unsignedDecimal,
  whole,
} from "./scalar-shapes.js";

/*
 * What the exchange writes of its markets, to the field: each shape is held to the wire type of its name by the compiler, and
 * to the exchange's real answers by the tests that send it thousands of requests.
 */

const priceSource = z.strictObject({ text: z.string(), url: z.string() });

const priceFilter = z.strictObject({
  filterType: z.literal("PRICE_FILTER"),
  maxPrice: unsignedDecimal,
  minPrice: unsignedDecimal,
  tickSize: unsignedDecimal,
});

const amountFilter = z.strictObject({
  filterType: z.enum(["AMOUNT_FILTER", "MARKET_AMOUNT_FILTER"]),
  maxAmount: unsignedDecimal,
  minAmount: unsignedDecimal,
  stepSize: unsignedDecimal,
});

const maxOpenOrdersFilter = z.strictObject({
  filterType: z.literal("MAX_OPEN_ORDERS_FILTER"),
  limit: whole,
});

/** A market of `exchangeInfo`. */
export const marketShape = z.strictObject({
  id: marketId,
  pair: z.string(),
  symbol: z.string(),
  baseAssetName: z.string(),
  quoteAssetName: z.string(),
  desc: z.string(),
  OrderType: z.array(z.enum(["LIMIT", "MARKET"])),
  timeInForce: z.array(z.enum(["GTC", "IOC", "FOK", "POST_ONLY", "GTT"])),
  filters: z.array(
    z.discriminatedUnion("filterType", [priceFilter, amountFilter, maxOpenOrdersFilter]),
  ),
  fundingIntervalSeconds: whole,
  indexPriceSource: priceSource,
  markPriceSource: priceSource,
  liquidatedAt: ms.nullable(),
  suspendedAt: ms.nullable(),
  liquidationLeverage: unsignedDecimal,
  makerFee: decimal,
  takerFee: decimal,
  maxExposure: unsignedDecimal,
  maxLeverage: whole,
  perpetualContractAddress: address,
  stage: z.string(),
  status: z.string(),
}) satisfies z.ZodType<WireMarket>;

/** `GET /v1/exchangeInfo`. */
export const exchangeInfoShape = z.strictObject({
  assets: z.array(z.strictObject({ fullName: z.string(), name: z.string() })),
  dealerInfo: z.strictObject({
    creditDecimals: whole,
    paperDecimals: whole,
    insuranceAmount: decimal,
    totalTraders: whole,
    totalVolume: unsignedDecimal,
  }),
  eip712: z.strictObject({
    EIP712_DOMAIN_SEPARATOR: hash32,
    EIP712_DOMAIN_TYPEHASH: hash32,
    EIP712_ORDER_TYPE: hash32,
    chainId: whole,
    domainName: z.string(),
    domainVersion: z.string(),
    verifyingContract: address,
  }),
  gasFeeInfo: z.strictObject({
    gasLimit: unsignedDecimal,
    gasPrice: unsignedDecimal,
    lastEthIndexPrice: unsignedDecimal,
    waiveGasFeeMinimumAmount: unsignedDecimal,
  }),
  markets: z.array(marketShape),
  rateLimits: z.array(
    z.strictObject({ name: z.enum(["COMMON", "ORDER"]), intervalSeconds: whole, limit: whole }),
  ),
  serverTime: ms,
  timezone: z.string(),
}) satisfies z.ZodType<WireExchangeInfo>;

/** `GET /v1/time`. */
export const timeShape = z.strictObject({ serverTime: ms });

const level = z.tuple([unsignedDecimal, unsignedDecimal]);

/** `GET /v1/orderbook`. */
export const orderBookShape = z.strictObject({
  bids: z.array(level).meta({ description: "price and amount, best first" }),
  asks: z.array(level).meta({ description: "price and amount, best first" }),
  sequence: whole,
  ticker_id: z.string(),
  timestamp: ms,
}) satisfies z.ZodType<WireOrderBook>;

/** A trade as everybody sees it. */
export const publicTradeShape = z.strictObject({
  id: int64,
  price: unsignedDecimal,
  amount: unsignedDecimal,
  quoteAmount: unsignedDecimal,
  time: ms,
  isBuyerMaker: z.boolean(),
  status: z.string(),
}) satisfies z.ZodType<WirePublicTrade>;

/** A candle; `time` is the start of its bar. */
export const klineShape = z.strictObject({
  time: ms,
  open: unsignedDecimal,
  close: unsignedDecimal,
  high: unsignedDecimal,
  low: unsignedDecimal,
  volume: unsignedDecimal,
  quote_volume: unsignedDecimal
    .optional()
    .meta({ description: "not in the specification; left out by choice" }),
}) satisfies z.ZodType<WireKline>;

/** `GET /v1/platform/tradeVolume`. */
export const tradeVolumeShape = z.strictObject({
  totalVolume: unsignedDecimal,
  dailyVolume: z
    .array(z.strictObject({ t: ms, v: unsignedDecimal }))
    .meta({ description: "start and quote volume of each day of UTC, oldest first" }),
}) satisfies z.ZodType<WireTradeVolume>;

/** One past funding. */
export const fundingRateShape = z.strictObject({
  marketId,
  fundingRate: decimal,
  fundingTime: ms,
}) satisfies z.ZodType<WireFundingRate>;

const timestampText = z
  .string()
  .regex(/^\d+$/)
  .meta({ description: "milliseconds since the epoch, as text" });

/** A market's summary. */
export const contractShape = z.strictObject({
  ticker_id: z.string(),
  base_currency: z.string(),
  quote_currency: z.string(),
  last_price: unsignedDecimal,
  base_volume: unsignedDecimal,
  quote_volume: unsignedDecimal,
  high: unsignedDecimal,
  low: unsignedDecimal,
  product_type: z.string(),
  open_interest: unsignedDecimal,
  index_price: unsignedDecimal,
  index_name: z.string(),
  index_currency: z.string(),
  start_timestamp: timestampText,
  end_timestamp: timestampText,
  funding_rate: decimal,
  next_funding_rate: decimal,
  next_funding_rate_timestamp: timestampText,
}) satisfies z.ZodType<WireContract>;

/** `GET /v1/contracts`. */
export const contractsShape = z.strictObject({
  contracts: z.array(contractShape),
  dealerLens: z.string().optional().meta({
    description:
      "The contract that reads many accounts of the chain in one call, where there is a chain.",
  }),
});

/** The body of every refusal. */
export const errorShape = z.strictObject({
  code: whole.meta({
    description: Object.entries(CODE_TEXTS)
      .map(([code, text]) => `${code} ${text}`)
      .join("; "),
  }),
  codeText: z.string(),
  message: z.string(),
}) satisfies z.ZodType<WireError>;
