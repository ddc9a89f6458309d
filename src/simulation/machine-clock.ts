import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";

/**
 * A machine's own clock. Its wall clock may be wrong. Its monotonic clock and its timers stop while
 * the machine sleeps.
 */
export class MachineClock implements Clock {
  skewMs: Ms = 0;
  /** Delay of all timers, as with a busy event loop. */
  lateMs: Ms = 0;
  readonly #world: Clock;
  #sleptMs: Ms = 0;
  #asleepSinceMs: Ms | undefined;

  constructor(world: Clock) {
    this.#world = world;
  }

  nowMs(): Ms {
    return this.#world.nowMs() + this.skewMs;
  }

  monotonicMs(): number {
    return (this.#asleepSinceMs ?? this.#world.monotonicMs()) - this.#sleptMs;
  }

  /** The machine is suspended, as a notebook whose lid is shut. */
  sleeps(): void {
    this.#asleepSinceMs = this.#world.monotonicMs();
  }

  wakes(): void {
    if (this.#asleepSinceMs !== undefined)
      this.#sleptMs += this.#world.monotonicMs() - this.#asleepSinceMs;
    this.#asleepSinceMs = undefined;
  }

  setTimer(delayMs: Ms, fire: () => void): Timer {
    const dueMs = this.monotonicMs() + delayMs;
    const set = (waitMs: Ms): Timer =>
      this.#world.setTimer(waitMs, () => {
        const leftMs = dueMs - this.monotonicMs();
        if (this.#asleepSinceMs === undefined && leftMs < 0.001) fire();
        else timer = set(Math.max(1, leftMs));
      });
    let timer = set(delayMs + this.lateMs);
    return { cancel: () => timer.cancel() };
  }
}
