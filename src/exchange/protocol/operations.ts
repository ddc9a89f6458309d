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

/** One REST operation of the exchange. */
export interface Operation {
  /** The word that `call` takes, and that a client's method is named after. */
  readonly name: OperationName;
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
  /** Reads the body of the answer; null where a success has none (HTTP 204). */
  readonly answer: z.ZodType;
}

/** The names of all operations. */
export type OperationName =
  | "time"
  | "exchangeInfo"
  | "orderbook"
  | "trades"
  | "historicalTrades"
  | "klines"
  | "markPriceKlines"
  | "offchainMarkPriceWithVolKlines"
  | "tradeVolume"
  | "fundingRate"
  | "riskyAccounts"
  | "contracts"
  | "registerAccount"
  | "account"
  | "buildOrder"
  | "placeOrder"
  | "cancelOrder"
  | "cancelAllOpenOrders"
  | "historyOrders"
  | "order"
  | "openOrder"
  | "openOrders"
  | "userTrades"
  | "incomes"
  | "balances"
  | "positions";

/** Whoever answers a cancel with a body is not the exchange. */
const empty = z.null("expected HTTP 204 without a body");

type Parameters = readonly OperationParameter[];
interface Described<Own extends Parameters, Answer extends z.ZodType> extends Operation {
  readonly parameters: Own;
  readonly answer: Answer;
}

function publicRead<const Own extends Parameters, Answer extends z.ZodType>(
  name: OperationName,
  path: string,
  parameters: Own,
  answer: Answer,
  summary: string,
): Described<Own, Answer> {
  return {
    name,
    method: "GET",
    path,
    isPrivate: false,
    parameters,
    summary,
    group: "market data",
    bucket: "COMMON",
    answer,
  };
}

function privateCall(group: Operation["group"], bucket: Operation["bucket"]) {
  return <const Own extends Parameters, Answer extends z.ZodType>(
    name: OperationName,
    method: Operation["method"],
    path: string,
    parameters: Own,
    answer: Answer,
    summary: string,
  ): Described<Own, Answer> => ({
    name,
    method,
    path,
    isPrivate: true,
    parameters,
    summary,
    group,
    bucket,
    answer,
  });
}

const accountCall = privateCall("account", "COMMON");
const orderRead = privateCall("orders", "COMMON");
const orderCall = privateCall("orders", "ORDER");

