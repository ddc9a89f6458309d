import type { Ms } from "../../core/units.js";
import { INVALID_TIMESTAMP } from "../protocol/errors.js";
import { VenueError, VenueRequestError } from "../venue-errors.js";

/** How long nothing is sent after a 429, and after a 418, that say no time themselves. */
export const THROTTLED_MS: Readonly<Record<429 | 418, Ms>> = { 429: 5_000, 418: 60_000 };

/** A failure that may pass: the same request, made again, may succeed though nobody has changed anything. */
export interface TransientFailure {
  /**
   * What has to pass:
   * - `no-connection`: nothing of the request left. The connection was refused, or no host or way was found: the exchange starts anew, or there is none.
   * - `no-answer`: it was sent, and waited for in vain or cut off.
   * - `not-now`: the exchange, or what stands before it, answered and could not work: a 5xx whatever its body is, an internal error (2010), a 408, a 429, or a
   *   success that is no JSON, as a maintenance page.
   * - `banned`: a 418. Who asks on before the end of a ban may make it longer.
   * - `other-time`: 1011. The request was long on its way, or the clock that signed it is off: that one passes only when the exchange's clock is read again.
   */
  readonly cause: "no-connection" | "no-answer" | "not-now" | "banned" | "other-time";
  /** Before that it is of no use to ask again: what the exchange says itself, or {@link THROTTLED_MS}; 0 where nothing is known. */
  readonly retryAfterMs: Ms;
}

/**
 * The one rule for "may this failure pass by itself?". Whoever asks it says only what it does with each cause. Whether a request may be repeated at all is
 * another question: a place may not, whatever has to pass.
 * @returns undefined for what stands: every other refusal with a code (a wrong signature, an account or a market that the exchange does not know, wrong
 * parameters), an answer without one that says that this is no exchange or that it lets nobody in (a redirect, 403, 404 and what else is a 4xx), an
 * answer that is not as specified (FormatError), and errors of our own.
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
