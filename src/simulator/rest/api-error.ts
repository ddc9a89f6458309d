import type { VenueChoices } from "../choices.js";

/** The exchange's error codes (protocol 2); where the public text of a code is unknown, it is ours. */
export const CODE_TEXTS = {
  1010: "Unauthorized",
  1011: "Invalid timestamp",
  1012: "Invalid signature",
  1110: "Invalid account address",
  1111: "Bad params",
  1112: "Invalid market id",
  1113: "Invalid time period",
  2010: "Internal error",
  2011: "No such order",
  2012: "Margin insufficient",
  2013: "Market trading not enabled",
  2014: "Market trading disabled",
  2015: "Market delisted",
  2016: "Invalid order",
  2017: "Max open orders exceeded",
  2018: "Duplicated account",
  4010: "Price greater than max price",
  4011: "Price less than min price",
  4012: "Invalid order info",
  4013: "Exposure greater than max account limit",
} as const;

/** A code that the exchange answers with. */
export type ApiCode = keyof typeof CODE_TEXTS;

/** A request that is refused with a coded error; it has changed nothing. */
export class ApiError extends Error {
  constructor(
    readonly code: ApiCode,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** An answer of the exchange to one request. */
export interface ApiAnswer {
  readonly status: number;
  /** JSON text; empty with 204. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Of 2010, unless the venue chose another. */
const INTERNAL_ERROR = 500;

/** The answer to a refused request (specification, "Errors"). */
export function errorAnswer(error: ApiError, choices: VenueChoices): ApiAnswer {
  const usual = error.code === 2010 ? INTERNAL_ERROR : error.code === 1010 ? choices.unauthorizedStatus : choices.errorStatus;
  const status = choices.codeStatus[error.code] ?? usual;
  return { status, body: errorBody(error.code, CODE_TEXTS[error.code], error.message) };
}

/** The body of an error (specification, "Errors"). */
export function errorBody(code: number, codeText: string, message: string): string {
  return JSON.stringify({ code, codeText, message });
}
