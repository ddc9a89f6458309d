import type { Ms } from "../../core/units.js";
import { ERROR_CODES, type ErrorCode } from "../../exchange/protocol/errors.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { VenueChoices } from "../config/choices.js";

/** A request that is refused with an error code; it has changed nothing. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** The content type of bodies, and of a 204 if the venue sends one. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** A response of the exchange to one request. */
export interface ApiResponse {
  readonly status: number;
  /** JSON text; empty with 204. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The credit that a client needs before it acts on the response; left out if none is pending. */
  readonly pendingCredit?: PendingCredit;
}

/** Credit that is pending when a response reports it. */
export interface PendingCredit {
  readonly account: ExchangeAccount;
  /** The time from which the client waits for it. */
  readonly sinceMs: Ms;
  /** The response once the credit counts. */
  body(): string;
}

/** The status of 2010, unless the venue chose another. */
const INTERNAL_ERROR = 500;

/** The response to a refused request (docs/reference/exchange-interface.md#errors). */
export function toErrorResponse(error: ApiError, choices: VenueChoices): ApiResponse {
  const usual =
    error.code === 2010
      ? INTERNAL_ERROR
      : error.code === 1010
        ? choices.unauthorizedStatus
        : choices.errorStatus;
  const status = choices.codeStatus[error.code] ?? usual;
  return {
    status,
    body: formatErrorBody(error.code, ERROR_CODES[error.code].codeText, error.message),
  };
}

/** The body of an error (docs/reference/exchange-interface.md#errors). */
export function formatErrorBody(code: number, codeText: string, message: string): string {
  return JSON.stringify({ code, codeText, message });
}
