import { z } from "zod";
import { alwaysWritten, count, writtenAs } from "./values.js";

/** One error code of the protocol. */
interface ErrorCodeRow {
  /** The constant's name in the exchange's documentation. */
  readonly name: string;
  /** The `codeText` that our exchange returns. */
  readonly codeText: string;
  /** True if the `codeText` is ours, because the public exchange's has not been observed. */
  readonly isOurText?: boolean;
  readonly meaning: string;
}

/** Every error code that the exchange documents. Codes are stable, messages are not. */
export const ERROR_CODES = {
  1010: {
    name: "UNAUTHORIZED_ERROR",
    codeText: "Unauthorized",
    isOurText: true,
    meaning: "not authorised for this request",
  },
  1011: {
    name: "INVALID_TIMESTAMP_ERROR",
    codeText: "Invalid timestamp",
    isOurText: true,
    meaning: "timestamp outside the signature window",
  },
  1012: {
    name: "INVALID_SIGNATURE_ERROR",
    codeText: "Invalid signature",
    meaning: "request or order signature invalid",
  },
  1110: {
    name: "BAD_ACCOUNT_ERROR",
    codeText: "Invalid account address",
    meaning: "invalid account",
  },
  1111: {
    name: "BAD_PARAMS_ERROR",
    codeText: "Bad params",
    meaning: "bad or inconsistent parameters",
  },
  1112: { name: "INVALID_MARKET_ERROR", codeText: "Invalid market id", meaning: "unknown market" },
  1113: {
    name: "INVALID_TIME_PERIOD_ERROR",
    codeText: "Invalid time period",
    isOurText: true,
    meaning: "bad startTime or endTime",
  },
  2010: {
    name: "INTERNAL_ERROR",
    codeText: "Internal error",
    isOurText: true,
    meaning: "internal error; whether the action happened is not known",
  },
  2011: {
    name: "NO_SUCH_ORDER_ERROR",
    codeText: "No such order",
    meaning: "the order does not exist, or no longer exists",
  },
  2012: {
    name: "MARGIN_INSUFFICIENT_ERROR",
    codeText: "Margin insufficient",
    isOurText: true,
    meaning: "not enough margin",
  },
  2013: {
    name: "MARKET_TRADING_NOT_ENABLED_ERROR",
    codeText: "Market trading not enabled",
    isOurText: true,
    meaning: "market not yet open",
  },
  2014: {
    name: "MARKET_TRADING_DISABLED_ERROR",
    codeText: "Market trading disabled",
    isOurText: true,
    meaning: "market suspended",
  },
  2015: {
    name: "MARKET_DELISTED_ERROR",
    codeText: "Market delisted",
    isOurText: true,
    meaning: "market delisted",
  },
  2016: {
    name: "INVALID_ORDER_ERROR",
    codeText: "Invalid order",
    isOurText: true,
    meaning: "order validation failed",
  },
  2017: {
    name: "MAX_OPEN_ORDER_EXCEEDED_ERROR",
    codeText: "Max open orders exceeded",
    isOurText: true,
    meaning: "more open orders than MAX_OPEN_ORDERS_FILTER allows",
  },
  2018: {
    name: "DUPLICATED_ACCOUNT_ERROR",
    codeText: "Duplicated account",
    meaning: "account already registered",
  },
  4010: {
    name: "PRICE_GREATER_THAN_MAX_PRICE_ERROR",
    codeText: "Price greater than max price",
    isOurText: true,
    meaning: "above PRICE_FILTER.maxPrice",
  },
  4011: {
    name: "MAX_PRICE_LESS_THAN_MIN_PRICE_ERROR",
    codeText: "Price less than min price",
    isOurText: true,
    meaning: "below PRICE_FILTER.minPrice",
  },
  4012: {
    name: "INVALID_ORDER_INFO_ERROR",
    codeText: "Invalid order info",
    isOurText: true,
    meaning: "info is wrong: fee rates, expiration",
  },
  4013: {
    name: "EXPOSURE_GREATER_THAN_MAX_ACCOUNT_LIMIT_ERROR",
    codeText: "Exposure greater than max account limit",
    isOurText: true,
    meaning: "the account's exposure cap; more margin does not help",
  },
} as const satisfies Readonly<Record<number, ErrorCodeRow>>;

/** A code that the protocol documents. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** One documented error of the exchange. */
export interface VenueErrorCode {
  /** Stable, unlike messages. */
  readonly code: number;
  /** The constant's name in the exchange's documentation. */
  readonly name: string;
  /** The `codeText`, if it has been observed. */
  readonly codeText: string | undefined;
  readonly meaning: string;
}

/** Every documented error code of the exchange; it may return others. */
export const VENUE_ERROR_CODES: readonly VenueErrorCode[] = Object.entries<ErrorCodeRow>(
  ERROR_CODES,
).map(([code, { name, codeText, isOurText, meaning }]) => ({
  code: Number(code),
  name,
  codeText: isOurText ? undefined : codeText,
  meaning,
}));

const BY_CODE: ReadonlyMap<number, VenueErrorCode> = new Map(
  VENUE_ERROR_CODES.map((entry) => [entry.code, entry]),
);

/**
 * Returns the documentation of a code; undefined for an unknown one.
 * @example
 * ```ts
 * import { venueErrorCode } from "marketwright/exchange";
 *
 * venueErrorCode(1011)?.name; // => "INVALID_TIMESTAMP_ERROR"
 * venueErrorCode(99); // => undefined
 * ```
 */
export function venueErrorCode(code: number): VenueErrorCode | undefined {
  return BY_CODE.get(code);
}

/** Codes that the client itself handles. */
export const NO_SUCH_ORDER = 2011 satisfies ErrorCode;
/** The code of an internal error, which does not say whether the request took effect. */
export const INTERNAL_ERROR = 2010 satisfies ErrorCode;
/** The code of an order that breaks the rules of its market. */
export const INVALID_ORDER = 2016 satisfies ErrorCode;
/** The code of an account that is registered already. */
export const DUPLICATED_ACCOUNT = 2018 satisfies ErrorCode;
/** The code of a timestamp outside the signature window. */
export const INVALID_TIMESTAMP = 1011 satisfies ErrorCode;
/** The code of a wrong signature, of a request or of an order. */
export const INVALID_SIGNATURE = 1012 satisfies ErrorCode;
/** The code of an unknown market. */
export const INVALID_MARKET = 1112 satisfies ErrorCode;
/** Rejections of orders that follow outdated rules; {@link INVALID_ORDER} has other causes too. */
export const OLD_RULES: readonly number[] = [INVALID_ORDER, 2017, 4010, 4011, 4012];
/** Rejections for an unknown account: not authorised, or not a valid account. */
export const NO_ACCOUNT: readonly number[] = [1010, 1110];

const text = alwaysWritten(
  writtenAs(
    z
      .string()
      .nullish()
      .transform((given) => given ?? ""),
    z.string(),
  ),
);

/** The body of a rejected request. */
export const errorBody = z.looseObject({
  code: writtenAs(
    z.int(),
    count.meta({
      description: Object.entries(ERROR_CODES)
        .map(([code, { codeText }]) => `${code} ${codeText}`)
        .join("; "),
    }),
  ),
  codeText: text,
  message: text,
});

/** The body of a rejected request as JSON. */
export interface WireError {
  /** One of {@link VENUE_ERROR_CODES}. */
  readonly code: number;
  readonly codeText: string;
  readonly message: string;
}
