import type { Ms } from "../../core/units.js";
import { ERROR_CODES, type ErrorCode } from "../../exchange/protocol/errors.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { VenueChoices } from "../config/choices.js";

/** A request that is refused with a coded error; it has changed nothing. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** The content type of bodies, and of a 204 where the venue says so. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** An answer of the exchange to one request. */
export interface ApiResponse {
  readonly status: number;
  /** JSON text; empty with 204. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a client that goes by the answer needs first; left out where nothing is on its way. */
  readonly pendingCredit?: PendingCredit;
}

/** Credit that is on its way while an answer tells of it. */
export interface PendingCredit {
  readonly account: ExchangeAccount;
  /** From when on the client waits for it. */
  readonly sinceMs: Ms;
  /** What the answer is once the credit counts. */
  body(): string;
}

/** Of 2010, unless the venue chose another. */
const INTERNAL_ERROR = 500;

/** The answer to a refused request (docs/reference/exchange-interface.md#errors). */
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
