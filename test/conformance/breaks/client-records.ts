import { z } from "zod";
import {
  account as accountAnswer,
  balances as balancesAnswer,
  incomes as incomesAnswer,
  positions as positionsAnswer,
  riskyAccounts as riskyAccountsAnswer,
  userTrade as userTradeAnswer,
} from "#exchange/account.js";
import { filterUnsafeOnChain } from "#exchange/confirm-unsafe.js";
import { toDecimal } from "#exchange/decimal.js";
import {
  contracts as contractsAnswer,
  fundingRates as fundingRatesAnswer,
  klines as klinesAnswer,
  orderBook as orderBookAnswer,
  publicTrade as publicTradeAnswer,
} from "#exchange/market-data.js";
import { OPERATIONS, type Operation } from "#exchange/operations.js";
import { BOOK_LIMITS, KLINE_INTERVALS, MAX_PAGE } from "#exchange/parameters.js";
import { RestCaller } from "#exchange/rest-caller.js";
import { restRequest } from "#exchange/rest-messages.js";
import { instantText } from "#exchange/values.js";
import { breaksOf, broken, hidden } from "../break.js";
import { readdressed, reparametered, taking } from "./operations.js";

/** The client without one rule: market data, and the records of accounts. */
export const CLIENT_RECORD_BREAKS = breaksOf("client", import.meta.url, [
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
      answer.transform((klines) => klines.map((kline) => ({ ...kline, high: toDecimal("0") }))),
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
    () => filterUnsafeOnChain,
    (ask) => async (candidates, chain) => {
      await ask(candidates, chain);
      return candidates.filter(({ isSafe }) => !isSafe);
    },
  ),
  broken(
    "P1",
    "time is asked for at another address",
    () => restRequest,
    (request) =>
      (operation, ...rest) =>
        request(readdressed(operation, "/v1/time", "/v1/clock"), ...rest),
  ),
  broken(
    "P2",
    "exchangeInfo is asked for at another address",
    () => restRequest,
    (request) =>
      (operation, ...rest) =>
        request(readdressed(operation, "/v1/exchangeInfo", "/v1/info"), ...rest),
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
    () => restRequest,
    (request) =>
      (operation, ...rest) =>
        request(readdressed(operation, "/v1/markPriceKlines", "/v1/klines"), ...rest),
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
    (operations) => taking(operations, "riskyAccounts", operations.orderbook.parameters),
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
