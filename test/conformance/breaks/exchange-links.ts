import type { ExchangeAccount } from "#simulator/account.js";
import { AccountFeed } from "#simulator/account-feed.js";
import { formatErrorBody } from "#simulator/api-error.js";
import { Authentication, readAddress } from "#simulator/authentication.js";
import { LevelFormatter } from "#simulator/level-formatter.js";
import { MarketFeed } from "#simulator/market-feed.js";
import { marketStateRecord } from "#simulator/market-records.js";
import { offeredOperations } from "#simulator/offered-operations.js";
import { OrderEndpoints } from "#simulator/order-endpoints.js";
import { requireMarket } from "#simulator/order-terms.js";
import { timeRange } from "#simulator/parameters.js";
import { PositionLedger } from "#simulator/position-ledger.js";
import { RateLimiter } from "#simulator/rate-limiter.js";
import { Router } from "#simulator/router.js";
import { StreamHub } from "#simulator/stream-hub.js";
import { StreamLink } from "#simulator/stream-link.js";
import { breaksOf, broken, hidden } from "../break.js";
import { recoded, without } from "./kit.js";
import type { NamedEndpoints } from "./routes.js";

/** The embedded exchange without one rule: signing of requests, streams, errors, limits. */
export const EXCHANGE_LINK_BREAKS = breaksOf("exchange", import.meta.url, [
  broken(
    "AU1",
    "balances are told to anybody",
    hidden<() => NamedEndpoints>(() => Router, "#accountEndpoints"),
    (named, { accounts, authentication }: Router) =>
      () => ({
        ...named(),
        balances: {
          answer: (parameters) =>
            accounts.balances(authentication.requireRegistered(readAddress(parameters))),
        },
      }),
  ),
  broken(
    "AU2",
    "a timestamp ahead is always current",
    hidden<(windowMs: number, timestampMs: number, nowMs: number) => boolean>(
      () => Authentication,
      "isWithin",
    ),
    (isWithin) => (windowMs, timestampMs, nowMs) =>
      timestampMs > nowMs || isWithin(windowMs, timestampMs, nowMs),
  ),
  broken(
    "AU3",
    "anybody may sign an order",
    () => Authentication.prototype.recoverOrderSigner,
    (signerOf) => (digest, signature, account) =>
      signerOf(digest, signature, account) ?? account.address.toLowerCase(),
  ),
  broken(
    "EV1",
    "ORDER_UPDATE carries a list",
    hidden<(account: ExchangeAccount, marketId: string | undefined, text: () => string) => void>(
      () => AccountFeed,
      "#publish",
    ),
    (publish) => (account, marketId, text) =>
      publish(account, marketId, () =>
        text().replace(/"order":(\{.*\}),"timestamp"/, '"order":[$1],"timestamp"'),
      ),
  ),
  broken(
    "EV2",
    "a settled trade is not told",
    () => StreamHub.prototype.onUserTrade,
    (tell) => (record) => {
      if (record.trade.status !== "SETTLED") tell(record);
    },
  ),
  broken(
    "EV3",
    "an update does not say where it begins",
    hidden<(kind: string, payload: string) => void>(() => MarketFeed, "#publish"),
    (publish) => (kind, payload) =>
      publish(kind, payload.replace('"beginSequence"', '"startSequence"')),
  ),
  broken(
    "EV4",
    "zero does not delete a level",
    () => LevelFormatter.prototype.level,
    (level) => (ticks, lots) => level(ticks, Math.max(1, lots)),
  ),
  broken(
    "EV5",
    "an eleventh message in a second is taken",
    hidden<() => number>(() => StreamLink, "#arrivedInSecond"),
    (arrived) => () => arrived() / 2,
  ),
  broken(
    "EV6",
    "the account stream is for anybody",
    () => Authentication.prototype.requireSignedAccount,
    (_signedAccountOf, authentication: Authentication) => (parameters) => {
      const address = readAddress(parameters);
      return { account: authentication.requireRegistered(address), signer: address.toLowerCase() };
    },
  ),
  broken(
    "EV7",
    "the market stream has no open interest",
    () => marketStateRecord,
    (record) => (market, nowMs) => without(record(market, nowMs), "openInterest"),
  ),
  broken(
    "V2",
    "an update has a single sequence too",
    hidden<(kind: string, payload: string) => void>(() => MarketFeed, "#publish"),
    (publish) => (kind, payload) =>
      publish(kind, payload.replace(/"beginSequence":.*"endSequence":(\d+)/, '"sequence":$1,$&')),
  ),
  broken(
    "ER1",
    "errors have no codeText",
    () => formatErrorBody,
    () => (code, codeText, message) => JSON.stringify({ code, message: `${codeText}: ${message}` }),
  ),
  broken(
    "ER2",
    "an order that is not there is a bad parameter",
    () => OrderEndpoints.prototype.cancel,
    (cancel) => (account, parameters) => recoded(2011, 1111, () => cancel(account, parameters)),
  ),
  broken(
    "ER3",
    "an empty range is a bad parameter",
    () => timeRange,
    (range) => (parameters, choices) => recoded(1113, 1111, () => range(parameters, choices)),
  ),
  broken(
    "ER4",
    "an unknown market is a bad parameter",
    () => requireMarket,
    (of) => (state, parameters) => recoded(1112, 1111, () => of(state, parameters)),
  ),
  broken(
    "L1",
    "who carries on is not banned",
    () => RateLimiter.prototype.admit,
    (admit) =>
      (...asked) => {
        const refusal = admit(...asked);
        return refusal && { ...refusal, status: 429 };
      },
  ),
  broken(
    "V1",
    "GET allOrders exists",
    () => offeredOperations,
    (offered) => (config) =>
      offered(config).flatMap((one) =>
        one.name === "contracts" ? [one, { ...one, path: "/v1/allOrders" }] : [one],
      ),
  ),
  broken(
    "CH1",
    "a match is settled as it is made",
    () => PositionLedger.prototype.match,
    (match, ledger: PositionLedger) => (change) => {
      const matched = match(change);
      ledger.settle(matched.entry);
      return matched;
    },
  ),
]);
