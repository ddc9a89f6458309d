import type { Clock } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";

/** How fast two good clocks may drift apart: 200 parts per million. */
const DRIFT = 2e-4;

/** The exchange reports whole milliseconds. */
const GRAIN_MS = 1;

/**
 * Estimate of the exchange's clock: the latest good answer to `/v1/time`, advanced by the monotonic
 * clock, so that a step of this machine's wall clock does not change request timestamps. After a
 * suspension of the machine the estimate is behind by the time it slept, until the exchange is
 * queried again.
 */
export class ExchangeTime {
  readonly #clock: Clock;
  /** The exchange's time at an instant of the monotonic clock. */
  #serverMs: Ms;
  #atMonotonicMs: Ms;
  /** Most that it may be wrong by; Infinity before the first measurement. */
  #boundMs = Number.POSITIVE_INFINITY;
  #isSuspect = false;

  /** @param startMs the exchange's approximate time now, from its rules when they were read. */
  constructor(clock: Clock, startMs: Ms) {
    this.#clock = clock;
    this.#serverMs = startMs;
    this.#atMonotonicMs = clock.monotonicMs();
  }

  /** True if the exchange's clock was measured. */
  get isKnown(): boolean {
    return this.#boundMs !== Number.POSITIVE_INFINITY;
  }

  /**
   * True if the exchange has refused a timestamp since the last measurement: measure again at once.
   */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** When the clock was last measured, on the monotonic clock; -Infinity before. */
  get measuredAtMonotonicMs(): Ms {
    return this.isKnown ? this.#atMonotonicMs : Number.NEGATIVE_INFINITY;
  }

  /** Exchange time in whole milliseconds. */
  nowMs(): Ms {
    return Math.round(this.#serverMs + this.#clock.monotonicMs() - this.#atMonotonicMs);
  }

  /** This machine's wall clock less the exchange's; 0 before it is known. */
  get offsetMs(): Ms {
    return this.isKnown ? this.#clock.nowMs() - this.nowMs() : 0;
  }

  /**
   * Records that the exchange refused a timestamp: the request was late, or the estimate is wrong.
   */
  markSuspect(): void {
    this.#isSuspect = true;
  }

  /**
   * Applies an answer: the exchange read its clock somewhere between the two instants. A slow
   * answer says less than a quick one of a while ago, and is then ignored, unless both cannot be
   * true.
   * @returns how long this machine must have been suspended since the last answer: time that its
   * monotonic clock did not count. 0 if both answers can be true.
   */
  update(serverTimeMs: Ms, sentMonotonicMs: number, answeredMonotonicMs: number): Ms {
    this.#isSuspect = false;
    const boundMs = (answeredMonotonicMs - sentMonotonicMs) / 2;
    const heldBoundMs = this.#boundMs + DRIFT * (answeredMonotonicMs - this.#atMonotonicMs);
    const aheadMs = this.isKnown
      ? serverTimeMs + boundMs - (this.#serverMs + answeredMonotonicMs - this.#atMonotonicMs)
      : 0;
    const leastApartMs = Math.abs(aheadMs) - (boundMs + heldBoundMs + GRAIN_MS);
    if (boundMs > heldBoundMs && leastApartMs <= 0) return 0;
    this.#serverMs = serverTimeMs + boundMs;
    this.#atMonotonicMs = answeredMonotonicMs;
    this.#boundMs = boundMs;
    return aheadMs > 0 ? Math.max(0, leastApartMs) : 0;
  }
}
