import type { Clock, Timer } from "../../../core/runtime/seam.js";
import type { Ms } from "../../../core/units.js";
import type { Action, ActionId, Outcome } from "../../../exchange/venue.js";

/** What requests that wait for a line are kept with. */
export interface QueuedRequestsOptions {
  readonly clock: Clock;
  /** So long the answer to a request is waited for. */
  readonly timeoutMs: Ms;
  /** Told of a request that was not answered in time. */
  readonly onAnswer: (actionId: ActionId, outcome: Outcome) => void;
}

/** Requests that wait for a line to come back; after their time nobody knows what became of them, and they never arrive. */
export class QueuedRequests {
  readonly #options: QueuedRequestsOptions;
  readonly #queued = new Map<Action, Timer>();

  constructor(options: QueuedRequestsOptions) {
    this.#options = options;
  }

  /** Keeps a request until {@link release}, or until its time is over. */
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

  /** Takes out what arrives now, in its order. */
  release(): Action[] {
    const released = [...this.#queued.keys()];
    this.close();
    return released;
  }

  /** Forgets what it keeps. */
  close(): void {
    for (const timer of this.#queued.values()) timer.cancel();
    this.#queued.clear();
  }
}
