import { MINUTE_MS } from "#core/units.js";
import { balances as balancesAnswer } from "#exchange/account.js";
import { checkBuiltOrder } from "#exchange/built-order-check.js";
import { validateParams } from "#exchange/call-params.js";
import { toDecimal } from "#exchange/decimal.js";
import { isValidGttLifetime } from "#exchange/gtt-lifetime.js";
import { exchangeInfo as exchangeInfoAnswer } from "#exchange/market.js";
import { OPERATIONS } from "#exchange/operations.js";
import { buildOrderStruct, infoExpirationSeconds } from "#exchange/order-building.js";
import { encodeInfo } from "#exchange/order-info.js";
import { OrderPlacer, type PreparedOrder } from "#exchange/order-placer.js";
import { domainSeparator, ORDER_TYPE, OrderHasher } from "#exchange/order-signing.js";
import { INCOME_TYPES } from "#exchange/parameters.js";
import type { VenueRules } from "#exchange/records.js";
import { RestCaller } from "#exchange/rest-caller.js";
import { restRequest } from "#exchange/rest-messages.js";
import { breaksOf, broken, hidden } from "../break.js";
import { readdressed, reparametered } from "./operations.js";

/** The client without one rule: what it asks about orders and accounts, and what it signs. */
export const CLIENT_REQUEST_BREAKS = breaksOf("client", import.meta.url, [
  broken(
    "R1",
    "a registration is sent twice",
    () => RestCaller.prototype.call,
    (call) => (name, params) =>
      name === "registerAccount"
        ? call(name, params).then(() => call(name, params))
        : call(name, params),
  ),
  broken(
    "R2",
    "an account may be any text",
    hidden<Shapes>(() => validateParams, "SHAPES"),
    (shapes) => ({ ...shapes, address: { ...shapes.address, shape: /^.*$/ } }),
  ),
  broken(
    "R3",
    "a price may have an exponent",
    hidden<Shapes>(() => validateParams, "SHAPES"),
    (shapes) => ({
      ...shapes,
      decimal: { ...shapes.decimal, shape: /^-?\d{1,60}(?:\.\d{1,60})?(?:e\d+)?$/ },
    }),
  ),
  broken(
    "R4",
    "a build for another contract is signed",
    () => checkBuiltOrder,
    (check) => (hasher, built, expected) =>
      check(hasher, built, {
        ...expected,
        rules: { ...expected.rules, perp: built.order.perp },
      }),
  ),
  broken(
    "R5",
    "the token is not sent",
    () => OrderPlacer.prototype.prepare,
    (prepare) => async (order) => {
      const prepared = await prepare(order);
      const { gasFeeQuotation: _, ...params } = prepared.params;
      return { ...prepared, params };
    },
  ),
  broken(
    "R6",
    "a cancel does not name its order",
    () => OPERATIONS,
    (operations) => reparametered(operations, "cancelOrder", "orderId", undefined),
  ),
  broken(
    "R7",
    "cancelling all needs a market",
    () => OPERATIONS,
    (operations) =>
      reparametered(operations, "cancelAllOpenOrders", "marketId", { required: true }),
  ),
  broken(
    "R8",
    "history orders are asked for without an end",
    () => OPERATIONS,
    (operations) => reparametered(operations, "historyOrders", "endTime", undefined),
  ),
  broken(
    "R9",
    "one history order is asked for by its id alone",
    () => OPERATIONS,
    (operations) => reparametered(operations, "order", "marketId", { required: false }),
  ),
  broken(
    "R10",
    "an open order is asked for by its id alone",
    () => OPERATIONS,
    (operations) => reparametered(operations, "openOrder", "orderId", { required: true }),
  ),
  broken(
    "R11",
    "open orders are asked for at another address",
    () => restRequest,
    (request) =>
      (operation, ...rest) =>
        request(readdressed(operation, "/v1/openOrders", "/v1/orders"), ...rest),
  ),
  broken(
    "R12",
    "user trades are asked for without fromId",
    () => OPERATIONS,
    (operations) => reparametered(operations, "userTrades", "fromId", undefined),
  ),
  broken(
    "R13",
    "there is no income of type BONUS",
    () => INCOME_TYPES,
    (types) => types.filter((type) => type !== "BONUS") as never,
  ),
  broken(
    "R14",
    "balances are read without positions",
    () => balancesAnswer,
    (answer) => answer.transform((balances) => ({ ...balances, positions: [] })),
  ),
  broken(
    "R15",
    "positions are asked for at another address",
    () => restRequest,
    (request) =>
      (operation, ...rest) =>
        request(readdressed(operation, "/v1/positions", "/v1/position"), ...rest),
  ),
  broken(
    "R16",
    "the answer to a place says that it traded",
    () => OrderPlacer.prototype.send,
    (send) => async (prepared) => ({ ...(await send(prepared)), status: "FILLED" }),
  ),
  broken(
    "R17",
    "GTT may live for a minute",
    () => isValidGttLifetime,
    (isLife) => (lifeMs) => isLife(lifeMs) || lifeMs === MINUTE_MS,
  ),
  broken(
    "R18",
    "info expires nine years ahead",
    () => infoExpirationSeconds,
    (seconds) => (timeInForce, nowMs, endMs) =>
      seconds(timeInForce, nowMs, endMs) - (timeInForce === "GTT" ? 0 : 2 * 365.25 * 86_400),
  ),
  broken(
    "R19",
    "info has the milliseconds of the parameter",
    () => infoExpirationSeconds,
    (seconds) => (timeInForce, nowMs, endMs) =>
      timeInForce === "GTT" ? endMs : seconds(timeInForce, nowMs, endMs),
  ),
  broken(
    "R20",
    "an agreement is not looked at",
    hidden<(market: object, agreed: object | undefined) => object>(() => OrderPlacer, "feeRatesOf"),
    (rates) => (market) => rates(market, undefined),
  ),
  broken(
    "R21",
    "every order is a LIMIT order",
    () => OrderPlacer.prototype.prepare,
    (prepare) => (order) => prepare({ ...order, orderType: "LIMIT" }),
  ),
  broken(
    "L3",
    "maxExposure is not read",
    () => exchangeInfoAnswer,
    (answer) =>
      answer.transform(({ markets, ...rest }) => ({
        ...rest,
        markets: markets.map((market) => ({ ...market, maxExposure: toDecimal("0") })),
      })),
  ),
  broken(
    "OC1",
    "the separator forgets the version",
    () => domainSeparator,
    (separator) => (inputs) => separator({ ...inputs, domainVersion: inputs.domainName }),
  ),
  broken<string>(
    "OC2",
    "the order's type names its signer otherwise",
    () => ORDER_TYPE,
    (type) => type.replace("signer", "trader"),
  ),
  broken(
    "OC3",
    "an order is signed for the verifying contract",
    hidden<(rules: VenueRules) => { readonly rules: VenueRules }>(() => OrderPlacer, "#knownOf"),
    (knownOf) => (venue) => {
      const known = knownOf(venue);
      const { eip712, markets } = known.rules;
      const perp = eip712.verifyingContract;
      const moved = Object.entries(markets).map(([id, market]) => [id, { ...market, perp }]);
      return { ...known, rules: { ...known.rules, markets: Object.fromEntries(moved) } };
    },
  ),
  broken(
    "OC4",
    "a SELL is rounded up",
    () => buildOrderStruct,
    (build) => (inputs, info) => {
      const { side, instrument, ticks, lots, buyRounding } = inputs;
      const order = build(inputs, info);
      return side === "BUY" || buyRounding === "down"
        ? order
        : { ...order, creditAmount: instrument.creditCeil(ticks, lots) };
    },
  ),
  broken(
    "OC5",
    "selling gives positive paper",
    () => buildOrderStruct,
    (build) => (inputs, info) => {
      const order = build(inputs, info);
      const { paperAmount } = order;
      return { ...order, paperAmount: paperAmount < 0n ? -paperAmount : paperAmount };
    },
  ),
  broken(
    "OC6",
    "info holds the nonce in the place of the expiration",
    () => encodeInfo,
    (encode) => (info) => encode(info).replace(/(.{16})(.{16})$/, "$2$1"),
  ),
  broken(
    "OC7",
    "the hash begins with other bytes",
    hidden<readonly number[]>(() => OrderHasher, "ENVELOPE_HEAD"),
    () => [0x19, 0x45],
  ),
  broken(
    "OC8",
    "an order's signature lacks its recovery byte",
    hidden<(digest: Uint8Array) => string>(() => OrderPlacer, "#sign"),
    (sign) => (digest) => sign(digest).slice(0, -2),
  ),
  broken(
    "OC9",
    "what is asked of the service is never what it builds",
    hidden<(draft: { readonly lots: number }) => Promise<PreparedOrder>>(
      () => OrderPlacer,
      "#built",
    ),
    (built) => (draft) => built({ ...draft, lots: draft.lots + 1 }),
  ),
]);

/** The form of parameters as text, by their types. */
type Shapes = Record<"address" | "decimal", { readonly shape: RegExp; readonly expected: string }>;
