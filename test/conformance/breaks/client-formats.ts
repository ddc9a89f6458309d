import type { Dispatcher } from "undici";
import { z } from "zod";
import { parseInt64Json } from "#core/int64-json.js";
import { checkDomain } from "#exchange/domain-check.js";
import { checkFilters } from "#exchange/filters.js";
import { exchangeInfo as exchangeInfoAnswer } from "#exchange/market.js";
import { readIdPages } from "#exchange/pages.js";
import { PendingHttpRequest } from "#exchange/pending-http-request.js";
import { RateGate } from "#exchange/rate-gate.js";
import { readResponse, restRequest } from "#exchange/rest-messages.js";
import { ms, record, unsignedText } from "#exchange/values.js";
import { breaksOf, broken, hidden } from "../break.js";
import { readdressed } from "./operations.js";

/** The client without one rule: formats, and the rules of trading. */
export const CLIENT_FORMAT_BREAKS = breaksOf("client", import.meta.url, [
  broken(
    "G9",
    "a body that is no JSON counts as an empty answer",
    () => readResponse,
    (read) =>
      (...asked) => {
        const answer = read(...asked);
        return answer.kind === "unreadable" ? { kind: "empty" } : answer;
      },
  ),
  broken(
    "G1",
    "contracts are asked for without /v1",
    () => restRequest,
    (request) =>
      (operation, ...rest) =>
        request(readdressed(operation, "/v1/contracts", "/contracts"), ...rest),
  ),
  broken(
    "G2",
    "prices and amounts are read as floats",
    () => unsignedText,
    (schema) =>
      z.preprocess((value) => (typeof value === "number" ? String(value) : value), schema) as never,
  ),
  broken(
    "G3",
    "instants may be fractions",
    () => ms,
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
    () => PendingHttpRequest.prototype.start,
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
    () => PendingHttpRequest.prototype.start,
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
    hidden<() => void>(() => readIdPages, "requireAscending"),
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
]);
