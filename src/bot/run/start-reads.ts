import type { Clock } from "../../core/seam.js";
import type { Ms } from "../../core/units.js";
import { passingFailure } from "../../exchange/passing-failure.js";
import type { Log } from "../../monitoring/log.js";

/** No read of a start is asked again later than this after the first. */
const WITHIN_MS: Ms = 10_000;
const FIRST_PAUSE_MS: Ms = 250;

/**
 * What a bot asks the exchange before it runs: an answer that fails and may come by itself ({@link passingFailure}) is asked for again with doubling
 * pauses, all reads of a start together for at most ten seconds. A refusal, a longer ban, and an exchange that takes no connection, since its address
 * may be wrong, are told at once.
 */
export class StartReads {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #endMs: Ms;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#endMs = clock.monotonicMs() + WITHIN_MS;
  }

  /** Asks until there is an answer. @throws what the last attempt threw. */
  async answerOf<T>(ask: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      try {
        return await ask();
      } catch (error) {
        const passing = passingFailure(error);
        if (!(error instanceof Error) || passing === undefined || passing.cause === "no-connection") throw error;
        const waitMs = Math.max(pauseMs, passing.againAfterMs);
        if (this.#clock.monotonicMs() + waitMs > this.#endMs) throw error;
        this.#log.warn({ error: error.message, againInMs: waitMs }, "the exchange did not answer: asked again");
        await new Promise<void>((resolve) => {
          this.#clock.setTimer(waitMs, resolve);
        });
      }
    }
  }
}
