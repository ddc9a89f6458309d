import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { OperationName } from "../../exchange/protocol/operations.js";
import type { VenueRules } from "../../exchange/records.js";
import { pause } from "../../exchange/rest/pause.js";
import { DEFAULT_LIMITS, RateGate } from "../../exchange/rest/rate-gate.js";
import { THROTTLED_MS } from "../../exchange/rest/transient-failure.js";
import { VenueRequestError } from "../../exchange/venue-errors.js";
import { guardReserve } from "../execution/guard-reserve.js";

/** Options of a {@link CancelBudget}: the rate limit of one process's cancels and reads. */
export interface CancelBudgetOptions {
  readonly clock: Clock;
  /** Share of each of the exchange's limits that this process may spend; 1 is all of it. */
  readonly fraction: number;
  /** Called when a call has to wait for a second or longer, with the expected wait. */
  readonly onWait?: (waitMs: Ms) => void;
}

/** Longest time until a waiting call checks again whether it is still needed. */
const SLICE_MS: Ms = 500;
const WORTH_TELLING_MS: Ms = 1_000;

/**
 * Rate limiter of the code that cancels orders. Each call is counted against the exchange's limits
 * before it is sent, and waits when they are spent. A call that may wait leaves `kept` tokens for
 * cancels that may not.
 */
export class CancelBudget {
  readonly #clock: Clock;
  readonly #gate: RateGate;
  readonly #fraction: number;
  readonly #onWait: (waitMs: Ms) => void;

  constructor({ clock, fraction, onWait = () => {} }: CancelBudgetOptions) {
    this.#clock = clock;
    this.#gate = new RateGate({ clock });
    this.#fraction = fraction;
    this.#onWait = onWait;
    this.rulesRead({ rateLimits: DEFAULT_LIMITS });
  }

  /** Takes over the exchange's rate limits. */
  rulesRead({ rateLimits }: Pick<VenueRules, "rateLimits">): void {
    const shareOf = (limit: number): number =>
      limit === 0 ? 0 : guardReserve(limit, this.#fraction);
    this.#gate.setLimits(
      rateLimits.map(({ limit, ...rule }) => ({ ...rule, limit: shareOf(limit) })),
    );
  }

  /** True if this many calls can be sent now. */
  hasRoomFor(name: OperationName, calls: number): boolean {
    return this.#gate.available(name) >= calls;
  }

  /** Average time that this many calls take at a sustained rate. */
  paceMs(name: OperationName, calls: number): Ms {
    return calls * this.#gate.evenlyMs(name);
  }

  /**
   * Makes a call once there is room for it and `kept` more tokens. A limit with fewer tokens than
   * that has to be full.
   * @returns undefined if the call was not made: it would have had to wait, and `isOver` was true
   * or became true meanwhile.
   * @throws what the call throws.
   */
  async call<Answer>(
    name: OperationName,
    { kept, isOver }: { readonly kept: number; readonly isOver: () => boolean },
    work: () => Promise<Answer>,
  ): Promise<{ readonly answer: Answer } | undefined> {
    for (let isFirst = true; ; isFirst = false) {
      const waitMs = this.#gate.tryAdmit(name, kept);
      if (waitMs === 0) break;
      if (isOver()) return undefined;
      if (isFirst && waitMs >= WORTH_TELLING_MS) this.#onWait(waitMs);
      await pause(this.#clock, Math.max(1, Math.min(waitMs, SLICE_MS)));
      if (isOver()) return undefined;
    }
    try {
      return { answer: await work() };
    } catch (error) {
      if (isRateLimited(error))
        this.#gate.throttled(
          error.httpStatus,
          error.retryAfterMs ?? THROTTLED_MS[error.httpStatus],
        );
      throw error;
    }
  }
}

/** True if the exchange refused a call because too many were made. */
export function isRateLimited(
  error: unknown,
): error is VenueRequestError & { readonly httpStatus: 429 | 418 } {
  return (
    error instanceof VenueRequestError && (error.httpStatus === 429 || error.httpStatus === 418)
  );
}
