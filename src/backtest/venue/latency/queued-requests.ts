import type { Clock, Timer } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import type { Action, ActionId, Outcome } from "../../../exchange/venue.js";

/** Options of a queue of requests that wait for a connection. */
export interface QueuedRequestsOptions {
  readonly clock: Clock;
  /** Timeout of the answer to a request. */
  readonly timeoutMs: Ms;
  /** Called with a request that was not answered in time. */
  readonly onAnswer: (actionId: ActionId, outcome: Outcome) => void;
}

/**
 * Requests that wait for a connection to return. After their timeout their outcome is unknown, and
 * they never arrive.
 */
export class QueuedRequests {
  readonly #options: QueuedRequestsOptions;
  readonly #queued = new Map<Action, Timer>();

  constructor(options: QueuedRequestsOptions) {
    this.#options = options;
  }

  /** Keeps a request until {@link release}, or until its timeout. */
  add(action: Action): void {
    const { clock, timeoutMs, onAnswer } = this.#options;
    const timer = clock.setTimer(timeoutMs, () => {
      this.#queued.delete(action);
      onAnswer(action.actionId, {
        result: "unknown",
        cause: "timeout",
        message: `no answer within ${timeoutMs} ms`,
      });
    });
    this.#queued.set(action, timer);
  }

  /** Removes and returns the requests that arrive now, in order. */
  release(): Action[] {
    const released = [...this.#queued.keys()];
    this.close();
    return released;
  }

  /** Drops the queued requests. */
  close(): void {
    for (const timer of this.#queued.values()) timer.cancel();
    this.#queued.clear();
  }
}
