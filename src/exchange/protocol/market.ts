import { z } from "zod";
import { describeIssueExpectation } from "../../core/config/schema-violation.js";
import { ORDER_TYPES, TIMES_IN_FORCE } from "./order.js";
import {
  address,
  anyWord,
  count,
  type DecimalForm,
  EXACT,
  hash32,
  instantOrNull,
  list,
  marketId,
  ms,
  openWord,
  positiveCount,
  record,
  type WithUnknownFields,
  writtenAs,
} from "./values.js";

/** The fields of the filters that the protocol defines, by type. */
export const filterFields = <Value extends z.ZodType>({ unsigned }: DecimalForm<Value>) => {
  /** AMOUNT_FILTER applies to LIMIT orders, MARKET_AMOUNT_FILTER to MARKET orders. */
  const amountFilter = {
    filterType: z.enum(["AMOUNT_FILTER", "MARKET_AMOUNT_FILTER"]),
    maxAmount: unsigned,
    minAmount: unsigned,
    stepSize: unsigned,
  };
  return {
    PRICE_FILTER: {
      filterType: z.literal("PRICE_FILTER"),
      maxPrice: unsigned,
      minPrice: unsigned,
      tickSize: unsigned,
    },
    AMOUNT_FILTER: amountFilter,
    MARKET_AMOUNT_FILTER: amountFilter,
    /** The largest number of open orders of an account in the market. */
    MAX_OPEN_ORDERS_FILTER: { filterType: z.literal("MAX_OPEN_ORDERS_FILTER"), limit: count },
  };
};

const fieldsByType = filterFields(EXACT);
const priceFilter = record(fieldsByType.PRICE_FILTER);
const amountFilter = record(fieldsByType.AMOUNT_FILTER);
const maxOpenOrdersFilter = record(fieldsByType.MAX_OPEN_ORDERS_FILTER);
const knownFilters: Readonly<Record<string, z.ZodType<Filter, WireFilter>>> = {
  PRICE_FILTER: priceFilter,
  AMOUNT_FILTER: amountFilter,
  MARKET_AMOUNT_FILTER: amountFilter,
  MAX_OPEN_ORDERS_FILTER: maxOpenOrdersFilter,
};

/** A filter of a market; an unknown type is kept as such. */
const filter: z.ZodType<Filter, WireFilter> = writtenAs(
  z.looseObject({ filterType: z.string() }).transform((value, context): Filter => {
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
      context.addIssue({
        code: "custom",
        path: issue.path,
        message: describeIssueExpectation(issue),
      });
    return z.NEVER;
  }) as never,
  z.discriminatedUnion("filterType", [
    priceFilter,
    amountFilter,
    maxOpenOrdersFilter,
  ] as unknown as [z.ZodObject<{ filterType: z.ZodString }>]),
);

const priceSource = record({ text: z.string(), url: z.string() });

/** The fields of a market of `exchangeInfo`. */
export const marketFields = <Value extends z.ZodType>({
  decimal,
  unsigned,
}: DecimalForm<Value>) => ({
  id: marketId,
  pair: z.string(),
  symbol: z.string(),
  baseAssetName: z.string(),
  quoteAssetName: z.string(),
  desc: z.string(),
  OrderType: list(openWord(ORDER_TYPES)),
  timeInForce: list(openWord(TIMES_IN_FORCE)),
  filters: list(filter),
  fundingIntervalSeconds: positiveCount,
  /** Source of a price, for display. */
  indexPriceSource: priceSource,
  markPriceSource: priceSource,
  /** null when not set. */
  liquidatedAt: instantOrNull,
  suspendedAt: instantOrNull,
  liquidationLeverage: unsigned,
  /** Fractions; a negative maker fee is a rebate. */
  makerFee: decimal,
  takerFee: decimal,
  maxExposure: unsigned,
  maxLeverage: positiveCount,
  perpetualContractAddress: address,
  stage: anyWord<"TRADING">(),
  status: anyWord<"TRADING">(),
});
/** A market of `exchangeInfo`. */
export const market = record(marketFields(EXACT));

/** A number of decimals. */
const decimals = writtenAs(z.int().min(0).max(36), count);

