import { rejectOnAbort } from "../../../core/runtime/reject-on-abort.js";
import type { Clock } from "../../../core/runtime/seam.js";
import type { Ms } from "../../../core/units.js";
import { pause } from "../../../exchange/rest/pause.js";
import { classifyTransientFailure } from "../../../exchange/rest/transient-failure.js";
import { VenueRequestError } from "../../../exchange/venue-errors.js";
import type { Log } from "../../../monitoring/log.js";

/** No read of a start is asked again later than this after the first that reached the exchange. */
const WITHIN_MS: Ms = 10_000;
const FIRST_PAUSE_MS: Ms = 250;
/** Between two tries at an exchange that takes no connection yet. */
const CONNECT_EVERY_MS: Ms = 500;

/**
 * What a system calls it when nobody listens at an address that may be right: the service is about
 * to start, or the way to it. A name that is not known (`ENOTFOUND`) and what is no HTTP are wrong
 * addresses.
 */
const NOBODY_YET: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "EAI_AGAIN",
]);

/**
 * An exchange that is waited for where nobody listens at its address yet: bot and exchange may be
 * started together.
 */
export interface ExchangeWait {
  readonly rest: string;
  /** How long it is waited for, altogether. */
  readonly withinMs: Ms;
  /** Ends every wait at once: what is asked rejects with its reason. */
  readonly signal: AbortSignal;
  /** Tells whoever waits, once. */
  readonly onWait: (sentence: string) => void;
}

/**
 * What a bot asks the exchange before it runs: an answer that fails and may come by itself ({@link
 * classifyTransientFailure}) is asked for again with doubling pauses, all reads of a start together
 * for at most ten seconds. An exchange where nobody listens yet is waited for where that is wanted.
 * A refusal, a longer ban, and an address that is wrong are told at once.
 */
export class StartupRetrier {
  readonly #clock: Clock;
  readonly #log: Pick<Log, "warn">;
  readonly #awaited: ExchangeWait | undefined;
  readonly #connectEndMs: Ms;
  #endMs: Ms;
  #isReported = false;

  /** @param awaited absent where an exchange that takes no connection is told at once. */
  constructor(clock: Clock, log: Pick<Log, "warn">, awaited?: ExchangeWait) {
    this.#clock = clock;
    this.#log = log;
    this.#awaited = awaited;
    this.#connectEndMs = clock.monotonicMs() + (awaited?.withinMs ?? 0);
    this.#endMs = clock.monotonicMs() + WITHIN_MS;
  }

  /**
   * Asks until there is an answer. @throws what the last attempt threw; the reason of the signal
   * that ended the wait.
   */
  async untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      try {
        // Whoever ends the wait does not wait for an answer that is under way.
        return await (this.#awaited === undefined
          ? ask()
          : rejectOnAbort(this.#awaited.signal, ask()));
      } catch (error) {
        if (this.#isAwaited(error)) {
          await this.#pause(CONNECT_EVERY_MS);
          // Its ten seconds begin when it is there.
          this.#endMs = this.#clock.monotonicMs() + WITHIN_MS;
          continue;
        }
        const passing = classifyTransientFailure(error);
        if (
          !(error instanceof Error) ||
          passing === undefined ||
          passing.cause === "no-connection" ||
          isNoHttp(error)
        )
          throw error;
        const waitMs = Math.max(pauseMs, passing.retryAfterMs);
        if (this.#clock.monotonicMs() + waitMs > this.#endMs) throw error;
        this.#log.warn(
          { error: error.message, againInMs: waitMs },
          "the exchange did not answer: asked again",
        );
        await this.#pause(waitMs);
        pauseMs *= 2;
      }
    }
  }

  #isAwaited(error: unknown): boolean {
    if (
      this.#awaited === undefined ||
      !(error instanceof VenueRequestError) ||
      !NOBODY_YET.has(error.systemCode)
    )
      return false;
    const { rest, withinMs, onWait: tell } = this.#awaited;
    if (this.#clock.monotonicMs() + CONNECT_EVERY_MS > this.#connectEndMs) return false;
    if (!this.#isReported)
      tell(
        `no exchange answers at ${rest} yet (${error.systemCode}): waiting for it to start, for up to ${withinMs / 1000} s (exchange.connectWithinMs)`,
      );
    this.#isReported = true;
    return true;
  }

  async #pause(forMs: Ms): Promise<void> {
    await pause(this.#clock, forMs, this.#awaited?.signal);
    this.#awaited?.signal.throwIfAborted();
  }
}

/** What answers at the address speaks something else. */
function isNoHttp(error: unknown): boolean {
  return error instanceof VenueRequestError && error.systemCode?.startsWith("HPE_") === true;
}
