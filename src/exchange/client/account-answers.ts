import { z } from "zod";
import { expirationMs } from "../protocol/decode-orders.js";
import {
  addressSchema,
  hash32Schema,
  hexSchema,
  int64IdSchema,
  marketIdSchema,
  msSchema,
  smallestUnitsSchema,
  unsignedDecimalSchema,
} from "../protocol/wire-schemas.js";
import type {
  Account,
  AccountBalances,
  Balances,
  BuiltOrder,
  Income,
  Order,
  Position,
  RiskyAccount,
  UserTrade,
} from "./account-records.js";
import { decimal, instantOrNull, record, unsigned } from "./answer-fields.js";
import { type Decimal, decimalOf } from "./decimal.js";

/** What reads the account's answers, and the events of its stream. */

/** `POST` and `GET /v1/account`. */
export const accountAnswer: z.ZodType<Account> = record({
  address: addressSchema,
  createdAt: msSchema,
});

const orderJson = record({
  perp: addressSchema,
  signer: addressSchema,
  sender: addressSchema.optional(),
  paperAmount: smallestUnitsSchema,
  creditAmount: smallestUnitsSchema,
  info: hash32Schema,
});

/** Absent before a fill; some servers write an empty text or null instead. */
const averagePrice = z
  .union([unsignedDecimalSchema, z.literal("")])
  .nullish()
  .transform((text): Decimal | undefined => (text ? decimalOf(text) : undefined));

/** An order, in an answer or on the account stream. */
export const orderAnswer: z.ZodType<Order> = record({
  id: int64IdSchema,
  account: addressSchema,
  marketId: marketIdSchema,
  side: z.enum(["BUY", "SELL"]),
  price: unsigned,
  tif: z.string(),
  type: z.string(),
  amount: unsigned,
  availableAmount: unsigned,
  filledAmount: unsigned,
  canceledAmount: unsigned,
  pendingAmount: unsigned,
  expiredAmount: unsigned,
  failedAmount: unsigned,
  averagePrice,
  json: orderJson,
  hash: hash32Schema,
  createdAt: msSchema,
  status: z.string(),
  trades: z.null().optional(),
  expiration: z
    .int()
    .nonnegative()
    .nullish()
    .transform((expiration) => expirationMs(expiration ?? 0)),
});

/** Lists of orders. */
export const ordersAnswer: z.ZodType<readonly Order[]> = z.array(orderAnswer);

/** `POST /v1/order/build`. */
export const builtOrderAnswer: z.ZodType<BuiltOrder> = record({
  order: orderJson,
  orderHash: hash32Schema,
  packedOrder: hexSchema.optional(),
  gasFeeQuotation: z.string(),
});

/** A trade of the account, in a list or on its stream. */
export const userTradeAnswer: z.ZodType<UserTrade> = record({
  id: int64IdSchema,
  commission: decimal,
  isMaker: z.boolean(),
  isBuyer: z.boolean(),
  marketId: marketIdSchema,
  price: unsigned,
  amount: unsigned,
  quoteAmount: unsigned,
  time: msSchema,
  status: z.string(),
  timeInForce: z.string(),
  realizedPNL: decimal,
  orderType: z.string(),
});

/** `GET /v1/userTrades`. */
export const userTradesAnswer: z.ZodType<readonly UserTrade[]> = z.array(userTradeAnswer);

/** `GET /v1/incomes`, and the incomes of INCOME_UPDATE. */
export const incomesAnswer: z.ZodType<readonly Income[]> = z.array(
  record({
    id: int64IdSchema,
    type: z.string(),
    amount: decimal,
    time: msSchema,
    marketId: z
      .string()
      .nullish()
      .transform((marketId) => marketId ?? ""),
  }),
);

const positionFields = {
  side: z.string(),
  status: z.string(),
  size: unsigned,
  maxSize: unsigned,
  unrealizedPnl: decimal,
  realizedPnl: decimal,
  entryPrice: decimal,
  exitPrice: decimal,
  closedAt: instantOrNull,
  sumOpen: unsigned,
  sumClose: unsigned,
  liquidationPrice: decimal,
  lastUpdatedAt: msSchema.optional(),
};

/** A position; on some servers' streams its market is named by `symbol`. */
const position: z.ZodType<Position> = z.preprocess(
  (value) => {
    if (typeof value !== "object" || value === null || "marketId" in value || !("symbol" in value))
      return value;
    const { symbol, ...rest } = value;
    return { marketId: symbol, ...rest };
  },
  record({ marketId: marketIdSchema, ...positionFields }),
);

/** `GET /v1/positions`. */
export const positionsAnswer: z.ZodType<readonly Position[]> = z.array(position);

const accountBalances: z.ZodType<AccountBalances> = record({
  availableCreditAmounts: z.record(z.string(), z.object({ buy: decimal, sell: decimal })),
  availableMargin: decimal,
  exposure: decimal,
  frozenMargin: decimal,
  isSafe: z.boolean(),
  leverage: decimal,
  marginRate: decimal,
  netValue: decimal,
  pendingWithdrawPrimaryCreditAmount: decimal,
  pendingWithdrawSecondaryCreditAmount: decimal,
  perpetualBalances: z.record(
    z.string(),
    z.object({ creditAmount: decimal, paperAmount: decimal, serialNumber: z.int() }),
  ),
  positionMargin: decimal,
  primaryCreditAmount: decimal,
  secondaryCreditAmount: decimal,
});

/** `GET /v1/balances`, and the body of ACCOUNT_UPDATE. */
export const balancesAnswer: z.ZodType<Balances> = record({
  balances: accountBalances,
  positions: positionsAnswer,
});

/** `GET /v1/riskyAccounts`. */
export const riskyAccountsAnswer: z.ZodType<readonly RiskyAccount[]> = z.array(
  record({
    account: addressSchema,
    isSafe: z.boolean(),
    risk: decimal,
    positions: positionsAnswer,
  }),
);
