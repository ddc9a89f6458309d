import type { Dispatcher } from "undici";
import { z } from "zod";
import { parseInt64Json } from "../../../src/core/int64-json.js";
import {
  accountAnswer,
  balancesAnswer,
  incomesAnswer,
  positionsAnswer,
  riskyAccountsAnswer,
  userTradeAnswer,
} from "../../../src/exchange/client/account-answers.js";
import { instantText, record } from "../../../src/exchange/client/answer-fields.js";
import { unsafeOnChain } from "../../../src/exchange/client/confirm-unsafe.js";
import { decimalOf } from "../../../src/exchange/client/decimal.js";
import {
  contractsAnswer,
  exchangeInfoAnswer,
  fundingRatesAnswer,
  klinesAnswer,
  orderBookAnswer,
  publicTradeAnswer,
} from "../../../src/exchange/client/market-answers.js";
import { idPages } from "../../../src/exchange/client/pages.js";
import {
  BOOK_LIMITS,
  KLINE_INTERVALS,
  MAX_PAGE,
  OPERATIONS,
  type Operation,
} from "../../../src/exchange/protocol/operations.js";
import { msSchema, unsignedDecimalSchema } from "../../../src/exchange/protocol/wire-schemas.js";
import { HttpExchange } from "../../../src/exchange/rest/http-exchange.js";
import { RateGate } from "../../../src/exchange/rest/rate-gate.js";
import { RestCaller } from "../../../src/exchange/rest/rest-caller.js";
import { checkDomain } from "../../../src/exchange/signing/domain-check.js";
import { checkFilters } from "../../../src/exchange/signing/filters.js";
import { breaksOf, broken, hidden } from "../break.js";
import { changed, reparametered } from "./operations.js";

