import { z } from "zod";
import {
  account as accountAnswer,
  balances,
  incomes,
  positions,
  riskyAccounts,
  userTrades,
} from "./account.js";
import { exchangeInfo } from "./market.js";
import {
  contracts,
  fundingRates,
  klines,
  orderBook,
  publicTrades,
  time,
  tradeVolume,
} from "./market-data.js";
import { builtOrder, order, orders } from "./order.js";
import {
  account,
  anyMarketId,
  anyOrderId,
  bars,
  bookLimit,
  endTime,
  fromIdAlone,
  incomeType,
  limit,
  marketId,
  type OperationParameter,
  orderId,
  orderTerms,
  signedOrder,
  startTime,
  tradesFromId,
} from "./parameters.js";

/** One row of the table. */
interface OperationRow {
  readonly method: "GET" | "POST" | "DELETE";
  /** With the version prefix. */
  readonly path: string;
  /** Needs `account`, `timestamp` and `signature`, which are not in `parameters`. */
  readonly isPrivate: boolean;
  readonly parameters: readonly OperationParameter[];
  readonly summary: string;
  /** The chapter of the OpenAPI document. */
  readonly group: "market data" | "account" | "orders";
  /** The rate limit that the exchange counts it against. */
  readonly bucket: "COMMON" | "ORDER";
  /** Parses the body of the response. */
  readonly answer: z.ZodType;
}

/** A cancel's response with a body does not come from the exchange. */
const empty = z.null("expected HTTP 204 without a body");

type Parameters = readonly OperationParameter[];
interface Described<Own extends Parameters, Answer extends z.ZodType> extends OperationRow {
  readonly parameters: Own;
  readonly answer: Answer;
}

function row(
  isPrivate: boolean,
  group: OperationRow["group"],
  bucket: OperationRow["bucket"] = "COMMON",
) {
  return <const Own extends Parameters, Answer extends z.ZodType>(
    method: OperationRow["method"],
    path: string,
    parameters: Own,
    answer: Answer,
    summary: string,
  ): Described<Own, Answer> => ({
    method,
    path,
    isPrivate,
    parameters,
    summary,
    group,
    bucket,
    answer,
  });
}

const publicRead = row(false, "market data");
const accountCall = row(true, "account");
const orderRead = row(true, "orders");
const orderCall = row(true, "orders", "ORDER");

const TABLE = {
  time: publicRead("GET", "/v1/time", [], time, "the exchange's clock"),
  exchangeInfo: publicRead(
    "GET",
    "/v1/exchangeInfo",
    [],
    exchangeInfo,
    "trading rules, markets, rate limits, EIP-712 domain",
  ),
  orderbook: publicRead(
    "GET",
    "/v1/orderbook",
    [marketId, bookLimit],
    orderBook,
    "a market's order book and its sequence",
  ),
  trades: publicRead(
    "GET",
    "/v1/trades",
    [marketId, limit],
    publicTrades,
    "recent trades of a market",
  ),
  historicalTrades: publicRead(
    "GET",
    "/v1/historicalTrades",
    [marketId, limit, tradesFromId],
    publicTrades,
    "older trades of a market",
  ),
  klines: publicRead("GET", "/v1/klines", bars, klines, "candles of a market"),
  markPriceKlines: publicRead(
    "GET",
    "/v1/markPriceKlines",
    bars,
    klines,
    "candles of a market's mark price",
  ),
  offchainMarkPriceWithVolKlines: publicRead(
    "GET",
    "/v1/offchainMarkPriceWithVolKlines",
    bars,
    klines,
    "candles of a market's off-chain mark with what was traded; not in the specification",
  ),
  tradeVolume: publicRead(
    "GET",
    "/v1/platform/tradeVolume",
    [anyMarketId],
    tradeVolume,
    "quote traded in all and each day; not in the specification",
  ),
  fundingRate: publicRead(
    "GET",
    "/v1/fundingRate",
    [marketId, startTime, endTime, limit],
    fundingRates,
    "past funding rates",
  ),
  riskyAccounts: publicRead(
    "GET",
    "/v1/riskyAccounts",
    [],
    riskyAccounts,
    "accounts near liquidation (may be stale: confirm on chain)",
  ),
  contracts: publicRead("GET", "/v1/contracts", [], contracts, "a summary of all contracts"),
  registerAccount: accountCall(
    "POST",
    "/v1/account",
    [account],
    accountAnswer,
    "registers an account, signed by itself",
  ),
  account: accountCall("GET", "/v1/account", [account], accountAnswer, "an account's registration"),
  buildOrder: orderCall(
    "POST",
    "/v1/order/build",
    orderTerms,
    builtOrder,
    "has the exchange build an order to sign",
  ),
  placeOrder: orderCall("POST", "/v1/order", signedOrder, order, "places a signed order"),
  cancelOrder: orderCall("DELETE", "/v1/order", [marketId, orderId], empty, "cancels one order"),
  cancelAllOpenOrders: orderCall(
    "DELETE",
    "/v1/allOpenOrders",
    [anyMarketId],
    empty,
    "cancels every open order of the account, in one market or in all",
  ),
  historyOrders: orderRead(
    "GET",
    "/v1/historyOrders",
    [marketId, startTime, endTime, limit],
    orders,
    "orders whose status is final",
  ),
  order: orderRead(
    "GET",
    "/v1/order",
    [marketId, orderId],
    order,
    "one order whose status is final",
  ),
  openOrder: orderRead(
    "GET",
    "/v1/openOrder",
    [anyMarketId, anyOrderId],
    order,
    "one active order",
  ),
  openOrders: orderRead("GET", "/v1/openOrders", [anyMarketId], orders, "active orders"),
  userTrades: accountCall(
    "GET",
    "/v1/userTrades",
    [marketId, startTime, endTime, limit, fromIdAlone],
    userTrades,
    "the account's trades",
  ),
  incomes: accountCall(
    "GET",
    "/v1/incomes",
    [marketId, incomeType, startTime, endTime, limit],
    incomes,
    "fees, funding, deposits and what else changed the account's credit",
  ),
  balances: accountCall(
    "GET",
    "/v1/balances",
    [],
    balances,
    "the account's balances and positions",
  ),
  positions: accountCall("GET", "/v1/positions", [], positions, "the account's positions"),
};

/** The names of all operations. */
export type OperationName = keyof typeof TABLE;

/**
 * The type of {@link OPERATIONS} to the parameter: a client's parameters and answers come from it.
 */
export type OperationTable = typeof TABLE;

/** The responses of the operations. A cancel has none: HTTP 204 without a body. */
export type OperationResponses = {
  [Name in OperationName]: z.output<OperationTable[Name]["answer"]>;
};

/** One REST operation of the exchange. */
export interface Operation extends OperationRow {
  /** Name for `call`, and of the client's method. */
  readonly name: OperationName;
}

/** One operation with the type of its response. */
export interface OperationOf<Name extends OperationName> extends Operation {
  readonly answer: z.ZodType<OperationResponses[Name]>;
}

/**
 * All operations of the specification, 10 public and 14 private, and 2 that it omits, by name: the
 * one source for clients, commands, the embedded exchange's router and its document.
 */
export const OPERATIONS = Object.fromEntries(
  Object.entries(TABLE).map(([name, row]) => [name, { name, ...row }]),
) as unknown as { readonly [Name in OperationName]: OperationOf<Name> };
