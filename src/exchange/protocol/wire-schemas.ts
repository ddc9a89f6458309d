import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import { int64Id } from "../../core/int64-json.js";

/**
 * Validators of the exchange's JSON (specification, "Resources and their fields"). They are strict in what the client uses
 * and tolerant in the rest: unknown fields are kept, unknown values of statuses, types and names pass.
 */

const PLAIN_DECIMAL = /^-?\d{1,60}(?:\.\d{1,60})?$/;

/** A plain decimal string. */
export const decimalSchema = z.string().regex(PLAIN_DECIMAL, "expected a plain decimal string");
/** An unsigned plain decimal string. */
export const unsignedDecimalSchema = z
  .string()
  .regex(/^\d{1,60}(?:\.\d{1,60})?$/, "expected an unsigned plain decimal string");
/** The last instant that a date can be of (ECMA-262, "Time Values and Time Range"). */
const LAST_MS = 8.64e15;
/** Whole milliseconds of an instant that can be written as a date. */
export const msSchema = z.int().nonnegative().max(LAST_MS);
/** A book sequence: an integer below 2^53. */
export const sequenceSchema = z.int().nonnegative();
/** Hex of any case, as lower case. */
export const hexSchema = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, "expected 0x and hex digits")
  .toLowerCase();
/** 32 bytes of hex, as lower case. */
export const hash32Schema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "expected 32 bytes of hex")
  .toLowerCase();
/** An address of any case, as lower case. */
export const addressSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "expected an address")
  .toLowerCase();
/** A market id. */
export const marketIdSchema = z.string().min(1).max(64);

/** An id as number or string, to its canonical decimal string. A number past 2^53 has lost digits and is refused. */
export const int64IdSchema = z.union([z.string(), z.int()]).transform((id, context) => {
  try {
    return int64Id(id);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    context.addIssue({ code: "custom", message: error.expected ?? error.message });
    return z.NEVER;
  }
});

/** A signed integer string in smallest units. */
export const smallestUnitsSchema = z
  .string()
  .regex(/^-?\d{1,60}$/, "expected an integer string")
  .transform((text) => BigInt(text));

/** `GET /v1/time`. */
export const timeSchema = z.looseObject({ serverTime: msSchema });

const priceFilterSchema = z.looseObject({
  filterType: z.literal("PRICE_FILTER"),
  maxPrice: unsignedDecimalSchema,
  minPrice: unsignedDecimalSchema,
  tickSize: unsignedDecimalSchema,
});
const amountFilterFields = {
  maxAmount: unsignedDecimalSchema,
  minAmount: unsignedDecimalSchema,
  stepSize: unsignedDecimalSchema,
};

/** The filters that the client knows, by type. Others are skipped by the decoder. */
export const filterSchemas = {
  PRICE_FILTER: priceFilterSchema,
  AMOUNT_FILTER: z.looseObject({ filterType: z.literal("AMOUNT_FILTER"), ...amountFilterFields }),
  MARKET_AMOUNT_FILTER: z.looseObject({
    filterType: z.literal("MARKET_AMOUNT_FILTER"),
    ...amountFilterFields,
  }),
  MAX_OPEN_ORDERS_FILTER: z.looseObject({
    filterType: z.literal("MAX_OPEN_ORDERS_FILTER"),
    limit: z.int().nonnegative(),
  }),
} as const;

/** One market of `exchangeInfo`. */
export const marketSchema = z.looseObject({
  id: marketIdSchema,
  filters: z.array(z.looseObject({ filterType: z.string() })),
  fundingIntervalSeconds: z.int().positive(),
  liquidationLeverage: unsignedDecimalSchema,
  makerFee: decimalSchema,
  takerFee: decimalSchema,
  maxExposure: unsignedDecimalSchema.optional(),
  maxLeverage: z.int().positive(),
  perpetualContractAddress: addressSchema,
  stage: z.string(),
  status: z.string(),
});

/** `GET /v1/exchangeInfo`; each market is validated on its own, since one that the bot does not trade may be odd. */
export const exchangeInfoSchema = z.looseObject({
  dealerInfo: z.looseObject({
    creditDecimals: z.int().min(0).max(36),
    paperDecimals: z.int().min(0).max(36),
  }),
  eip712: z.looseObject({
    EIP712_DOMAIN_SEPARATOR: hash32Schema,
    EIP712_DOMAIN_TYPEHASH: hash32Schema,
    EIP712_ORDER_TYPE: hash32Schema,
    chainId: z.int().nonnegative(),
    domainName: z.string(),
    domainVersion: z.string(),
    verifyingContract: addressSchema,
  }),
  gasFeeInfo: z.looseObject({
    waiveGasFeeMinimumAmount: unsignedDecimalSchema,
    gasLimit: unsignedDecimalSchema.optional(),
    gasPrice: unsignedDecimalSchema.optional(),
    lastEthIndexPrice: unsignedDecimalSchema.optional(),
  }),
  markets: z.array(z.looseObject({ id: marketIdSchema })),
  rateLimits: z.array(
    z.looseObject({
      name: z.string(),
      intervalSeconds: z.number().positive(),
      limit: z.int().nonnegative(),
    }),
  ),
  serverTime: msSchema,
});

