import { EVERY_INCOME_TYPE } from "../records.js";
import { ORDER_TYPES, TIMES_IN_FORCE } from "./order.js";

/**
 * The spelling of a parameter: `decimal` plain, `integer` a count, `id` 64-bit, `ms` an instant.
 */
export type ParameterType =
  | "string"
  | "decimal"
  | "integer"
  | "id"
  | "ms"
  | "address"
  | "hex"
  | "enum";

/** A parameter of an operation (docs/reference/exchange-interface.md#endpoints). */
export interface OperationParameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly required: boolean;
  /** For an `enum`. */
  readonly values?: readonly string[];
  /** For an `integer`. */
  readonly max?: number;
  /** The longest `string` that the exchange accepts. */
  readonly maxLength?: number;
  /** Accepted spellings of a `hex`; a client writes 0x and lower case. */
  readonly pattern?: string;
  /** The exchange's default. */
  readonly default?: string | number;
  /** A short addition to the type, in a client's errors. */
  readonly note?: string;
  /** The description in the OpenAPI document; default: the note. */
  readonly description?: string;
}

/** Depth limits that `GET /v1/orderbook` accepts. */
export const BOOK_LIMITS = ["10", "20", "50", "100", "500", "1000"] as const;
/** Intervals that the kline endpoints accept. */
export const KLINE_INTERVALS = [
  "1M",
  "5M",
  "15M",
  "30M",
  "1H",
  "2H",
  "4H",
  "6H",
  "1D",
  "1W",
  "1MO",
] as const;
/** The `type` parameter of `GET /v1/incomes`. */
export const INCOME_TYPES = ["ALL", ...EVERY_INCOME_TYPE] as const;
/** The largest page of every paged endpoint. */
export const MAX_PAGE = 500;

function byDefault<const Value extends string | number>(value: Value) {
  return { default: value, note: `default ${value}` } as const;
}

/** Accepted spellings of signatures and hashes. */
export const SPELLINGS = "with 0x or without, in either case";

export const marketId = {
  name: "marketId",
  type: "string",
  required: true,
  maxLength: 64,
  description: "the market; 1112 for one that does not exist",
} as const;
export const anyMarketId = {
  name: "marketId",
  type: "string",
  required: false,
  maxLength: 64,
  note: "all markets when absent",
  description: "the market; all of them when left out",
} as const;
export const bookLimit = {
  name: "limit",
  type: "enum",
  required: false,
  values: BOOK_LIMITS,
  ...byDefault(500),
  description: "levels of each side; anything else is 1111",
} as const;
export const limit = {
  name: "limit",
  type: "integer",
  required: false,
  max: MAX_PAGE,
  ...byDefault(100),
  description: "records; anything else is 1111",
} as const;
export const startTime = {
  name: "startTime",
  type: "ms",
  required: false,
  note: "inclusive",
  description: "inclusive, milliseconds",
} as const;
export const endTime = {
  name: "endTime",
  type: "ms",
  required: false,
  note: "exclusive",
  description: "exclusive, milliseconds",
} as const;
export const tradesFromId = {
  name: "fromId",
  type: "id",
  required: false,
  note: "ascending from this trade",
  description: "ascending from this trade on, which is included",
} as const;
export const fromIdAlone = {
  name: "fromId",
  type: "id",
  required: false,
  note: "not with startTime or endTime",
  description: "ascending from this trade on; with startTime or endTime it is 1111",
} as const;
const interval = {
  name: "interval",
  type: "enum",
  required: true,
  values: KLINE_INTERVALS,
  description: "length of a bar",
} as const;
export const orderId = {
  name: "orderId",
  type: "id",
  required: true,
  description: "2011 for one that does not exist",
} as const;
export const anyOrderId = { ...orderId, required: false } as const;
export const account = {
  name: "account",
  type: "address",
  required: true,
  description: "the account",
} as const;
export const incomeType = {
  name: "type",
  type: "enum",
  required: false,
  values: INCOME_TYPES,
  ...byDefault("ALL"),
  description: "which incomes",
} as const;
export const bars = [marketId, interval, startTime, endTime, limit] as const;
export const orderTerms = [
  marketId,
  {
    name: "side",
    type: "enum",
    required: true,
    values: ["BUY", "SELL"],
    description: "of the order",
  },
  {
    name: "orderType",
    type: "enum",
    required: true,
    values: ORDER_TYPES,
    description: "of the order",
  },
  {
    name: "amount",
    type: "decimal",
    required: true,
    note: "base",
    description: "of the base asset",
  },
  {
    name: "price",
    type: "decimal",
    required: true,
    note: "worst accepted price",
    description: "worst accepted, in the quote asset",
  },
  {
    name: "timeInForce",
    type: "enum",
    required: false,
    values: TIMES_IN_FORCE,
    ...byDefault("GTC"),
    description: "how long it may rest",
  },
  {
    name: "expiration",
    type: "ms",
    required: false,
    note: "GTT only: more than 1 minute, less than 7 days ahead",
    description: "GTT only: more than 1 minute and less than 7 days ahead",
  },
] as const;
export const signedOrder = [
  ...orderTerms,
  {
    name: "orderSignature",
    type: "hex",
    required: true,
    pattern: "^(0[xX])?[0-9a-fA-F]{128}1[bBcC]$",
    note: "over the order hash",
    description: `over the order's EIP-712 hash; ${SPELLINGS}`,
  },
  {
    name: "info",
    type: "hex",
    required: true,
    pattern: "^(0[xX])?[0-9a-fA-F]{64}$",
    note: "32 bytes, as signed",
    description: `fee rates, expiration and nonce, as signed; ${SPELLINGS}`,
  },
  {
    name: "gasFeeQuotation",
    type: "string",
    required: false,
    note: "of the build, for an order below waiveGasFeeMinimumAmount",
    description: "of the build answer; needed below waiveGasFeeMinimumAmount",
  },
] as const;
