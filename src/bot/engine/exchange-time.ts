import type { Clock } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";

/** How fast two good clocks may drift apart: 200 parts in a million. */
const DRIFT = 2e-4;

/** The exchange tells whole milliseconds. */
const GRAIN_MS = 1;

/**
 * The exchange's clock as the bot estimates it: the latest good answer to `/v1/time`, carried on by the clock that
 * never steps, so that a step of this machine's wall clock changes no timestamp of a request. A machine that was suspended
 * carries nothing on: what it slept is missing until the exchange is asked again.
 */
export class ExchangeTime {
  readonly #clock: Clock;
  #serverMs = Number.NaN;
  #atMonotonicMs = 0;
  #boundMs = Number.POSITIVE_INFINITY;
  #isSuspect = false;

  readonly #startMs: Ms;
  readonly #startMonotonicMs: number;

  /** @param startMs what the exchange's clock was about now, as its rules told when they were read. */
  constructor(clock: Clock, startMs: Ms) {
    this.#clock = clock;
    this.#startMs = startMs;
    this.#startMonotonicMs = clock.monotonicMs();
  }

  /** Whether the exchange's clock has been measured. */
  get isKnown(): boolean {
    return !Number.isNaN(this.#serverMs);
  }

  /** Whether the exchange has refused a timestamp since it was last told: it is to be asked at once. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** When it was last told, on the clock that never steps; -Infinity before. */
  get measuredAtMonotonicMs(): Ms {
    return this.isKnown ? this.#atMonotonicMs : Number.NEGATIVE_INFINITY;
  }

  /** Whole milliseconds of exchange time. */
  nowMs(): Ms {
    if (!this.isKnown)
      return Math.round(this.#startMs + this.#clock.monotonicMs() - this.#startMonotonicMs);
    return Math.round(this.#serverMs + this.#clock.monotonicMs() - this.#atMonotonicMs);
  }

  /** This machine's wall clock less the exchange's; 0 before it is known. */
  get offsetMs(): Ms {
    return this.isKnown ? this.#clock.nowMs() - this.nowMs() : 0;
  }

  /** The exchange has refused a timestamp: it came late, or what is held is wrong. */
  markSuspect(): void {
    this.#isSuspect = true;
  }

  /**
   * Takes an answer: the exchange read its clock somewhere between the two instants. An answer that took long says
   * less than a quick one of a while ago, and is then left out, unless both cannot be true.
   * @returns how long this machine must have stood still since it was told before: what passed there and not on its steady clock. 0 when both can be true.
   */
  update(serverTimeMs: Ms, askedMonotonicMs: number, answeredMonotonicMs: number): Ms {
    this.#isSuspect = false;
    const boundMs = (answeredMonotonicMs - askedMonotonicMs) / 2;
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
