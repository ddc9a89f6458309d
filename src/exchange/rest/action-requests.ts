import { hexToBytes } from "../../core/crypto/hex.js";
import type { Signer } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { OPERATIONS, type OperationName } from "../protocol/operations.js";
import { MAX_PAGE } from "../protocol/parameters.js";
import { formEncode, type RequestParams, signedText } from "../signing/request-signing.js";
import type { Action, BuildAction, PlaceAction, QueryAction } from "../venue.js";
import { restRequest } from "./rest-messages.js";
import type { HttpRequest } from "./transport.js";

/** Context for turning an action into a request. */
export interface RequestContext {
  readonly signer: Signer;
  /** The trading account: the signer's own, or one for which the signer is operator. */
  readonly account: Hex;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  readonly timeoutMs: Ms;
}

/** The smallest depth that can be requested, if only its sequence is wanted. */
const SMALLEST_BOOK = "10";

/**
 * Converts an action to its signed HTTP request: the order first, for a place, then the whole
 * request.
 * @throws RunError when the action's market is not known; FormatError when a value cannot be
 * encoded.
 * @example
 * ```ts
 * import { ecdsaScheme, buildActionRequest } from "marketwright/exchange";
 *
 * const signer = ecdsaScheme.signer(`0x${"11".repeat(32)}`);
 * const request = buildActionRequest(
 *   { actionId: 1, timestampMs: 1_700_000_000_000, kind: "cancel-all", marketId: "btcusdc" },
 *   { signer, account: signer.address, instruments: new Map(), timeoutMs: 5000 },
 * );
 * `${request.method} ${request.path}`; // => "DELETE /v1/allOpenOrders"
 * request.params.includes("&marketId=btcusdc&timestamp=1700000000000&signature=0x"); // => true
 * ```
 */
export function buildActionRequest(action: Action, context: RequestContext): HttpRequest {
  const { timeoutMs } = context;
  if (action.kind === "place") {
    const { method, path } = OPERATIONS.placeOrder;
    return {
      method,
      path,
      params: signedText(placeText(action, context), context.signer),
      timeoutMs,
    };
  }
  const { name, params } = operationOf(action, context);
  const { signer, account } = context;
  const { timestampMs } = action;
  return restRequest(OPERATIONS[name], params, timeoutMs, { signer, account, timestampMs });
}

/** Returns the exchange's operation for an action. */
export function operationNameFor(action: Action): OperationName {
  switch (action.kind) {
    case "place":
      return "placeOrder";
    case "build":
      return "buildOrder";
    case "cancel":
      return "cancelOrder";
    case "cancel-all":
      return "cancelAllOpenOrders";
    case "question":
      return questionOf(action).name;
  }
}

interface NamedOperation {
  readonly name: OperationName;
  readonly params: RequestParams;
}

function operationOf(
  action: Exclude<Action, PlaceAction>,
  context: RequestContext,
): NamedOperation {
  switch (action.kind) {
    case "build":
      return { name: "buildOrder", params: orderParams(action, context) };
    case "cancel":
      return {
        name: "cancelOrder",
        params: { marketId: action.marketId, orderId: action.orderId },
      };
    case "cancel-all":
      return { name: "cancelAllOpenOrders", params: { marketId: action.marketId } };
    case "question":
      return questionOf(action);
  }
}

/**
 * The canonical text of a place, as {@link formatCanonicalParams} makes it from its parameters.
 * This path from a frame to an order writes them in their order directly: collecting and sorting
 * takes longer than everything else but the signing.
 */
function placeText(action: PlaceAction, { instruments, account, signer }: RequestContext): string {
  const instrument = instrumentOf(action, instruments);
  const {
    marketId,
    side,
    type,
    ticks,
    lots,
    timeInForce,
    expirationMs,
    order,
    hash,
    gasFeeQuotation,
    timestampMs,
  } = action;
  const expiration = timeInForce === "GTT" ? `&expiration=${expirationMs}` : "";
  const quotation =
    gasFeeQuotation === undefined ? "" : `&gasFeeQuotation=${formEncode(gasFeeQuotation)}`;
  return (
    `account=${account}&amount=${instrument.formatAmount(lots)}${expiration}${quotation}&info=${order.info}&marketId=${formEncode(marketId)}` +
    `&orderSignature=${signer.sign(hexToBytes(hash, "hash"))}&orderType=${type}&price=${instrument.formatPrice(ticks)}` +
    `&side=${side}&timeInForce=${timeInForce}&timestamp=${timestampMs}`
  );
}

function instrumentOf(
  action: PlaceAction | BuildAction,
  instruments: RequestContext["instruments"],
): Instrument {
  const instrument = instruments.get(action.marketId);
  if (instrument === undefined) {
    throw new RunError("the market's rules are not known", {
      field: "marketId",
      value: action.marketId,
      expected: "a market of exchangeInfo",
    });
  }
  return instrument;
}

function orderParams(action: BuildAction, { instruments }: RequestContext): RequestParams {
  const instrument = instrumentOf(action, instruments);
  const params: Record<string, string> = {
    marketId: action.marketId,
    side: action.side,
    orderType: action.type,
    amount: instrument.formatAmount(action.lots),
    price: instrument.formatPrice(action.ticks),
    timeInForce: action.timeInForce,
  };
  if (action.timeInForce === "GTT") params.expiration = String(action.expirationMs);
  return params;
}

function questionOf(action: QueryAction): NamedOperation {
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
        params: present({
          marketId: action.marketId,
          startTime: action.startTimeMs,
          endTime: action.endTimeMs,
          limit: MAX_PAGE,
        }),
      };
    case "userTrades":
      return {
        name: "userTrades",
        params: present({
          marketId: action.marketId,
          fromId: action.fromId,
          startTime: action.startTimeMs,
          limit: MAX_PAGE,
        }),
      };
    case "incomes":
      return {
        name: "incomes",
        params: present({
          marketId: action.marketId,
          type: action.type,
          startTime: action.startTimeMs,
          endTime: action.endTimeMs,
          limit: MAX_PAGE,
        }),
      };
    case "balances":
      return { name: "balances", params: {} };
    case "positions":
      return { name: "positions", params: {} };
    case "bookSequence":
      return { name: "orderbook", params: { marketId: action.marketId, limit: SMALLEST_BOOK } };
  }
}

/** Returns the present parameters, as strings. */
export function present(
  params: Readonly<Record<string, string | number | bigint | undefined>>,
): RequestParams {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) given[name] = String(value);
  return given;
}
