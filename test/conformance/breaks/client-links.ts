import { z } from "zod";
import { balances as balancesAnswer } from "#exchange/account.js";
import { toDecimal } from "#exchange/decimal.js";
import { decodeRules } from "#exchange/decode-rules.js";
import { errorBody, VENUE_ERROR_CODES } from "#exchange/errors.js";
import { OPERATIONS } from "#exchange/operations.js";
import { RateGate } from "#exchange/rate-gate.js";
import { formatCanonicalParams, formEncode, signParams } from "#exchange/request-signing.js";
import { RestCaller } from "#exchange/rest-caller.js";
import { bookUpdate } from "#exchange/stream.js";
import { decodeAccountFrame, decodeMarketFrame } from "#exchange/stream-decoder.js";
import type { MarketEvent } from "#exchange/stream-events.js";
import { StreamSession } from "#exchange/stream-session.js";
import { ExchangeStreams } from "#exchange/streams.js";
import { breaksOf, broken, hidden } from "../break.js";
import { taking } from "./operations.js";

/** The client without one rule: signing of requests, streams, errors, limits. */
export const CLIENT_LINK_BREAKS = breaksOf("client", import.meta.url, [
  broken(
    "AU1",
    "a private call without a key is sent unsigned",
    hidden<() => void>(() => RestCaller, "#requireKey"),
    () => () => {},
  ),
  broken(
    "AU2",
    "parameters are not sorted",
    () => formatCanonicalParams,
    () =>
      (params, more = {}) =>
        Object.entries({ ...params, ...more })
          .map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`)
          .join("&"),
  ),
  broken(
    "AU3",
    "a refused place is sent again",
    () => RestCaller.prototype.call,
    (call) => (name, params) =>
      OPERATIONS[name].method === "POST"
        ? call(name, params).catch(() => call(name, params))
        : call(name, params),
  ),
  broken(
    "EV1",
    "ORDER_UPDATE may carry a list",
    () => decodeAccountFrame,
    (events) => (text) => events(text.replace(/"order":\[(.*)\]/, '"order":$1')),
  ),
  broken(
    "EV2",
    "TRADE_UPDATE is unknown",
    () => decodeAccountFrame,
    (events) => (text) => events(text.replace("TRADE_UPDATE", "TRADES_UPDATE")),
  ),
  broken(
    "EV3",
    "an update needs no beginSequence",
    () => bookUpdate,
    (update) =>
      z.preprocess((frame) => ({ beginSequence: 0, ...(frame as object) }), update) as never,
  ),
  broken(
    "EV4",
    "a gap goes unseen",
    hidden<(books: Map<string, number>, event: MarketEvent) => MarketEvent | undefined>(
      () => ExchangeStreams,
      "inSequence",
    ),
    (inSequence) => (books, event) => {
      if (event.type !== "book-update") return inSequence(books, event);
      const last = books.get(event.marketId) ?? event.beginSequence;
      return inSequence(
        books,
        event.beginSequence > last ? { ...event, beginSequence: last + 1 } : event,
      );
    },
  ),
  broken(
    "EV5",
    "a text ping is not answered",
    hidden<() => void>(() => StreamSession, "#pong"),
    () => () => {},
  ),
  broken(
    "EV6",
    "the account stream is signed at the epoch",
    () => signParams,
    (signed) => (params, account, _timestampMs, signer) => signed(params, account, 0, signer),
  ),
  broken(
    "EV7",
    "candles come under no interval",
    () => decodeMarketFrame,
    (events) => (text) => events(text.replace("@kline", "@candle")),
  ),
  broken(
    "V2",
    "an update of one sequence is taken",
    () => bookUpdate,
    (update) =>
      z.preprocess((frame) => {
        const { sequence, ...rest } = frame as { readonly sequence?: number };
        return sequence === undefined
          ? frame
          : { beginSequence: sequence, endSequence: sequence, ...rest };
      }, update) as never,
  ),
  broken(
    "ER1",
    "the exchange's own words are lost",
    () => errorBody,
    (schema) => schema.transform((error) => ({ ...error, message: "" })) as never,
  ),
  broken(
    "ER2",
    "2018 has no name",
    () => VENUE_ERROR_CODES,
    (codes) =>
      codes.map((one) =>
        one.code === 2018 ? { ...one, name: "UNKNOWN_ERROR", codeText: undefined } : one,
      ),
  ),
  broken(
    "ER3",
    "4013 is not known",
    () => VENUE_ERROR_CODES,
    (codes) => codes.filter(({ code }) => code !== 4013),
  ),
  broken(
    "ER4",
    "an unknown market is looked for no further",
    () => decodeRules,
    (decode) => (value) => decode(value, []),
  ),
  broken(
    "L1",
    "a ban is not heard",
    () => RateGate.prototype.throttled,
    (throttled) => (status, retryAfterMs) => {
      if (status === 429) throttled(status, retryAfterMs);
    },
  ),
  broken(
    "V1",
    "a place takes a responseType",
    () => OPERATIONS,
    (operations) =>
      taking(operations, "placeOrder", [
        ...operations.placeOrder.parameters,
        { name: "responseType", type: "string", required: false },
      ]),
  ),
  broken(
    "CH1",
    "what the chain holds is what was matched",
    () => balancesAnswer,
    (answer) =>
      answer.transform(({ balances, ...rest }) => {
        const perpetualBalances = Object.fromEntries(
          Object.entries(balances.perpetualBalances).map(([marketId, held]) => [
            marketId,
            { ...held, paperAmount: toDecimal("1") },
          ]),
        );
        return { ...rest, balances: { ...balances, perpetualBalances } };
      }),
  ),
]);
