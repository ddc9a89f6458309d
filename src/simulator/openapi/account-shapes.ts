import { z } from "zod";
import type {
  WireAccount,
  WireBalances,
  WireBalancesAnswer,
  WireBuildResult,
  WireIncome,
  WireOrder,
  WireOrderStruct,
  WirePosition,
  WireRiskyAccount,
  WireUserTrade,
} from "../../exchange/protocol/wire-account-types.js";
import { EVERY_INCOME_TYPE } from "../../exchange/records.js";
import {
  address,
  decimal,
  hash32,
  int64,
  marketId,
  ms,
  units,
  unsignedDecimal,
  whole,
} from "./scalar-shapes.js";

/* What the exchange writes of an account, held to the wire types as the shapes of the markets are. */

/** `POST` and `GET /v1/account`. */
export const accountShape = z.strictObject({
  address,
  createdAt: ms,
}) satisfies z.ZodType<WireAccount>;

const positionFields = {
  marketId,
  side: z.enum(["LONG", "SHORT"]),
  status: z.enum(["OPEN", "CLOSED"]),
  size: unsignedDecimal,
  maxSize: unsignedDecimal,
  unrealizedPnl: decimal,
  realizedPnl: decimal,
  entryPrice: unsignedDecimal,
  exitPrice: unsignedDecimal,
  closedAt: ms.nullable(),
  sumOpen: unsignedDecimal,
  sumClose: unsignedDecimal,
  liquidationPrice: unsignedDecimal,
};

/** An element of `GET /v1/positions`. */
export const positionShape = z.strictObject(positionFields) satisfies z.ZodType<WirePosition>;

/** A position in `GET /v1/balances` and `GET /v1/riskyAccounts`. */
export const datedPositionShape = z.strictObject({
  ...positionFields,
  lastUpdatedAt: ms,
}) satisfies z.ZodType<WirePosition>;

/** An account near liquidation. */
export const riskyAccountShape = z.strictObject({
  account: address,
  isSafe: z.boolean().meta({ description: "may be stale: confirm on the chain" }),
  risk: unsignedDecimal,
  positions: z.array(datedPositionShape),
}) satisfies z.ZodType<WireRiskyAccount>;

/** The order structure that is signed; `sender` is not hashed. */
export const orderStructShape = z.strictObject({
  perp: address,
  signer: address,
  sender: address,
  paperAmount: units,
  creditAmount: units,
  info: hash32,
}) satisfies z.ZodType<WireOrderStruct>;

/** An order of the account. */
export const orderShape = z.strictObject({
  id: int64,
  account: address,
  marketId,
  side: z.enum(["BUY", "SELL"]),
  price: unsignedDecimal,
  tif: z.enum(["GTC", "IOC", "FOK", "POST_ONLY", "GTT"]),
  type: z.enum(["LIMIT", "MARKET"]),
  amount: unsignedDecimal,
  availableAmount: unsignedDecimal,
  filledAmount: unsignedDecimal,
  canceledAmount: unsignedDecimal,
  pendingAmount: unsignedDecimal,
  expiredAmount: unsignedDecimal,
  failedAmount: unsignedDecimal,
  averagePrice: unsignedDecimal.optional().meta({ description: "absent before a fill" }),
  json: orderStructShape,
  hash: hash32,
  createdAt: ms,
  status: z.enum(["CREATED", "NEW", "PARTIAL_FILLED", "FILLED", "CANCELED", "EXPIRED", "FAILED"]),
  trades: z.null(),
  expiration: whole.meta({ format: "int64", description: "0 when there is none" }),
}) satisfies z.ZodType<WireOrder>;

/** `POST /v1/order/build`. */
export const buildResultShape = z.strictObject({
  order: orderStructShape,
  orderHash: hash32,
  packedOrder: z.string().regex(/^0x[0-9a-f]+$/),
  gasFeeQuotation: z.string(),
}) satisfies z.ZodType<WireBuildResult>;

/** A trade of the account. */
export const userTradeShape = z.strictObject({
  id: int64,
  commission: decimal.meta({ description: "negative: a rebate" }),
  isMaker: z.boolean(),
  isBuyer: z.boolean(),
  marketId,
  price: unsignedDecimal,
  amount: unsignedDecimal,
  quoteAmount: unsignedDecimal,
  time: ms,
  status: z.string(),
  timeInForce: z.string(),
  realizedPNL: decimal,
  orderType: z.string(),
}) satisfies z.ZodType<WireUserTrade>;

/** A cash flow of the account. */
export const incomeShape = z.strictObject({
  id: int64,
  type: z.enum(EVERY_INCOME_TYPE),
  amount: decimal,
  time: ms,
  marketId: z.string().meta({ description: "empty where it belongs to no market" }),
}) satisfies z.ZodType<WireIncome>;

/** `balances` of `GET /v1/balances`. */
export const balancesShape = z.strictObject({
  availableCreditAmounts: z.record(
    z.string(),
    z.strictObject({ buy: unsignedDecimal, sell: unsignedDecimal }),
  ),
  availableMargin: decimal,
  exposure: unsignedDecimal,
  frozenMargin: unsignedDecimal,
  isSafe: z.boolean(),
  leverage: decimal,
  marginRate: decimal,
  netValue: decimal,
  pendingWithdrawPrimaryCreditAmount: unsignedDecimal,
  pendingWithdrawSecondaryCreditAmount: unsignedDecimal,
  perpetualBalances: z.record(
    z.string(),
    z.strictObject({ creditAmount: decimal, paperAmount: decimal, serialNumber: whole }),
  ),
  positionMargin: unsignedDecimal,
  primaryCreditAmount: decimal,
  secondaryCreditAmount: decimal,
}) satisfies z.ZodType<WireBalances>;

/** `GET /v1/balances`. */
export const balancesAnswerShape = z.strictObject({
  balances: balancesShape,
  positions: z.array(datedPositionShape),
}) satisfies z.ZodType<WireBalancesAnswer>;

/** `POST /faucet`. */
export const faucetShape = z.strictObject({
  account: address,
  amount: unsignedDecimal,
  deposits: decimal,
});

/** `POST /withdraw`. */
export const withdrawalShape = z.strictObject({
  account: address,
  amount: unsignedDecimal,
  executesAt: ms,
});

/** `POST /operator`. */
export const operatorsShape = z.strictObject({ account: address, operators: z.array(address) });
