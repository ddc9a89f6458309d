import type { Ms } from "../../core/units.js";
import { INVALID_TIMESTAMP } from "../protocol/errors.js";
import { VenueError, VenueRequestError } from "../venue-errors.js";

/** The pause after a 429, and after a 418, that do not give a time themselves. */
export const THROTTLED_MS: Readonly<Record<429 | 418, Ms>> = { 429: 5_000, 418: 60_000 };

/** A transient failure: the same request may succeed later without any change. */
export interface TransientFailure {
  /**
   * The cause:
   * - `no-connection`: nothing of the request was sent. The connection was refused, or no host or
   *   route was found: the exchange restarts, or there is none.
   * - `no-answer`: the request was sent, and then timed out or was cut off.
   * - `not-now`: the exchange, or a proxy before it, responded but could not work: a 5xx with any
   *   body, an internal error (2010), a 408, a 429, or a success that is not JSON, such as a
   *   maintenance page.
   * - `banned`: a 418. Requests before the end of a ban may prolong it.
   * - `other-time`: 1011. The request was delayed, or the clock that signed it is off. The latter
   *   passes only when the exchange's clock is read again.
   */
  readonly cause: "no-connection" | "no-answer" | "not-now" | "banned" | "other-time";
  /** Time to wait before a retry: as the exchange says, or {@link THROTTLED_MS}; 0 if unknown. */
  readonly retryAfterMs: Ms;
}

/**
 * The one rule that decides if a failure is transient. Its callers decide only what to do with each
 * cause. Whether a request may be repeated at all is a separate rule: a place may not, whatever the
 * cause.
 * @returns undefined for a permanent failure: every other coded rejection (a wrong signature, an
 * unknown account or market, wrong parameters), an uncoded response that comes from no exchange or
 * denies access (a redirect, 403, 404 and every other 4xx), a response that is not as specified
 * (FormatError), and errors of our own.
 */
export function classifyTransientFailure(error: unknown): TransientFailure | undefined {
  if (error instanceof VenueError) {
    if (error.code === INVALID_TIMESTAMP) return { cause: "other-time", retryAfterMs: 0 };
    return error.mayHaveHappened ? { cause: "not-now", retryAfterMs: 0 } : undefined;
  }
  if (!(error instanceof VenueRequestError)) return undefined;
  const { httpStatus, retryAfterMs, timedOut, mayHaveHappened } = error;
  if (httpStatus === undefined)
    return { cause: timedOut || mayHaveHappened ? "no-answer" : "no-connection", retryAfterMs: 0 };
  if (httpStatus === 418)
    return { cause: "banned", retryAfterMs: retryAfterMs ?? THROTTLED_MS[418] };
  if (httpStatus === 429)
    return { cause: "not-now", retryAfterMs: retryAfterMs ?? THROTTLED_MS[429] };
  return httpStatus < 300 || httpStatus >= 500 || httpStatus === 408
    ? { cause: "not-now", retryAfterMs: 0 }
    : undefined;
}
