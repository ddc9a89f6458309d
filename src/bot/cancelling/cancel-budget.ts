import type { Clock } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import type { OperationName } from "../../exchange/protocol/operations.js";
import type { VenueRules } from "../../exchange/records.js";
import { pause } from "../../exchange/rest/pause.js";
import { DEFAULT_LIMITS, RateGate } from "../../exchange/rest/rate-gate.js";
import { THROTTLED_MS } from "../../exchange/rest/transient-failure.js";
import { VenueRequestError } from "../../exchange/venue-errors.js";
import { guardReserve } from "../execution/guard-reserve.js";

/** What cancels and looks of one process may spend. */
export interface CancelBudgetOptions {
  readonly clock: Clock;
  /** The part of each of the exchange's limits that is theirs; 1 is all of it. */
  readonly fraction: number;
  /** Told of a call that has to wait for a second or longer, and how long as it looks now. */
  readonly onWait?: (waitMs: Ms) => void;
}

/** Whoever waits looks again after so long at the latest, since what he waits for may be over. */
const SLICE_MS: Ms = 500;
const WORTH_TELLING_MS: Ms = 1_000;

/**
 * Places on the wire for those who take orders down: each call is counted against the exchange's limits before it goes, and waits where
 * they are spent. A call that may wait leaves as many tokens as it is told to, for cancels that may not.
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

  /** Takes the exchange's limits over. */
  rulesRead({ rateLimits }: Pick<VenueRules, "rateLimits">): void {
    const shareOf = (limit: number): number =>
      limit === 0 ? 0 : guardReserve(limit, this.#fraction);
    this.#gate.setLimits(
      rateLimits.map(({ limit, ...rule }) => ({ ...rule, limit: shareOf(limit) })),
    );
  }

  /** Whether so many calls may go now. */
  hasRoomFor(name: OperationName, calls: number): boolean {
    return this.#gate.available(name) >= calls;
  }

  /** How long so many calls take where they go on for ever at this rate. */
  paceMs(name: OperationName, calls: number): Ms {
    return calls * this.#gate.evenlyMs(name);
  }

  /**
   * Makes a call when there is a place for it beside `kept` more tokens (of a limit that has no more than these, when all of them are there).
   * @returns undefined where it was not made, since it would have had to wait and `isOver` was true, or came true meanwhile.
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

/** The exchange refused a call since too many were made. */
export function isRateLimited(
  error: unknown,
): error is VenueRequestError & { readonly httpStatus: 429 | 418 } {
  return (
    error instanceof VenueRequestError && (error.httpStatus === 429 || error.httpStatus === 418)
  );
}