/** The fields of `exchangeInfo` and of its parts. */
export const exchangeInfoFields = <Value extends z.ZodType>({
  decimal,
  unsigned,
  signedToo,
}: DecimalForm<Value>) => ({
  asset: { fullName: z.string(), name: z.string() },
  /** Units of money, and figures of the whole exchange. */
  dealerInfo: {
    /** Decimals of the quote credit's smallest unit. */
    creditDecimals: decimals,
    /** Decimals of the base amount's smallest unit. */
    paperDecimals: decimals,
    insuranceAmount: decimal,
    totalTraders: count,
    totalVolume: signedToo,
  },
  /** The domain that orders are signed for. */
  eip712: {
    EIP712_DOMAIN_SEPARATOR: hash32,
    EIP712_DOMAIN_TYPEHASH: hash32,
    EIP712_ORDER_TYPE: hash32,
    chainId: count,
    domainName: z.string(),
    domainVersion: z.string(),
    verifyingContract: address,
  },
  /** The cost of a small order's settlement. */
  gasFeeInfo: {
    gasLimit: unsigned,
    gasPrice: unsigned,
    lastEthIndexPrice: unsigned,
    /**
     * An order below it needs a `gasFeeQuotation`. The specification does not give its unit: quote
     * by default.
     */
    waiveGasFeeMinimumAmount: unsigned,
  },
  rateLimit: {
    name: openWord(["COMMON", "ORDER"]),
    intervalSeconds: writtenAs(z.number().positive(), count),
    limit: count,
  },
});

const parts = exchangeInfoFields(EXACT);

/** `GET /v1/exchangeInfo`. */
export const exchangeInfo = record({
  assets: list(record(parts.asset)),
  dealerInfo: record(parts.dealerInfo),
  eip712: record(parts.eip712),
  gasFeeInfo: record(parts.gasFeeInfo),
  markets: list(market),
  rateLimits: list(record(parts.rateLimit)),
  serverTime: ms,
  timezone: z.string(),
});

/** `PRICE_FILTER` as JSON: bounds and step of a price. */
export type WirePriceFilter = z.input<typeof priceFilter>;
/** `AMOUNT_FILTER` and `MARKET_AMOUNT_FILTER` as JSON: bounds and step of an amount. */
export type WireAmountFilter = z.input<typeof amountFilter>;
/** `MAX_OPEN_ORDERS_FILTER` as JSON. */
export type WireMaxOpenOrdersFilter = z.input<typeof maxOpenOrdersFilter>;
/** A filter of a market as JSON, told apart by `filterType`. */
export type WireFilter = WirePriceFilter | WireAmountFilter | WireMaxOpenOrdersFilter;
/** The source of a price as JSON. */
export type WirePriceSource = z.input<typeof priceSource>;
/** A market of `exchangeInfo` as JSON. */
export type WireMarket = z.input<typeof market>;
/** `GET /v1/exchangeInfo` as JSON. */
export type WireExchangeInfo = z.input<typeof exchangeInfo>;
/** The domain that orders are signed for, as JSON. */
export type WireEip712 = WireExchangeInfo["eip712"];

/** PRICE_FILTER. */
export type PriceFilter = z.output<typeof priceFilter>;
/** AMOUNT_FILTER (LIMIT orders) or MARKET_AMOUNT_FILTER (MARKET orders). */
export type AmountFilter = z.output<typeof amountFilter>;
/** MAX_OPEN_ORDERS_FILTER. */
export type MaxOpenOrdersFilter = z.output<typeof maxOpenOrdersFilter>;
/** A filter of a type that the protocol does not name, its fields in `extra`. */
export interface UnknownFilter extends WithUnknownFields {
  readonly filterType: "UNKNOWN";
  /** As the exchange spells it. */
  readonly type: string;
}
/** A filter of a market, told apart by `filterType`. */
export type Filter = PriceFilter | AmountFilter | MaxOpenOrdersFilter | UnknownFilter;
/** The source of a price, for people. */
export type PriceSource = z.output<typeof priceSource>;
/** A market of `exchangeInfo`. */
export type Market = z.output<typeof market>;
/** `GET /v1/exchangeInfo`. */
export type ExchangeInfo = z.output<typeof exchangeInfo>;
/** An asset of the exchange. */
export type Asset = ExchangeInfo["assets"][number];
/** Units of money, and figures of the whole exchange. */
export type DealerInfo = ExchangeInfo["dealerInfo"];
/** The domain that orders are signed for. */
export type Eip712 = ExchangeInfo["eip712"];
/** The cost of a small order's settlement. */
export type GasFeeInfo = ExchangeInfo["gasFeeInfo"];
/** A rate limit; the protocol names COMMON and ORDER. */
export type RateLimit = ExchangeInfo["rateLimits"][number];
