import { RunError } from "../core/errors.js";
import { hexToBytes } from "../core/hex.js";
import type { Instrument } from "../core/instrument.js";
import type { Signer } from "../core/signing.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import { MAX_PAGE, OPERATIONS, type OperationName } from "./operations.js";
import { canonicalParams, type RequestParams, signedParams } from "./request-signing.js";
import type { HttpRequest } from "./transport.js";
import type { Action, BuildAction, PlaceAction, QuestionAction } from "./venue.js";

/** What an action is turned into a request with. */
export interface RequestContext {
  readonly signer: Signer;
  /** The trading account: the signer's own, or one whose operator the signer is. */
  readonly account: Hex;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  readonly timeoutMs: Ms;
}

/** The smallest book that can be asked for, where only its sequence is wanted. */
const SMALLEST_BOOK = "10";

/**
 * An action as the HTTP request that carries it, signed: the order first, for a place, then the whole request.
 * @throws RunError when the action's market is not known; FormatError when a value cannot be encoded.
 */
export function requestOf(action: Action, context: RequestContext): HttpRequest {
  const { name, params } = operationOf(action, context);
  const { method, path, isPrivate } = OPERATIONS[name];
  return {
    method,
    path,
    params: isPrivate ? signedParams(params, context.account, action.timestampMs, context.signer) : canonicalParams(params),
    timeoutMs: context.timeoutMs,
  };
}

interface NamedOperation {
  readonly name: OperationName;
  readonly params: RequestParams;
}

function operationOf(action: Action, context: RequestContext): NamedOperation {
  switch (action.kind) {
    case "place":
      return { name: "placeOrder", params: placeParams(action, context) };
    case "build":
      return { name: "buildOrder", params: orderParams(action, context) };
    case "cancel":
      return { name: "cancelOrder", params: { marketId: action.marketId, orderId: action.orderId } };
    case "cancel-all":
      return { name: "cancelAllOpenOrders", params: { marketId: action.marketId } };
    case "question":
      return questionOf(action);
  }
}

function placeParams(action: PlaceAction, context: RequestContext): RequestParams {
  const params = orderParams(action, context);
  params.info = action.order.info;
  params.orderSignature = context.signer.sign(hexToBytes(action.hash, "hash"));
  if (action.gasFeeQuotation !== undefined) params.gasFeeQuotation = action.gasFeeQuotation;
  return params;
}

function orderParams(action: PlaceAction | BuildAction, { instruments }: RequestContext): Record<string, string> {
  const instrument = instruments.get(action.marketId);
  if (instrument === undefined) {
    throw new RunError("the market's rules are not known", {
      field: "marketId",
      value: action.marketId,
      expected: "a market of exchangeInfo",
    });
  }
  const params: Record<string, string> = {
    marketId: action.marketId,
    side: action.side,
    orderType: action.type,
    amount: instrument.amountOf(action.lots),
    price: instrument.priceOf(action.ticks),
    timeInForce: action.timeInForce,
  };
  if (action.timeInForce === "GTT") params.expiration = String(action.expirationMs);
  return params;
}

function questionOf(action: QuestionAction): NamedOperation {
  switch (action.ask) {
    case "time":
      return { name: "time", params: {} };
    case "rules":
      return { name: "exchangeInfo", params: {} };
    case "openOrders":
      return { name: "openOrders", params: present({ marketId: action.marketId }) };
    case "historyOrders":
      return {
        name: "historyOrders",
        params: present({ marketId: action.marketId, startTime: action.startTimeMs, endTime: action.endTimeMs, limit: MAX_PAGE }),
      };
    case "userTrades":
      return { name: "userTrades", params: present({ marketId: action.marketId, fromId: action.fromId, limit: MAX_PAGE }) };
    case "incomes":
      return { name: "incomes", params: present({ marketId: action.marketId, startTime: action.startTimeMs, limit: MAX_PAGE }) };
    case "balances":
      return { name: "balances", params: {} };
    case "positions":
      return { name: "positions", params: {} };
    case "bookSequence":
      return { name: "orderbook", params: { marketId: action.marketId, limit: SMALLEST_BOOK } };
  }
}

/** The parameters that are given, as strings. */
export function present(params: Readonly<Record<string, string | number | bigint | undefined>>): RequestParams {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) if (value !== undefined) given[name] = String(value);
  return given;
}