/** The client without one rule: formats and records. */
export const CLIENT_RECORD_BREAKS = breaksOf("client", import.meta.url, [
  broken(
    "G9",
    "a body that is no JSON counts as an empty answer",
    hidden<(body: string) => unknown>(() => RestCaller, "jsonOf"),
    (read) => (body) => read(body) ?? null,
  ),
  broken(
    "G1",
    "contracts are asked for without /v1",
    () => OPERATIONS,
    (operations) => changed(operations, "contracts", { path: "/contracts" }),
  ),
  broken(
    "G2",
    "prices and amounts are read as floats",
    () => unsignedDecimalSchema,
    (schema) =>
      z.preprocess((value) => (typeof value === "number" ? String(value) : value), schema) as never,
  ),
  broken(
    "G3",
    "instants may be fractions",
    () => msSchema,
    () => z.number().nonnegative() as never,
  ),
  broken(
    "G4",
    "long integers are parsed as floats",
    () => parseInt64Json,
    () => (text) => JSON.parse(text),
  ),
  broken(
    "G5",
    "GET carries no query",
    () => HttpExchange.prototype.start,
    (start) => (dispatcher) => {
      const dispatch: Dispatcher["dispatch"] = (options, handler) =>
        dispatcher.dispatch(
          options.method === "GET"
            ? { ...options, path: options.path.split("?")[0] ?? "" }
            : options,
          handler,
        );
      start({ dispatch } as Dispatcher);
    },
  ),
  broken(
    "G6",
    "POST says that its body is JSON",
    () => HttpExchange.prototype.start,
    (start) => (dispatcher) => {
      const dispatch: Dispatcher["dispatch"] = (options, handler) => {
        const headers = { ...(options.headers as object), "content-type": "application/json" };
        return dispatcher.dispatch(
          options.method === "POST" ? { ...options, headers } : options,
          handler,
        );
      };
      start({ dispatch } as Dispatcher);
    },
  ),
  broken(
    "G7",
    "a list by id may descend",
    hidden<() => void>(() => idPages, "requireAscending"),
    () => () => {},
  ),
  broken(
    "G8",
    "unknown fields are dropped",
    () => record,
    (reader) => (shape) =>
      reader(shape).transform((known) => ({ ...(known as object), extra: {} })) as never,
  ),
  broken(
    "I1",
    "assets may be missing",
    () => exchangeInfoAnswer,
    (answer) => z.preprocess((info) => ({ assets: [], ...(info as object) }), answer),
  ),
  broken(
    "I2",
    "suspendedAt is never null",
    () => exchangeInfoAnswer,
    (answer) =>
      answer.transform(({ markets, ...rest }) => ({
        ...rest,
        markets: markets.map((market) => ({ ...market, suspendedAt: market.suspendedAt ?? 0 })),
      })),
  ),
  broken(
    "I3",
    "a price is not held to its bounds",
    () => checkFilters,
    (check) =>
      (...asked) =>
        check(...asked).filter(({ filter }) => filter !== "PRICE_FILTER"),
  ),
  broken(
    "I4",
    "an amount is not held to its maximum",
    () => checkFilters,
    (check) => (rules, order, openOrders) =>
      check({ ...rules, maxLots: 10 * rules.maxLots }, order, openOrders),
  ),
  broken(
    "I5",
    "MARKET orders have the bounds of LIMIT orders",
    () => checkFilters,
    (check) => (rules, order, openOrders) => check(rules, { ...order, type: "LIMIT" }, openOrders),
  ),
  broken(
    "I6",
    "one order too many counts as none",
    () => checkFilters,
    (check) =>
      (rules, order, openOrders = 0) =>
        check(rules, order, openOrders - 1),
  ),
  broken(
    "I7",
    "the budget does not hear of the limits",
    () => RateGate.prototype.setLimits,
    () => () => {},
  ),
  broken(
    "I8",
    "the order type's hash is not compared",
    () => checkDomain,
    (check) => (rules) => check(rules).filter(({ field }) => field !== "EIP712_ORDER_TYPE"),
  ),
  broken(
    "B1",
    "the asks of a book are its bids",
    () => orderBookAnswer,
    (answer) => answer.transform((book) => ({ ...book, asks: book.bids })),
  ),
  broken(
    "T1",
    "isBuyerMaker is not read",
    () => publicTradeAnswer,
    (answer) => answer.transform((trade) => ({ ...trade, isBuyerMaker: false })),
  ),
  broken(
    "K1",
    "a candle's high is not read",
    () => klinesAnswer,
    (answer) =>
      answer.transform((klines) => klines.map((kline) => ({ ...kline, high: decimalOf("0") }))),
  ),
  broken(
    "F1",
    "a negative rate is refused",
    () => fundingRatesAnswer,
    (answer) =>
      answer.refine((rates) => rates.every(({ fundingRate }) => !fundingRate.isNegative())),
  ),
  broken(
    "C1",
    "timestamps stay strings",
    () => instantText,
    (instant) => instant.transform(String) as never,
  ),
  broken(
    "RA1",
    "high-risk accounts have no positions",
    () => riskyAccountsAnswer,
    (answer) =>
      answer.transform((accounts) => accounts.map((account) => ({ ...account, positions: [] }))),
  ),
  broken(
    "RA2",
    "the list's isSafe decides",
    () => unsafeOnChain,
    (ask) => async (candidates, chain) => {
      await ask(candidates, chain);
      return candidates.filter(({ isSafe }) => !isSafe);
    },
  ),
  broken(
    "P1",
    "time is asked for at another address",
    () => OPERATIONS,
    (operations) => changed(operations, "time", { path: "/v1/clock" }),
  ),
  broken(
    "P2",
    "exchangeInfo is asked for at another address",
    () => OPERATIONS,
    (operations) => changed(operations, "exchangeInfo", { path: "/v1/info" }),
  ),
  broken(
    "P3",
    "a book may be asked for with 5000 levels",
    () => BOOK_LIMITS,
    (limits) => [...limits, "5000"] as never,
  ),
  broken<number>(
    "P4",
    "a limit of 1000 is sent",
    () => MAX_PAGE,
    () => 1000,
  ),
  broken(
    "P5",
    "fromId may be any text",
    () => OPERATIONS,
    (operations) => reparametered(operations, "historicalTrades", "fromId", { type: "string" }),
  ),
  broken(
    "P6",
    "there is no bar of six hours",
    () => KLINE_INTERVALS,
    (intervals) => intervals.filter((interval) => interval !== "6H") as never,
  ),
  broken(
    "P7",
    "mark candles are asked for at the candles' address",
    () => OPERATIONS,
    (operations) => changed(operations, "markPriceKlines", { path: "/v1/klines" }),
  ),
  broken(
    "P8",
    "funding rates are asked for without a range",
    () => OPERATIONS,
    (operations) =>
      reparametered(
        reparametered(operations, "fundingRate", "startTime", undefined),
        "fundingRate",
        "endTime",
        undefined,
      ),
  ),
  broken(
    "P9",
    "high-risk accounts are asked for by market",
    () => OPERATIONS,
    (operations) =>
      changed(operations, "riskyAccounts", { parameters: operations.orderbook.parameters }),
  ),
  broken(
    "P10",
    "contracts are read from a bare list",
    () => contractsAnswer,
    (answer) => z.preprocess((contracts) => ({ contracts }), answer),
  ),
  broken(
    "P11",
    "public calls are signed",
    hidden<(operation: Operation, params: object) => Promise<unknown>>(() => RestCaller, "#send"),
    (send) => (operation, params) => send({ ...operation, isPrivate: true }, params),
  ),
  broken<number>(
    "L2",
    "a limit of 501 is sent",
    () => MAX_PAGE,
    () => 501,
  ),
  broken(
    "PO1",
    "a side that is unknown is refused",
    () => positionsAnswer,
    (answer) =>
      answer.refine((positions) =>
        positions.every(({ side }) => side === "LONG" || side === "SHORT"),
      ),
  ),
  broken(
    "PO2",
    "closedAt may be missing",
    hidden<z.ZodType>(() => positionsAnswer, "position"),
    (position) => z.preprocess((value) => ({ closedAt: null, ...(value as object) }), position),
  ),
  broken(
    "PO3",
    "lastUpdatedAt has to stand everywhere",
    () => positionsAnswer,
    (answer) =>
      answer.refine((positions) =>
        positions.every(({ lastUpdatedAt }) => lastUpdatedAt !== undefined),
      ),
  ),
  broken(
    "PO4",
    "exit prices are rounded to whole quote",
    () => positionsAnswer,
    (answer) =>
      answer.transform((positions) =>
        positions.map((position) => ({ ...position, exitPrice: position.exitPrice.floor() })),
      ),
  ),
  broken(
    "AC1",
    "createdAt is read in seconds",
    () => accountAnswer,
    (answer) =>
      answer.transform((account) => ({
        ...account,
        createdAt: Math.floor(account.createdAt / 1000),
      })),
  ),
  broken(
    "UT1",
    "a rebate is refused",
    () => userTradeAnswer,
    (answer) => answer.refine(({ commission }) => !commission.isNegative()),
  ),
  broken(
    "IN1",
    "an income needs a market",
    () => incomesAnswer,
    (answer) => answer.refine((incomes) => incomes.every(({ marketId }) => marketId !== "")),
  ),
  broken(
    "BA1",
    "serialNumber may be a fraction",
    () => balancesAnswer,
    (answer) =>
      z.preprocess(
        (value) =>
          JSON.parse(JSON.stringify(value), (key, member) =>
            key === "serialNumber" ? Math.floor(member) : member,
          ),
        answer,
      ),
  ),
]);
