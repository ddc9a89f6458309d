import { rejectOnAbort } from "../../../core/runtime/reject-on-abort.js";
import type { Clock } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import { pause } from "../../../exchange/rest/pause.js";
import { classifyTransientFailure } from "../../../exchange/rest/transient-failure.js";
import { VenueRequestError } from "../../../exchange/venue-errors.js";
import type { Log } from "../../../monitoring/log.js";

/** Longest time for retries of all reads of a start, from the first that reached the exchange. */
const WITHIN_MS: Ms = 10_000;
const FIRST_PAUSE_MS: Ms = 250;
/** Pause between two attempts to connect to an exchange that does not accept connections yet. */
const CONNECT_EVERY_MS: Ms = 500;

/**
 * System error codes if nothing listens at an address that may be right: the service is about to
 * start, or the route to it. An unknown name (`ENOTFOUND`) and a response that is not HTTP mean a
 * wrong address.
 */
const NOBODY_YET: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "EAI_AGAIN",
]);

/** Waiting for an exchange that does not listen yet: bot and exchange may be started together. */
export interface ExchangeWait {
  readonly rest: string;
  /** Longest wait, altogether. */
  readonly withinMs: Ms;
  /** Ends every wait at once: pending reads reject with its reason. */
  readonly signal: AbortSignal;
  /** Called once when the wait begins. */
  readonly onWait: (sentence: string) => void;
}

/**
 * Retries the exchange queries of a bot's start. An answer that fails for a passing cause ({@link
 * classifyTransientFailure}) is retried with doubling pauses, all reads of a start together for at
 * most ten seconds. An exchange that does not listen yet is waited for if requested. A refusal, a
 * longer ban, and a wrong address fail at once.
 */
export class StartupRetrier {
  readonly #clock: Clock;
  readonly #log: Pick<Log, "warn">;
  readonly #awaited: ExchangeWait | undefined;
  readonly #connectEndMs: Ms;
  #endMs: Ms;
  #isReported = false;

  /** @param awaited absent if an exchange that accepts no connection is an error at once. */
  constructor(clock: Clock, log: Pick<Log, "warn">, awaited?: ExchangeWait) {
    this.#clock = clock;
    this.#log = log;
    this.#awaited = awaited;
    this.#connectEndMs = clock.monotonicMs() + (awaited?.withinMs ?? 0);
    this.#endMs = clock.monotonicMs() + WITHIN_MS;
  }

  /**
   * Retries until there is an answer. @throws the error of the last attempt; the reason of the
   * signal that ended the wait.
   */
  async untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      try {
        // Ending the wait does not wait for an answer in flight.
        return await (this.#awaited === undefined
          ? ask()
          : rejectOnAbort(this.#awaited.signal, ask()));
      } catch (error) {
        if (this.#isAwaited(error)) {
          await this.#pause(CONNECT_EVERY_MS);
          // The ten seconds begin once the exchange is there.
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
          "the exchange did not answer: retrying",
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
    const { rest, withinMs, onWait } = this.#awaited;
    if (this.#clock.monotonicMs() + CONNECT_EVERY_MS > this.#connectEndMs) return false;
    if (!this.#isReported)
      onWait(
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

/** The server at the address speaks another protocol. */
function isNoHttp(error: unknown): boolean {
  return error instanceof VenueRequestError && error.systemCode?.startsWith("HPE_") === true;
}
