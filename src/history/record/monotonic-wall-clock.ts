import type { Clock } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";

/** Readings of the clock that never steps which lie further apart, as when another process had the processor between them, do not tell what the wall clock said meanwhile. */
const MOST_APART_MS: Ms = 1;
const MOST_TRIES = 10;
/** Whole milliseconds and the time between two readings make as much of a difference. */
const SET_BACK_MS: Ms = 3;
/** A smaller step is within what a line may take. */
const NAMED_MS: Ms = 50;

/**
 * A wall clock that never goes back, for stamps that tell an order: what the machine's is set back by is added from then on. What it is set forward by it follows,
 * since that is also what it looks like to have stood still, as a machine that was suspended has.
 */
export class MonotonicWallClock implements Pick<Clock, "nowMs" | "monotonicMs"> {
  readonly #clock: Clock;
  /** Wall time less the clock that never steps back, as last read. */
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

  /** By how much the machine's clock was set, below zero for back, since this was last asked. */
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
