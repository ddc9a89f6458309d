import { RunError } from "../../core/errors.js";
import type { Ms } from "../../core/units.js";

/**
 * A request was refused because of too many requests: by the exchange (HTTP 429 or 418), or before
 * it was sent.
 */
export class TooManyRequests extends RunError {
  /** Time to wait: as the exchange says, or its whole window. */
  readonly retryAfterMs: Ms;

  constructor(why: string, retryAfterMs: Ms) {
    super(`${why}: again in ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Largest multiple of the configured interval. */
const MOST_TIMES = 16;
/**
 * The interval stays long for this time after the last refusal. The exhausted budget is shared, and
 * refills within a minute.
 */
const SLOW_FOR_MS: Ms = 300_000;
/** The longest delay of a timer. A longer ban is probed once before its end. */
const MOST_WAIT_MS: Ms = 2 ** 31 - 1;

/** Interval of a repeated request. Each refusal doubles it for a while. */
export class PollPace {
  readonly #pollMs: Ms;
  #intervalMs: Ms;
  #slowUntilMs = Number.NEGATIVE_INFINITY;

  constructor(pollMs: Ms) {
    this.#pollMs = pollMs;
    this.#intervalMs = pollMs;
  }

  /**
   * Handles a request that was not refused for its rate. @returns the wait before the next request.
   */
  onAccepted(nowMs: Ms): Ms {
    if (nowMs >= this.#slowUntilMs) this.#intervalMs = this.#pollMs;
    return this.#intervalMs;
  }

  /** Handles a refusal for the rate. @returns the wait before the next request. */
  refused({ retryAfterMs }: TooManyRequests, nowMs: Ms): Ms {
    this.#intervalMs = Math.min(2 * this.#intervalMs, MOST_TIMES * this.#pollMs);
    const waitMs = Math.min(Math.max(retryAfterMs, this.#intervalMs), MOST_WAIT_MS);
    this.#slowUntilMs = nowMs + waitMs + SLOW_FOR_MS;
    return waitMs;
  }
}