const TABLE = {
  time: publicRead("time", "/v1/time", [], time, "the exchange's clock"),
  exchangeInfo: publicRead(
    "exchangeInfo",
    "/v1/exchangeInfo",
    [],
    exchangeInfo,
    "trading rules, markets, rate limits, EIP-712 domain",
  ),
  orderbook: publicRead(
    "orderbook",
    "/v1/orderbook",
    [marketId, bookLimit],
    orderBook,
    "a market's order book and its sequence",
  ),
  trades: publicRead(
    "trades",
    "/v1/trades",
    [marketId, limit],
    publicTrades,
    "recent trades of a market",
  ),
  historicalTrades: publicRead(
    "historicalTrades",
    "/v1/historicalTrades",
    [marketId, limit, tradesFromId],
    publicTrades,
    "older trades of a market",
  ),
  klines: publicRead("klines", "/v1/klines", bars, klines, "candles of a market"),
  markPriceKlines: publicRead(
    "markPriceKlines",
    "/v1/markPriceKlines",
    bars,
    klines,
    "candles of a market's mark price",
  ),
  offchainMarkPriceWithVolKlines: publicRead(
    "offchainMarkPriceWithVolKlines",
    "/v1/offchainMarkPriceWithVolKlines",
    bars,
    klines,
    "candles of a market's off-chain mark with what was traded; not in the specification",
  ),
  tradeVolume: publicRead(
    "tradeVolume",
    "/v1/platform/tradeVolume",
    [anyMarketId],
    tradeVolume,
    "quote traded in all and each day; not in the specification",
  ),
  fundingRate: publicRead(
    "fundingRate",
    "/v1/fundingRate",
    [marketId, startTime, endTime, limit],
    fundingRates,
    "past funding rates",
  ),
  riskyAccounts: publicRead(
    "riskyAccounts",
    "/v1/riskyAccounts",
    [],
    riskyAccounts,
    "accounts near liquidation (may be stale: confirm on chain)",
  ),
  contracts: publicRead("contracts", "/v1/contracts", [], contracts, "a summary of all contracts"),
  registerAccount: accountCall(
    "registerAccount",
    "POST",
    "/v1/account",
    [account],
    accountAnswer,
    "registers an account, signed by itself",
  ),
  account: accountCall(
    "account",
    "GET",
    "/v1/account",
    [account],
    accountAnswer,
    "an account's registration",
  ),
  buildOrder: orderCall(
    "buildOrder",
    "POST",
    "/v1/order/build",
    orderTerms,
    builtOrder,
    "has the exchange build an order to sign",
  ),
  placeOrder: orderCall(
    "placeOrder",
    "POST",
    "/v1/order",
    signedOrder,
    order,
    "places a signed order",
  ),
  cancelOrder: orderCall(
    "cancelOrder",
    "DELETE",
    "/v1/order",
    [marketId, orderId],
    empty,
    "cancels one order",
  ),
  cancelAllOpenOrders: orderCall(
    "cancelAllOpenOrders",
    "DELETE",
    "/v1/allOpenOrders",
    [anyMarketId],
    empty,
    "cancels every open order of the account, in one market or in all",
  ),
  historyOrders: orderRead(
    "historyOrders",
    "GET",
    "/v1/historyOrders",
    [marketId, startTime, endTime, limit],
    orders,
    "orders whose status is final",
  ),
  order: orderRead(
    "order",
    "GET",
    "/v1/order",
    [marketId, orderId],
    order,
    "one order whose status is final",
  ),
  openOrder: orderRead(
    "openOrder",
    "GET",
    "/v1/openOrder",
    [anyMarketId, anyOrderId],
    order,
    "one active order",
  ),
  openOrders: orderRead(
    "openOrders",
    "GET",
    "/v1/openOrders",
    [anyMarketId],
    orders,
    "active orders",
  ),
  userTrades: accountCall(
    "userTrades",
    "GET",
    "/v1/userTrades",
    [marketId, startTime, endTime, limit, fromIdAlone],
    userTrades,
    "the account's trades",
  ),
  incomes: accountCall(
    "incomes",
    "GET",
    "/v1/incomes",
    [marketId, incomeType, startTime, endTime, limit],
    incomes,
    "fees, funding, deposits and what else changed the account's credit",
  ),
  balances: accountCall(
    "balances",
    "GET",
    "/v1/balances",
    [],
    balances,
    "the account's balances and positions",
  ),
  positions: accountCall(
    "positions",
    "GET",
    "/v1/positions",
    [],
    positions,
    "the account's positions",
  ),
} satisfies Record<OperationName, Operation>;

/** The type of {@link OPERATIONS} to the parameter: a client's parameters and answers come from it. */
export type OperationTable = typeof TABLE;

/** The answers of the operations. A cancel answers nothing: HTTP 204 without a body. */
export type Answers = {
  [Name in OperationName]: z.output<OperationTable[Name]["answer"]>;
};

/** One operation with the type of its answer. */
export type OperationOf<Name extends OperationName> = Omit<Operation, "answer"> & {
  readonly answer: z.ZodType<Answers[Name]>;
};

/**
 * All operations of the specification, 10 public and 14 private, and 2 that it does not list, by
 * name: the one source for clients, commands, the embedded exchange's router and its document.
 */
export const OPERATIONS: { readonly [Name in OperationName]: OperationOf<Name> } = TABLE;
