import type { ApiResponse } from "../../rest/api-error.js";

interface UsdmErrorRow {
  /** The name in the interface's documentation. */
  readonly name: string;
  readonly msg: string;
  /** The HTTP status, if it is not 400. */
  readonly status?: number;
}

/**
 * The error codes that the dialect returns. Names and codes are those of
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code
 */
export const USDM_ERRORS = {
  "-1000": {
    name: "UNKNOWN",
    msg: "An unknown error occured while processing the request.",
    status: 500,
  },
  "-1001": {
    name: "DISCONNECTED",
    msg: "Internal error; unable to process your request. Please try again.",
    status: 503,
  },
  "-1003": { name: "TOO_MANY_REQUESTS", msg: "Too many requests.", status: 429 },
  "-1007": {
    name: "TIMEOUT",
    msg: "Timeout waiting for response from backend server. Send status unknown; execution status unknown.",
    status: 503,
  },
  "-1015": { name: "TOO_MANY_ORDERS", msg: "Too many new orders.", status: 429 },
  "-1016": {
    name: "SERVICE_SHUTTING_DOWN",
    msg: "This service is no longer available.",
    status: 503,
  },
  "-1021": {
    name: "INVALID_TIMESTAMP",
    msg: "Timestamp for this request is outside of the recvWindow.",
  },
  "-1022": { name: "INVALID_SIGNATURE", msg: "Signature for this request is not valid." },
  "-1023": {
    name: "START_TIME_GREATER_THAN_END_TIME",
    msg: "Start time is greater than end time.",
  },
  "-1100": { name: "ILLEGAL_CHARS", msg: "Illegal characters found in a parameter." },
  "-1101": { name: "TOO_MANY_PARAMETERS", msg: "Duplicate values for a parameter detected." },
  "-1102": {
    name: "MANDATORY_PARAM_EMPTY_OR_MALFORMED",
    msg: "A mandatory parameter was not sent, was empty/null, or malformed.",
  },
  "-1106": { name: "PARAM_NOT_REQUIRED", msg: "A parameter was sent when not required." },
  "-1111": { name: "BAD_PRECISION", msg: "Precision is over the maximum defined for this asset." },
  "-1115": { name: "INVALID_TIF", msg: "Invalid timeInForce." },
  "-1116": { name: "INVALID_ORDER_TYPE", msg: "Invalid orderType." },
  "-1117": { name: "INVALID_SIDE", msg: "Invalid side." },
  "-1120": { name: "BAD_INTERVAL", msg: "Invalid interval." },
  "-1121": { name: "BAD_SYMBOL", msg: "Invalid symbol." },
  "-1125": { name: "INVALID_LISTEN_KEY", msg: "This listenKey does not exist." },
  "-1130": { name: "INVALID_PARAMETER", msg: "Data sent for a parameter is not valid." },
  "-1131": { name: "BAD_RECV_WINDOW", msg: "recvWindow must be less than 60000" },
  "-1136": { name: "INVALID_NEW_ORDER_RESP_TYPE", msg: "Invalid newOrderRespType." },
  "-2010": { name: "NEW_ORDER_REJECTED", msg: "The order was rejected." },
  "-2011": { name: "CANCEL_REJECTED", msg: "Unknown order sent." },
  "-2013": { name: "NO_SUCH_ORDER", msg: "Order does not exist." },
  "-2014": { name: "BAD_API_KEY_FMT", msg: "API-key format invalid.", status: 401 },
  "-2015": {
    name: "REJECTED_MBX_KEY",
    msg: "Invalid API-key, IP, or permissions for action.",
    status: 401,
  },
  "-2019": { name: "MARGIN_NOT_SUFFICIEN", msg: "Margin is insufficient." },
  "-2022": { name: "REDUCE_ONLY_REJECT", msg: "ReduceOnly Order is rejected." },
  "-2025": { name: "MAX_OPEN_ORDER_EXCEEDED", msg: "Reach max open order limit." },
  "-2027": {
    name: "MAX_LEVERAGE_RATIO",
    msg: "Exceeded the maximum allowable position at current leverage.",
  },
  "-4001": { name: "PRICE_LESS_THAN_ZERO", msg: "Price less than 0." },
  "-4002": { name: "PRICE_GREATER_THAN_MAX_PRICE", msg: "Price greater than max price." },
  "-4003": { name: "QTY_LESS_THAN_ZERO", msg: "Quantity less than zero." },
  "-4004": { name: "QTY_LESS_THAN_MIN_QTY", msg: "Quantity less than min quantity." },
  "-4005": { name: "QTY_GREATER_THAN_MAX_QTY", msg: "Quantity greater than max quantity." },
  "-4013": { name: "PRICE_LESS_THAN_MIN_PRICE", msg: "Price less than min price." },
  "-4014": { name: "PRICE_NOT_INCREASED_BY_TICK_SIZE", msg: "Price not increased by tick size." },
  "-4015": { name: "INVALID_CL_ORD_ID_LEN", msg: "Client order id is not valid." },
  "-4016": {
    name: "PRICE_HIGHTER_THAN_MULTIPLIER_UP",
    msg: "Price is higher than mark price multiplier cap.",
  },
  "-4021": { name: "INVALID_DEPTH_LIMIT", msg: "This is not a valid depth limit." },
  "-4023": { name: "QTY_NOT_INCREASED_BY_STEP_SIZE", msg: "Qty not increased by step size." },
  "-4024": {
    name: "PRICE_LOWER_THAN_MULTIPLIER_DOWN",
    msg: "Price is lower than mark price multiplier floor.",
  },
  "-4028": { name: "INVALID_LEVERAGE", msg: "Leverage is not valid." },
  "-4046": { name: "NO_NEED_TO_CHANGE_MARGIN_TYPE", msg: "No need to change margin type." },
  "-4059": { name: "NO_NEED_TO_CHANGE_POSITION_SIDE", msg: "No need to change position side." },
  "-4061": {
    name: "POSITION_SIDE_NOT_MATCH",
    msg: "Order's position side does not match user's setting.",
  },
  "-4084": { name: "UPCOMING_METHOD", msg: "Method is not allowed currently. Upcoming soon." },
  "-4116": { name: "DUPLICATED_CLIENT_ORDER_ID", msg: "ClientOrderId is duplicated." },
  "-4120": {
    name: "STOP_ORDER_SWITCH_ALGO",
    msg: "Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.",
  },
  "-4131": {
    name: "MARKET_ORDER_REJECT",
    msg: "The counterparty's best price does not meet the PERCENT_PRICE filter limit.",
  },
  "-4140": {
    name: "INVALID_OPENING_POSITION_STATUS",
    msg: "Invalid symbol status for opening position.",
  },
  "-4141": { name: "SYMBOL_ALREADY_CLOSED", msg: "Symbol is closed." },
  "-4164": { name: "MIN_NOTIONAL", msg: "Order's notional is too small." },
  "-4171": { name: "NO_NEED_TO_CHANGE_ASSETS_MODE", msg: "No need to change multi-assets mode." },
  "-5000": { name: "METHOD_NOT_FOUND", msg: "This path or method is not valid.", status: 404 },
  "-5021": {
    name: "FOK_ORDER_REJECT",
    msg: "Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history",
  },
  "-5022": {
    name: "GTX_ORDER_REJECT",
    msg: "Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history",
  },
} as const satisfies Readonly<Record<string, UsdmErrorRow>>;

/** An error code of the dialect. */
export type UsdmErrorCode = keyof typeof USDM_ERRORS;

/** A refused request of the dialect; it has changed nothing. */
export class UsdmError extends Error {
  readonly headers: Readonly<Record<string, string>>;
  readonly #status: number | undefined;

  /**
   * @param msg a text more exact than the code's own
   * @param options.status in place of the code's own
   */
  constructor(
    readonly code: UsdmErrorCode,
    msg?: string,
    options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(msg ?? USDM_ERRORS[code].msg);
    this.name = "UsdmError";
    this.#status = options.status;
    this.headers = options.headers ?? {};
  }

  /** The response: `{"code":-1121,"msg":"Invalid symbol."}`. */
  toResponse(): ApiResponse {
    const row: UsdmErrorRow = USDM_ERRORS[this.code];
    return {
      status: this.#status ?? row.status ?? 400,
      body: `{"code":${this.code},"msg":${JSON.stringify(this.message)}}`,
      headers: this.headers,
    };
  }
}
