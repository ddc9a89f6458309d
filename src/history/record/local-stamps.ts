import type { Clock } from "../../core/runtime/runtime.js";

/**
 * Reception times in whole microseconds since 1970: the wall clock's millisecond, as in the rest of
 * the process, refined by the monotonic clock.
 */
export class LocalStamps {
  readonly #clock: Pick<Clock, "nowMs" | "monotonicMs">;
  /** Wall time minus the monotonic clock. */
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
    // The first stamp, a step of the wall clock, or drift between the clocks.
    const kept = within >= 1 && within < 2 ? 0.999 : 0;
    this.#offsetMs = wallMs + kept - monotonicMs;
    return wallMs * 1000 + kept * 1000;
  }

  /**
   * The reception time of a message, after all earlier ones: messages within one microsecond are
   * spread by one microsecond each.
   */
  distinctUs(): number {
    this.#lastUs = Math.max(this.nowUs(), this.#lastUs + 1);
    return this.#lastUs;
  }

  /**
   * The sequence number of a record received at an instant: above all earlier ones, in this
   * recording and in those that ended.
   */
  placeOf(us: number): number {
    this.#seq = Math.max(this.#seq + 1, us);
    return this.#seq;
  }
}
