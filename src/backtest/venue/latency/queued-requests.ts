import type { Clock, Timer } from "../../../core/runtime/seam.js";
import type { Ms } from "../../../core/units.js";
import type { Action, ActionId, Outcome } from "../../../exchange/venue.js";

/** What requests that wait for a line are kept with. */
export interface HeldRequestsOptions {
  readonly clock: Clock;
  /** So long the answer to a request is waited for. */
  readonly timeoutMs: Ms;
  /** Told of a request that was not answered in time. */
  readonly onAnswer: (actionId: ActionId, outcome: Outcome) => void;
}

/** Requests that wait for a line to come back; after their time nobody knows what became of them, and they never arrive. */
export class HeldRequests {
  readonly #options: HeldRequestsOptions;
  readonly #held = new Map<Action, Timer>();

  constructor(options: HeldRequestsOptions) {
    this.#options = options;
  }

  /** Keeps a request until {@link release}, or until its time is over. */
  hold(action: Action): void {
    const { clock, timeoutMs, onAnswer } = this.#options;
    const timer = clock.setTimer(timeoutMs, () => {
      this.#held.delete(action);
      onAnswer(action.actionId, {
        result: "unknown",
        cause: "timeout",
        message: `no answer within ${timeoutMs} ms`,
      });
    });
    this.#held.set(action, timer);
  }

  /** Takes out what arrives now, in its order. */
  release(): Action[] {
    const released = [...this.#held.keys()];
    this.close();
    return released;
  }

  /** Forgets what it keeps. */
  close(): void {
    for (const timer of this.#held.values()) timer.cancel();
    this.#held.clear();
  }
}
