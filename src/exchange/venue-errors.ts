import { MarketwrightError } from "../core/errors.js";
import { INTERNAL_ERROR, venueErrorCode } from "./protocol/errors.js";

/**
 * True if a coded response proves nothing about the request: an internal error, and any code under
 * a 5xx.
 */
export function isInconclusive(code: number, httpStatus: number): boolean {
  return code === INTERNAL_ERROR || httpStatus >= 500;
}

/**
 * The exchange responded with a code, which is a rejection unless
 * {@link VenueError.mayHaveHappened} (docs/reference/exchange-interface.md#errors).
 * @example
 * ```ts
 * import { VenueError } from "marketwright/exchange";
 *
 * const body = { code: 1012, codeText: "Invalid signature", message: "wrong key" };
 * const error = new VenueError(body, 400);
 * error.codeName; // => "INVALID_SIGNATURE_ERROR"
 * error.mayHaveHappened; // => false
 * ```
 */
export class VenueError extends MarketwrightError {
  /** Of the exchange's error codes. */
  readonly code: number;
  /** The documented name of the code, or `UNKNOWN_ERROR`. */
  readonly codeName: string;
  readonly codeText: string;
  /** The exchange's message, which may vary. */
  readonly venueMessage: string;
  /** The status of the HTTP answer. */
  readonly httpStatus: number;
  /** Number of tries; more than one only if repeating is safe. */
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

  /**
   * True if the exchange may have acted on the request anyway: an internal error (2010) and a 5xx
   * do not exclude it.
   */
  get mayHaveHappened(): boolean {
    return isInconclusive(this.code, this.httpStatus);
  }

  /** Returns the same error with the number of tries. */
  after(tries: number): VenueError {
    return new VenueError(
      { code: this.code, codeText: this.codeText, message: this.venueMessage },
      this.httpStatus,
      tries,
    );
  }
}

/** Details of a request without a usable response. */
export interface VenueRequestDetail {
  /** The status of the HTTP answer; absent where there was none. */
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly timedOut?: boolean;
  readonly mayHaveHappened: boolean;
  /** How often the request was sent; 1 when absent. */
  readonly tries?: number;
  readonly systemCode?: string | undefined;
}

/**
 * A request got no usable response: no connection, a time-out, a rate limit, a 5xx or a body that
 * is not JSON.
 * @example
 * ```ts
 * import { VenueRequestError } from "marketwright/exchange";
 *
 * const error = new VenueRequestError("no answer within 5 s", {
 *   mayHaveHappened: true,
 *   timedOut: true,
 * });
 * // Before placing again, look for the order among the open ones.
 * error.mayHaveHappened; // => true
 * error.tries; // => 1
 * ```
 */
export class VenueRequestError extends MarketwrightError {
  /** Absent if there was no response at all. */
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** True if it timed out, rather than being refused or cut off. */
  readonly timedOut: boolean;
  /** True if the exchange may have acted on the request. */
  readonly mayHaveHappened: boolean;
  /** Number of tries; more than one only if repeating is safe. */
  readonly tries: number;
  /**
   * The system's or HTTP parser's name of the connection's failure, such as `ECONNREFUSED`; absent
   * if it has none.
   */
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

  /** Returns the same error with the number of tries. */
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
