import { z } from "zod";
import type { OperationName } from "../protocol/operations.js";
import {
  accountAnswer,
  balancesAnswer,
  builtOrderAnswer,
  incomesAnswer,
  orderAnswer,
  ordersAnswer,
  positionsAnswer,
  riskyAccountsAnswer,
  userTradesAnswer,
} from "./account-answers.js";
import type {
  Account,
  Balances,
  BuiltOrder,
  Income,
  Order,
  Position,
  RiskyAccount,
  UserTrade,
} from "./account-records.js";
import {
  contractsAnswer,
  exchangeInfoAnswer,
  fundingRatesAnswer,
  klinesAnswer,
  orderBookAnswer,
  publicTradesAnswer,
  timeAnswer,
  tradeVolumeAnswer,
} from "./market-answers.js";
import type {
  Contracts,
  ExchangeInfo,
  FundingRate,
  Kline,
  OrderBook,
  PublicTrade,
  ServerTime,
  TradeVolume,
} from "./market-records.js";

/** What each operation answers (specification, "Endpoints"). A cancel answers nothing: HTTP 204 without a body. */
export interface Answers {
  time: ServerTime;
  exchangeInfo: ExchangeInfo;
  orderbook: OrderBook;
  trades: readonly PublicTrade[];
  historicalTrades: readonly PublicTrade[];
  klines: readonly Kline[];
  markPriceKlines: readonly Kline[];
  offchainMarkPriceWithVolKlines: readonly Kline[];
  tradeVolume: TradeVolume;
  fundingRate: readonly FundingRate[];
  riskyAccounts: readonly RiskyAccount[];
  contracts: Contracts;
  registerAccount: Account;
  account: Account;
  buildOrder: BuiltOrder;
  placeOrder: Order;
  cancelOrder: null;
  cancelAllOpenOrders: null;
  historyOrders: readonly Order[];
  order: Order;
  openOrder: Order;
  openOrders: readonly Order[];
  userTrades: readonly UserTrade[];
  incomes: readonly Income[];
  balances: Balances;
  positions: readonly Position[];
}

/** Whoever answers a cancel with a body is not the exchange. */
const empty = z.null("expected HTTP 204 without a body");

/** What reads each operation's answer. */
export const ANSWERS: { readonly [Name in OperationName]: z.ZodType<Answers[Name]> } = {
  time: timeAnswer,
  exchangeInfo: exchangeInfoAnswer,
  orderbook: orderBookAnswer,
  trades: publicTradesAnswer,
  historicalTrades: publicTradesAnswer,
  klines: klinesAnswer,
  markPriceKlines: klinesAnswer,
  offchainMarkPriceWithVolKlines: klinesAnswer,
  tradeVolume: tradeVolumeAnswer,
  fundingRate: fundingRatesAnswer,
  riskyAccounts: riskyAccountsAnswer,
  contracts: contractsAnswer,
  registerAccount: accountAnswer,
  account: accountAnswer,
  buildOrder: builtOrderAnswer,
  placeOrder: orderAnswer,
  cancelOrder: empty,
  cancelAllOpenOrders: empty,
  historyOrders: ordersAnswer,
  order: orderAnswer,
  openOrder: orderAnswer,
  openOrders: ordersAnswer,
  userTrades: userTradesAnswer,
  incomes: incomesAnswer,
  balances: balancesAnswer,
  positions: positionsAnswer,
};
