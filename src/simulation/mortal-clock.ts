import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";

/** The clock of a process that can be killed: its timers do not fire after that. */
export class MortalClock implements Clock {
  readonly #clock: Clock;
  #isDead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): Ms {
    return this.#clock.nowMs();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  setTimer(delayMs: Ms, fire: () => void): Timer {
    return this.#clock.setTimer(delayMs, () => {
      if (!this.#isDead) fire();
    });
  }

  kill(): void {
    this.#isDead = true;
  }
}
