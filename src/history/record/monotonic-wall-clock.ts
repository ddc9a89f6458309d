import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";

/**
 * The longest time between readings of the two clocks. If they lie further apart, for example
 * because another process ran, the wall clock at the monotonic reading is unknown.
 */
const MOST_APART_MS: Ms = 1;
const MOST_TRIES = 10;
/**
 * A difference of this size may come from whole milliseconds and the time between the two readings.
 */
const SET_BACK_MS: Ms = 3;
/** A smaller step is within normal network latency. */
const NAMED_MS: Ms = 50;

/**
 * A wall clock that never goes back, for stamps that show an order. When the machine's clock is set
 * back, the difference is added from then on. A step forward is followed, since it looks like a
 * suspension of the machine.
 */
export class MonotonicWallClock implements Pick<Clock, "nowMs" | "monotonicMs"> {
  readonly #clock: Clock;
  /** Wall time minus the monotonic clock, at the last reading. */
  #offsetMs: number | undefined;
  #heldMs: Ms = 0;
  #steps: Ms[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): Ms {
    const [wallMs, monotonicMs] = this.#read();
    const offsetMs = wallMs + this.#heldMs - monotonicMs;
    const steppedMs = Math.round(offsetMs - (this.#offsetMs ?? offsetMs));
    if (Math.abs(steppedMs) >= NAMED_MS) this.#steps.push(steppedMs);
    const heldMs = steppedMs <= -SET_BACK_MS ? -steppedMs : 0;
    this.#heldMs += heldMs;
    this.#offsetMs = offsetMs + heldMs;
    return wallMs + this.#heldMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  /** Returns and clears the steps of the machine's clock; below zero for a step back. */
  takeSteps(): readonly Ms[] {
    if (this.#steps.length === 0) return [];
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  /** Both clocks at one instant. */
  #read(): readonly [Ms, number] {
    for (let tries = 1; ; tries++) {
      const beforeMs = this.#clock.monotonicMs();
      const wallMs = this.#clock.nowMs();
      const afterMs = this.#clock.monotonicMs();
      if (afterMs - beforeMs <= MOST_APART_MS || tries === MOST_TRIES) return [wallMs, afterMs];
    }
  }
}
