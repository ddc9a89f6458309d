import { z } from "zod";
import {
  account,
  balances,
  incomes,
  positions,
  riskyAccounts,
  userTrades,
} from "../protocol/account.js";
import { exchangeInfo } from "../protocol/market.js";
import {
  contracts,
  fundingRates,
  klines,
  orderBook,
  publicTrades,
  time,
  tradeVolume,
} from "../protocol/market-data.js";
import type { OperationName } from "../protocol/operations.js";
import { builtOrder, order, orders } from "../protocol/order.js";

/** Whoever answers a cancel with a body is not the exchange. */
const empty = z.null("expected HTTP 204 without a body");

const READERS = {
  time,
  exchangeInfo,
  orderbook: orderBook,
  trades: publicTrades,
  historicalTrades: publicTrades,
  klines,
  markPriceKlines: klines,
  offchainMarkPriceWithVolKlines: klines,
  tradeVolume,
  fundingRate: fundingRates,
  riskyAccounts,
  contracts,
  registerAccount: account,
  account,
  buildOrder: builtOrder,
  placeOrder: order,
  cancelOrder: empty,
  cancelAllOpenOrders: empty,
  historyOrders: orders,
  order,
  openOrder: order,
  openOrders: orders,
  userTrades,
  incomes,
  balances,
  positions,
} as const satisfies Record<OperationName, z.ZodType>;

/** The answers of the operations. A cancel answers nothing: HTTP 204 without a body. */
export type Answers = { [Name in OperationName]: z.output<(typeof READERS)[Name]> };

/** The schemas that read each operation's answer. */
export const ANSWERS: { readonly [Name in OperationName]: z.ZodType<Answers[Name]> } = READERS;
