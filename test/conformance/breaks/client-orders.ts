import { z } from "zod";
import { userTrade as userTradeAnswer } from "#exchange/account.js";
import { toDecimal } from "#exchange/decimal.js";
import { exchangeInfo as exchangeInfoAnswer } from "#exchange/market.js";
import { OPERATIONS } from "#exchange/operations.js";
import {
  builtOrder as builtOrderAnswer,
  expirationMs,
  order as orderAnswer,
} from "#exchange/order.js";
import { readTimePages } from "#exchange/pages.js";
import { restRequest } from "#exchange/rest-messages.js";
import { breaksOf, broken, hidden } from "../break.js";
import { readdressed } from "./operations.js";

/** The client without one rule: orders and their life. */
export const CLIENT_ORDER_BREAKS = breaksOf("client", import.meta.url, [
  broken(
    "O1",
    "an order may come without its hash",
    () => orderAnswer,
    (answer) =>
      z.preprocess((order) => ({ hash: `0x${"0".repeat(64)}`, ...(order as object) }), answer),
  ),
  broken(
    "O2",
    "parts of an order are floats",
    () => toDecimal,
    (exactly) => (value, field) => {
      const exact = exactly(value, field);
      return exact.times(0).plus(exact.toNumber());
    },
  ),
  broken(
    "O3",
    "an empty average price is refused",
    () => orderAnswer,
    (answer) =>
      z.preprocess((order) => {
        const isEmpty = (order as { readonly averagePrice?: unknown }).averagePrice === "";
        return isEmpty ? { ...(order as object), averagePrice: "no decimal" } : order;
      }, answer),
  ),
  broken(
    "O4",
    "trades may be a list",
    () => orderAnswer,
    (answer) =>
      z.preprocess((order) => {
        const isList = Array.isArray((order as { readonly trades?: unknown }).trades);
        return isList ? { ...(order as object), trades: null } : order;
      }, answer),
  ),
  broken(
    "O5",
    "seconds are taken for milliseconds",
    () => expirationMs,
    () => (expiration) => expiration,
  ),
  broken(
    "BO1",
    "the token of a build is not read",
    () => builtOrderAnswer,
    (answer) => answer.transform((built) => ({ ...built, gasFeeQuotation: "" })),
  ),
  broken(
    "S1",
    "a status is read as its first letter",
    () => orderAnswer,
    (answer) => answer.transform((order) => ({ ...order, status: order.status.slice(0, 1) })),
  ),
  broken(
    "S2",
    "a history ends after its first page",
    hidden<(...asked: unknown[]) => Promise<object>>(() => readTimePages, "readPage"),
    (read) =>
      async (...asked) => ({ ...(await read(...asked)), isFull: false }),
  ),
  broken(
    "S3",
    "open orders are asked for among the history orders",
    () => restRequest,
    (request) =>
      (operation, ...rest) =>
        request(readdressed(operation, "/v1/openOrder", "/v1/order"), ...rest),
  ),
  broken(
    "S4",
    "a cancel may answer with anything",
    hidden<z.ZodType>(() => OPERATIONS, "empty"),
    () => z.any(),
  ),
  broken(
    "S5",
    "a trade's status is not read",
    () => userTradeAnswer,
    (answer) => answer.transform((trade) => ({ ...trade, status: "CREATED" })),
  ),
  broken(
    "S6",
    "what failed is not read",
    () => orderAnswer,
    (answer) => answer.transform((order) => ({ ...order, failedAmount: toDecimal("0") })),
  ),
  broken(
    "S7",
    "a market's status is not read",
    () => exchangeInfoAnswer,
    (answer) =>
      answer.transform(({ markets, ...rest }) => ({
        ...rest,
        markets: markets.map((market) => ({ ...market, status: "TRADING" })),
      })),
  ),
]);
