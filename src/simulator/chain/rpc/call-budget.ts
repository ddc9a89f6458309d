import type { Clock } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import type { RpcOutcome } from "../rpc-outcome.js";

/** The share of the chain's time that its port may use, for all clients together. */
export interface CallBudgetOptions {
  readonly clock: Clock;
  /** The largest budget, available after an idle period. */
  readonly mostMs: Ms;
  /** The fraction of elapsed time that is added to the budget; the rest is the exchange's own. */
  readonly share: number;
  /** The maximum number of waiting requests of all clients together. */
  readonly mostWaiting: number;
}

/**
 * Runs requests that execute code or search blocks, one at a time, while their time is within the
 * budget. The EVM cannot be interrupted, and the exchange settles on the same one. Without a limit
 * a few clients could block settlement.
 */
export class CallBudget {
  readonly #options: CallBudgetOptions;
  #leftMs: Ms;
  #atMs: Ms;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CallBudgetOptions) {
    this.#options = options;
    this.#leftMs = options.mostMs;
    this.#atMs = options.clock.monotonicMs();
  }

  /**
   * Runs `work` in its turn; returns a JSON-RPC error if too many requests wait or the budget is
   * used up.
   */
  run(work: () => Promise<RpcOutcome>): Promise<RpcOutcome> {
    const { mostWaiting } = this.#options;
    if (this.#waiting >= mostWaiting)
      return Promise.resolve(refusal(`${mostWaiting} requests are already waiting`));
    this.#waiting += 1;
    const done = this.#last.then(() => this.#carryOut(work));
    this.#last = done.catch(() => {});
    return done.finally(() => {
      this.#waiting -= 1;
    });
  }

  async #carryOut(work: () => Promise<RpcOutcome>): Promise<RpcOutcome> {
    const { clock, mostMs, share } = this.#options;
    const startMs = clock.monotonicMs();
    this.#leftMs = Math.min(mostMs, this.#leftMs + (startMs - this.#atMs) * share);
    this.#atMs = startMs;
    if (this.#leftMs <= 0)
      return refusal(
        `the port has used its share of the chain's time: try again in ${Math.ceil(-this.#leftMs / share) + 1} ms`,
      );
    try {
      return await work();
    } finally {
      this.#leftMs -= clock.monotonicMs() - startMs;
    }
  }
}

function refusal(why: string): RpcOutcome {
  return { error: { code: -32005, message: `limit exceeded: ${why}` } };
}
