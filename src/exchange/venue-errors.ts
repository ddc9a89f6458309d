import { MarketwrightError } from "../core/errors.js";

/** One documented error of the exchange. */
export interface VenueErrorCode {
  readonly code: number;
  /** The constant's name in the exchange's documentation. */
  readonly name: string;
  /** The `codeText` where it has been seen. */
  readonly codeText: string | undefined;
  readonly meaning: string;
}

/** Every error code that the exchange documents; codes are stable, messages are not, and others may come. */
export const VENUE_ERROR_CODES: readonly VenueErrorCode[] = [
  {
    code: 1010,
    name: "UNAUTHORIZED_ERROR",
    codeText: undefined,
    meaning: "not authorised for this request",
  },
  {
    code: 1011,
    name: "INVALID_TIMESTAMP_ERROR",
    codeText: undefined,
    meaning: "timestamp outside the signature window",
  },
  {
    code: 1012,
    name: "INVALID_SIGNATURE_ERROR",
    codeText: "Invalid signature",
    meaning: "request or order signature invalid",
  },
  {
    code: 1110,
    name: "BAD_ACCOUNT_ERROR",
    codeText: "Invalid account address",
    meaning: "invalid account",
  },
  {
    code: 1111,
    name: "BAD_PARAMS_ERROR",
    codeText: "Bad params",
    meaning: "bad or inconsistent parameters",
  },
  {
    code: 1112,
    name: "INVALID_MARKET_ERROR",
    codeText: "Invalid market id",
    meaning: "unknown market",
  },
  {
    code: 1113,
    name: "INVALID_TIME_PERIOD_ERROR",
    codeText: undefined,
    meaning: "bad startTime or endTime",
  },
  {
    code: 2010,
    name: "INTERNAL_ERROR",
    codeText: undefined,
    meaning: "internal error; whether the action happened is not known",
  },
  {
    code: 2011,
    name: "NO_SUCH_ORDER_ERROR",
    codeText: "No such order",
    meaning: "the order does not exist, or no more",
  },
  {
    code: 2012,
    name: "MARGIN_INSUFFICIENT_ERROR",
    codeText: undefined,
    meaning: "not enough margin",
  },
  {
    code: 2013,
    name: "MARKET_TRADING_NOT_ENABLED_ERROR",
    codeText: undefined,
    meaning: "market not yet open",
  },
  {
    code: 2014,
    name: "MARKET_TRADING_DISABLED_ERROR",
    codeText: undefined,
    meaning: "market suspended",
  },
  { code: 2015, name: "MARKET_DELISTED_ERROR", codeText: undefined, meaning: "market delisted" },
  {
    code: 2016,
    name: "INVALID_ORDER_ERROR",
    codeText: undefined,
    meaning: "order validation failed",
  },
  {
    code: 2017,
    name: "MAX_OPEN_ORDER_EXCEEDED_ERROR",
    codeText: undefined,
    meaning: "more open orders than MAX_OPEN_ORDERS_FILTER allows",
  },
  {
    code: 2018,
    name: "DUPLICATED_ACCOUNT_ERROR",
    codeText: "Duplicated account",
    meaning: "account already registered",
  },
  {
    code: 4010,
    name: "PRICE_GREATER_THAN_MAX_PRICE_ERROR",
    codeText: undefined,
    meaning: "above PRICE_FILTER.maxPrice",
  },
  {
    code: 4011,
    name: "MAX_PRICE_LESS_THAN_MIN_PRICE_ERROR",
    codeText: undefined,
    meaning: "below PRICE_FILTER.minPrice",
  },
  {
    code: 4012,
    name: "INVALID_ORDER_INFO_ERROR",
    codeText: undefined,
    meaning: "info is wrong: fee rates, expiration",
  },
  {
    code: 4013,
    name: "EXPOSURE_GREATER_THAN_MAX_ACCOUNT_LIMIT_ERROR",
    codeText: undefined,
    meaning: "the account's exposure cap; more margin does not help",
  },
];

const BY_CODE: ReadonlyMap<number, VenueErrorCode> = new Map(
  VENUE_ERROR_CODES.map((entry) => [entry.code, entry]),
);

/** What is documented of a code; undefined for one that we do not know. */
export function venueErrorCode(code: number): VenueErrorCode | undefined {
  return BY_CODE.get(code);
}

