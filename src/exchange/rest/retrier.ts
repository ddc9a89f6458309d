import type { Runtime } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { VenueError, VenueRequestError } from "../venue-errors.js";
import { pause } from "./pause.js";
import { classifyTransientFailure } from "./transient-failure.js";

/** Number and pace of the retries of reads and cancels. */
export interface RetryPolicy {
  /** Total tries; 1 disables retries. */
  readonly tries: number;
  /** The largest first pause. It doubles with each try; its upper half is random. */
  readonly pauseMs: Ms;
  readonly maxPauseMs: Ms;
}

/** Four tries within about two seconds. */
export const DEFAULT_RETRY: RetryPolicy = { tries: 4, pauseMs: 200, maxPauseMs: 5000 };

/**
 * Retries transient failures ({@link classifyTransientFailure}). Not retried are a rejection by the
 * exchange, a ban, which outlasts all tries, and a request with a wrong timestamp, because nothing
 * here reads the clock again. The caller decides what may be repeated at all; a place never may.
 */
export class Retrier {
  readonly #runtime: Runtime;
  readonly #policy: RetryPolicy;

  constructor(runtime: Runtime, policy: Partial<RetryPolicy> = {}) {
    this.#runtime = runtime;
    this.#policy = { ...DEFAULT_RETRY, ...policy };
  }

  /** @throws the last try's error, which contains the number of tries. */
  async run<Answer>(attempt: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const failure =
          error instanceof VenueError || error instanceof VenueRequestError ? error : undefined;
        if (failure === undefined) throw error;
        const waitMs = signal?.aborted === true ? undefined : this.#pauseMs(tries, failure);
        if (waitMs === undefined) throw tries === 1 ? error : failure.after(tries);
        await pause(this.#runtime.clock, waitMs, signal);
      }
    }
  }

  /** The pause before the next try; undefined when there is none. */
  #pauseMs(tries: number, failure: VenueError | VenueRequestError): Ms | undefined {
    const { tries: most, pauseMs, maxPauseMs } = this.#policy;
    const passing = classifyTransientFailure(failure);
    if (
      tries >= most ||
      passing === undefined ||
      passing.cause === "banned" ||
      passing.cause === "other-time"
    )
      return undefined;
    const longest = Math.min(maxPauseMs, pauseMs * 2 ** Math.min(tries - 1, 30));
    const drawn = Math.ceil(longest * (0.5 + 0.5 * this.#runtime.random.uniform()));
    return Math.max(drawn, passing.retryAfterMs);
  }
}
