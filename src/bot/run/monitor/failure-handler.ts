import { describeThrown } from "../../../core/describe-thrown.js";
import type { Clock } from "../../../core/runtime/runtime.js";
import type { RestClient } from "../../../exchange/rest/rest-client.js";
import type { Log } from "../../../monitoring/log.js";
import { cancelAfterFailure } from "../../cancelling/cancel-after-failure.js";
import type { BotConfig } from "../../config/config.js";
import type { Bot } from "../../engine/bot.js";
import { mapStrategyStack } from "../../strategy/strategy-stack.js";

/** Dependencies of the {@link FailureHandler}. */
export interface FailureHandlerDeps {
  readonly client: RestClient;
  /** Synchronises the client's clock with the exchange's, for all later signatures. */
  readonly syncClock: () => Promise<void>;
  readonly config: BotConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** True if no order of the run rests at the exchange: nothing is cancelled there. */
  readonly isDry: boolean;
}

/**
 * The end of a run, clean or not. An exception in guarded work fails the bot: it takes no more
 * input and everything in its markets is cancelled.
 */
export class FailureHandler {
  /**
   * Resolves at {@link FailureHandler.end}; rejects with the failure, once all is cancelled or
   * given up on.
   */
  readonly stopped: Promise<void>;
  readonly #options: FailureHandlerDeps;
  #bot: Bot | undefined;
  #hasFailed = false;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(options: FailureHandlerDeps) {
    this.#options = options;
    this.stopped = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Callers that await the end see a failure. Without one, it must not end the process as an
    // unhandled rejection.
    this.stopped.catch(() => {});
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  attach(bot: Bot): void {
    this.#bot = bot;
  }

  /** The bot has stopped by itself. */
  end(): void {
    this.#resolve();
  }

  /** Wraps work so that its exception fails the bot. */
  catchFailures<Args extends readonly unknown[]>(
    work: (...args: Args) => void,
  ): (...args: Args) => void {
    return (...args) => {
      try {
        work(...args);
      } catch (error) {
        this.#fail(error);
      }
    };
  }

  #fail(error: unknown): void {
    const { log, isDry } = this.#options;
    this.#hasFailed = true;
    this.#bot?.abandon();
    log.fatal(
      { error: mapStrategyStack(error) ?? describeThrown(error) },
      isDry ? "the bot failed" : "the bot failed: it cancels all its orders",
    );
    if (isDry) this.#reject(error);
    else void cancelAfterFailure(this.#options).finally(() => this.#reject(error));
  }
}