/** Codes that the client itself acts on. */
export const NO_SUCH_ORDER = 2011;
export const INTERNAL_ERROR = 2010;
export const INVALID_ORDER = 2016;
export const DUPLICATED_ACCOUNT = 2018;
export const INVALID_TIMESTAMP = 1011;
export const INVALID_SIGNATURE = 1012;
export const INVALID_MARKET = 1112;
/** Refusals of orders that were made by rules which are no longer those of the exchange; {@link INVALID_ORDER} has other causes too. */
export const OLD_RULES: readonly number[] = [INVALID_ORDER, 2017, 4010, 4011, 4012];
/** What is answered for an account that the exchange does not know: not authorised, or no valid account. */
export const NO_ACCOUNT: readonly number[] = [1010, 1110];

/**
 * Whether an answer is the body of an error: under a status of success it is one all the same, since clients of this exchange branch on
 * `code`. A record with a field of that name alone is none.
 */
export function isErrorBody(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    ("message" in value || "codeText" in value)
  );
}

/** The exchange answered a request with a code, which is a refusal unless {@link VenueError.mayHaveHappened} (specification, "Errors"). */
export class VenueError extends MarketwrightError {
  readonly code: number;
  /** The documented name of the code, or `UNKNOWN_ERROR`. */
  readonly codeName: string;
  readonly codeText: string;
  /** The exchange's own words, which may vary. */
  readonly venueMessage: string;
  readonly httpStatus: number;
  /** How often the request was sent; more than once only where repeating is safe. */
  readonly tries: number;

  constructor(
    body: { readonly code: number; readonly codeText: string; readonly message: string },
    httpStatus: number,
    tries = 1,
  ) {
    const known = venueErrorCode(body.code);
    super(
      `the exchange refused the request: ${body.code} ${body.codeText || (known?.meaning ?? "unknown code")}: ${body.message}${afterTries(tries)}`,
    );
    this.code = body.code;
    this.codeName = known?.name ?? "UNKNOWN_ERROR";
    this.codeText = body.codeText;
    this.venueMessage = body.message;
    this.httpStatus = httpStatus;
    this.tries = tries;
  }

  /** Whether the exchange may have acted on the request all the same: an internal error (2010) and a 5xx say nothing about that. */
  get mayHaveHappened(): boolean {
    return this.code === INTERNAL_ERROR || this.httpStatus >= 500;
  }

  /** The same error, told after so many tries. */
  after(tries: number): VenueError {
    return new VenueError(
      { code: this.code, codeText: this.codeText, message: this.venueMessage },
      this.httpStatus,
      tries,
    );
  }
}

/** What is known of a request without a usable answer. */
export interface VenueRequestDetail {
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly timedOut?: boolean;
  readonly mayHaveHappened: boolean;
  readonly tries?: number;
  readonly systemCode?: string | undefined;
}

/** A request got no usable answer: no connection, a time-out, a rate limit, a 5xx or a body that is not JSON. */
export class VenueRequestError extends MarketwrightError {
  /** Absent where there was no answer at all. */
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** Whether it was waited for in vain, rather than refused or cut off. */
  readonly timedOut: boolean;
  /** Whether the exchange may have acted on the request. */
  readonly mayHaveHappened: boolean;
  /** How often the request was sent; more than once only where repeating is safe. */
  readonly tries: number;
  /** What the system or the HTTP parser calls the failure of the connection, such as `ECONNREFUSED`; absent where it has no name. */
  readonly systemCode: string | undefined;
  readonly #summary: string;

  constructor(summary: string, detail: VenueRequestDetail) {
    super(`${summary}${afterTries(detail.tries ?? 1)}`);
    this.#summary = summary;
    this.httpStatus = detail.httpStatus;
    this.retryAfterMs = detail.retryAfterMs;
    this.timedOut = detail.timedOut ?? false;
    this.mayHaveHappened = detail.mayHaveHappened;
    this.tries = detail.tries ?? 1;
    this.systemCode = detail.systemCode;
  }

  /** The same error, told after so many tries. */
  after(tries: number): VenueRequestError {
    const { httpStatus, retryAfterMs, timedOut, mayHaveHappened, systemCode } = this;
    return new VenueRequestError(this.#summary, {
      httpStatus,
      retryAfterMs,
      timedOut,
      mayHaveHappened,
      tries,
      systemCode,
    });
  }
}

function afterTries(tries: number): string {
  return tries > 1 ? ` (after ${tries} tries)` : "";
}
