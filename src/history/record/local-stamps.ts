import type { Clock } from "../../core/seam.js";

/** So far a stamp may run ahead of the clock to be told from the one before it. */
const MOST_APART_US = 1_000;

/**
 * When something was heard, in whole microseconds since 1970: the wall clock's millisecond, which is what the rest of the process goes by,
 * and within it what the clock that never steps back adds.
 */
export class LocalStamps {
  readonly #clock: Clock;
  /** Wall time less the clock that never steps back. */
  #offsetMs: number | undefined;
  #seq = 0;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowUs(): number {
    const wallMs = this.#clock.nowMs();
    const monotonicMs = this.#clock.monotonicMs();
    const within = (this.#offsetMs ?? Number.NEGATIVE_INFINITY) + monotonicMs - wallMs;
    if (within >= 0 && within < 1) return wallMs * 1000 + Math.floor(within * 1000);
    // The first stamp, a step of the wall clock, or one drifting from the other.
    const kept = within >= 1 && within < 2 ? 0.999 : 0;
    this.#offsetMs = wallMs + kept - monotonicMs;
    return wallMs * 1000 + kept * 1000;
  }

  /** When something is heard: what comes in one microsecond is told apart by one more each. A clock that was set back is followed. */
  distinctUs(): number {
    const us = this.nowUs();
    this.#lastUs = us <= this.#lastUs && us > this.#lastUs - MOST_APART_US ? this.#lastUs + 1 : us;
    return this.#lastUs;
  }

  /** The place of a record that was heard at an instant: above all before it, in this recording and in those that ended. */
  placeOf(us: number): number {
    this.#seq = Math.max(this.#seq + 1, us);
    return this.#seq;
  }
}
