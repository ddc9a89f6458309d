import type { Clock } from "../../../core/runtime/seam.js";
import type { Ms } from "../../../core/units.js";
import type { RpcOutcome } from "../rpc-outcome.js";

/** How much of the chain's time its port may take, all clients together. */
export interface CallBudgetOptions {
  readonly clock: Clock;
  /** What may be taken at once after a rest. */
  readonly mostMs: Ms;
  /** Of the time that passes, what is earned back: the rest is the exchange's own. */
  readonly share: number;
  /** Requests that wait for their turn, all clients together. */
  readonly mostWaiting: number;
}

/**
 * Carries out requests that execute code or look through blocks, one at a time, while their time is within the budget. The EVM cannot be
 * interrupted, and the exchange settles on the same one: without a bound, a few clients would keep it from that.
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

  /** Carries `work` out when its turn comes; an error of JSON-RPC where too many wait, or the time is used up. */
  run(work: () => Promise<RpcOutcome>): Promise<RpcOutcome> {
    const { mostWaiting } = this.#options;
    if (this.#waiting >= mostWaiting)
      return Promise.resolve(refusal(`${mostWaiting} requests wait already`));
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
        `the port has taken its share of the chain's time: again in ${Math.ceil(-this.#leftMs / share) + 1} ms`,
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
