import type { Clock } from "../../core/runtime/seam.js";

/**
 * When something was heard, in whole microseconds since 1970: the wall clock's millisecond, which is what the rest of the process goes by,
 * and within it what the clock that never steps back adds.
 */
export class LocalStamps {
  readonly #clock: Pick<Clock, "nowMs" | "monotonicMs">;
  /** Wall time less the clock that never steps back. */
  #offsetMs: number | undefined;
  #seq = 0;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "nowMs" | "monotonicMs">) {
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

  /** When something is heard, after all that was heard before it: what comes in one microsecond is told apart by one more each. */
  distinctUs(): number {
    this.#lastUs = Math.max(this.nowUs(), this.#lastUs + 1);
    return this.#lastUs;
  }

  /** The place of a record that was heard at an instant: above all before it, in this recording and in those that ended. */
  placeOf(us: number): number {
    this.#seq = Math.max(this.#seq + 1, us);
    return this.#seq;
  }
}
