import type { Seam } from "../core/seam.js";
import type { Ms } from "../core/units.js";
import { pause } from "./pause.js";
import { VenueError, VenueRequestError } from "./venue-errors.js";

/** How often and how fast reads and cancels are repeated. */
export interface RetryPolicy {
  /** Tries in all; 1 repeats nothing. */
  readonly tries: number;
  /** The first pause at most; it doubles with each try, and its upper half is drawn at random. */
  readonly pauseMs: Ms;
  readonly maxPauseMs: Ms;
}

/** Four tries within about two seconds. */
export const DEFAULT_RETRY: RetryPolicy = { tries: 4, pauseMs: 200, maxPauseMs: 5000 };

/**
 * Repeats what may be repeated: a read or a cancel that got no answer, a 5xx, an internal error (2010), a 429, or a success that is no JSON, as the
 * maintenance page of what stands before an exchange is. A refusal by the exchange stands, and so does a ban (418). The caller decides what may be repeated at all; a place never may.
 */
export class Retrier {
  readonly #seam: Seam;
  readonly #policy: RetryPolicy;

  constructor(seam: Seam, policy: Partial<RetryPolicy> = {}) {
    this.#seam = seam;
    this.#policy = { ...DEFAULT_RETRY, ...policy };
  }

  /** @throws the last try's error, which says how many there were. */
  async run<Answer>(attempt: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const failure = error instanceof VenueError || error instanceof VenueRequestError ? error : undefined;
        if (failure === undefined) throw error;
        const waitMs = isPassing(failure) && signal?.aborted !== true ? this.#pauseMs(tries, failure) : undefined;
        if (waitMs === undefined) throw tries === 1 ? error : failure.after(tries);
        await pause(this.#seam.clock, waitMs, signal);
      }
    }
  }

  /** Before the next try; undefined when there is none. */
  #pauseMs(tries: number, failure: VenueError | VenueRequestError): Ms | undefined {
    const { tries: most, pauseMs, maxPauseMs } = this.#policy;
    if (tries >= most) return undefined;
    const longest = Math.min(maxPauseMs, pauseMs * 2 ** Math.min(tries - 1, 30));
    const drawn = Math.ceil(longest * (0.5 + 0.5 * this.#seam.random.uniform()));
    return Math.max(drawn, failure instanceof VenueRequestError ? (failure.retryAfterMs ?? 0) : 0);
  }
}

function isPassing(failure: VenueError | VenueRequestError): boolean {
  if (failure instanceof VenueError) return failure.mayHaveHappened;
  const { httpStatus } = failure;
  return httpStatus === undefined || httpStatus < 300 || httpStatus >= 500 || httpStatus === 429;
}
