import { RunError } from "../../core/errors.js";
import type { Ms } from "../../core/units.js";

/** A question was refused since too many were asked: by the exchange (HTTP 429 or 418), or before it was sent. */
export class TooManyRequests extends RunError {
  /** How long it is to be left alone: as it says, or for the whole of its window. */
  readonly retryAfterMs: Ms;

  constructor(why: string, retryAfterMs: Ms) {
    super(`${why}: again in ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** How far the interval grows, as a multiple of the configured one. */
const MOST_TIMES = 16;
/** The interval stays long for so long after the last refusal: the budget that ran out is shared, and fills within a minute. */
const SLOW_FOR_MS: Ms = 300_000;
/** The longest that a timer takes; a ban beyond it is asked about once before its end. */
const MOST_WAIT_MS: Ms = 2 ** 31 - 1;

/** How long a repeated question waits for its next turn: each refusal doubles the interval for a while. */
export class PollPace {
  readonly #pollMs: Ms;
  #intervalMs: Ms;
  #slowUntilMs = Number.NEGATIVE_INFINITY;

  constructor(pollMs: Ms) {
    this.#pollMs = pollMs;
    this.#intervalMs = pollMs;
  }

  /** It was asked, and not refused for its rate. @returns how long the next question waits. */
  onAccepted(nowMs: Ms): Ms {
    if (nowMs >= this.#slowUntilMs) this.#intervalMs = this.#pollMs;
    return this.#intervalMs;
  }

  /** It was refused for its rate. @returns how long the next question waits. */
  refused({ retryAfterMs }: TooManyRequests, nowMs: Ms): Ms {
    this.#intervalMs = Math.min(2 * this.#intervalMs, MOST_TIMES * this.#pollMs);
    const waitMs = Math.min(Math.max(retryAfterMs, this.#intervalMs), MOST_WAIT_MS);
    this.#slowUntilMs = nowMs + waitMs + SLOW_FOR_MS;
    return waitMs;
  }
}