/** One level of a book as it stands; the integer decoder checks the numbers. */
export const levelSchema = z.tuple([z.string(), z.string()]).rest(z.unknown());

/** `GET /v1/orderbook`. */
export const orderBookSchema = z.looseObject({
  bids: z.array(levelSchema),
  asks: z.array(levelSchema),
  sequence: sequenceSchema,
});

/** An element of `GET /v1/trades`, and the payload of the trades stream. */
export const publicTradeSchema = z.looseObject({
  id: int64IdSchema,
  price: unsignedDecimalSchema,
  amount: unsignedDecimalSchema,
  time: msSchema,
  isBuyerMaker: z.boolean(),
});

/** The payload of `<marketId>@market`. */
export const marketStateSchema = z.looseObject({
  fundingRate: decimalSchema,
  nextFundingTime: msSchema,
  markPrice: unsignedDecimalSchema,
  indexPrice: unsignedDecimalSchema,
});

/** The order structure, in an order and in a build result. */
const orderStructSchema = z.object({
  perp: addressSchema,
  signer: addressSchema,
  paperAmount: smallestUnitsSchema,
  creditAmount: smallestUnitsSchema,
  info: hash32Schema,
});

/** An order of the account. */
export const orderSchema = z.object({
  id: int64IdSchema,
  marketId: marketIdSchema,
  side: z.enum(["BUY", "SELL"]),
  price: unsignedDecimalSchema,
  tif: z.string(),
  type: z.string(),
  amount: unsignedDecimalSchema,
  availableAmount: unsignedDecimalSchema,
  filledAmount: unsignedDecimalSchema,
  canceledAmount: unsignedDecimalSchema,
  pendingAmount: unsignedDecimalSchema,
  expiredAmount: unsignedDecimalSchema,
  failedAmount: unsignedDecimalSchema,
  averagePrice: z.union([unsignedDecimalSchema, z.literal("")]).nullish(),
  json: z.object({ info: hash32Schema }),
  hash: hash32Schema,
  createdAt: msSchema,
  status: z.string(),
  expiration: z.int().nonnegative().nullish(),
});

/** `POST /v1/order/build`. */
export const buildResultSchema = z.object({
  order: orderStructSchema,
  orderHash: hash32Schema,
  packedOrder: hexSchema.nullish(),
  gasFeeQuotation: z.string(),
});

/** A trade of the account. */
export const userTradeSchema = z.object({
  id: int64IdSchema,
  commission: decimalSchema,
  isMaker: z.boolean(),
  isBuyer: z.boolean(),
  marketId: marketIdSchema,
  price: unsignedDecimalSchema,
  amount: unsignedDecimalSchema,
  quoteAmount: unsignedDecimalSchema,
  time: msSchema,
  status: z.string(),
});

/** An income of the account. */
export const incomeSchema = z.object({
  id: int64IdSchema,
  type: z.string(),
  amount: decimalSchema,
  time: msSchema,
  marketId: z.string().nullish(),
});

/** The account's balances. */
export const balancesSchema = z.object({
  availableCreditAmounts: z.record(
    z.string(),
    z.object({ buy: decimalSchema, sell: decimalSchema }),
  ),
  availableMargin: decimalSchema,
  exposure: decimalSchema,
  frozenMargin: decimalSchema,
  positionMargin: decimalSchema,
  netValue: decimalSchema,
  primaryCreditAmount: decimalSchema,
  secondaryCreditAmount: decimalSchema,
  isSafe: z.boolean(),
  leverage: decimalSchema,
  marginRate: decimalSchema,
});

/** A position; the market is named by `marketId`, or on some servers' streams by `symbol`. */
export const positionSchema = z.object({
  marketId: marketIdSchema.optional(),
  symbol: marketIdSchema.optional(),
  side: z.string(),
  status: z.string(),
  size: unsignedDecimalSchema,
  unrealizedPnl: decimalSchema,
  realizedPnl: decimalSchema,
  entryPrice: decimalSchema,
  liquidationPrice: decimalSchema,
});

/** `GET /v1/balances`, and the body of ACCOUNT_UPDATE. Positions are validated one by one. */
export const balancesAnswerSchema = z.object({
  balances: balancesSchema,
  positions: z.array(z.unknown()),
});

/** `POST` and `GET /v1/account`. */
export const accountSchema = z.looseObject({ address: addressSchema, createdAt: msSchema });

/** The body of a refused request. */
export const errorSchema = z.looseObject({
  code: z.int(),
  codeText: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
  message: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
});
