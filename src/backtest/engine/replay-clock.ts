import type { Clock, Timer } from "../../core/runtime/runtime.js";
import { toTimerDelayMs } from "../../core/runtime/timer-delay.js";
import { TimerHeap } from "../../core/runtime/timer-heap.js";
import type { Ms } from "../../core/units.js";

/** A difference of two instants in milliseconds is off its whole microseconds by at most this. */
const TIMER_TOLERANCE_US = 1e-3;

/**
 * The bot's clock in a replay. It moves only when the engine moves it. It counts whole microseconds
 * since 1970 and returns milliseconds. Timers fire when the engine says so, in order of their time.
 */
export class ReplayClock implements Clock {
  /**
   * Due after whole microseconds, given in milliseconds. Sums of fractions may be due slightly
   * after the microsecond that they round to.
   */
  readonly #timers = new TimerHeap();
  readonly #startUs: number;
  #nowUs: number;

  /** @param startUs initial reading. */
  constructor(startUs: number) {
    this.#startUs = startUs;
    this.#nowUs = startUs;
  }

  get nowUs(): number {
    return this.#nowUs;
  }

  nowMs(): Ms {
    return Math.floor(this.#nowUs / 1000);
  }

  monotonicMs(): number {
    return (this.#nowUs - this.#startUs) / 1000;
  }

  setTimer(delayMs: Ms, fire: () => void): Timer {
    return this.#timers.add(
      (this.#nowUs -
        this.#startUs +
        Math.ceil(toTimerDelayMs(delayMs) * 1000 - TIMER_TOLERANCE_US)) /
        1000,
      fire,
    );
  }

  /** When the next timer is due; Infinity when none is set. */
  get nextTimerUs(): number {
    const dueMs = this.#timers.nextDueMs;
    return dueMs === Number.POSITIVE_INFINITY
      ? dueMs
      : Math.max(this.#nowUs, this.#startUs + Math.round(dueMs * 1000));
  }

  /** Moves to an instant that is not before the present one. */
  moveTo(nowUs: number): void {
    if (nowUs > this.#nowUs) this.#nowUs = nowUs;
  }

  /** Fires the due timers, and those that they set for the same instant. */
  fireDue(): void {
    for (let timer = this.#takeDue(); timer !== undefined; timer = this.#takeDue()) timer.fire();
  }

  #takeDue() {
    return this.#timers.takeDueBy(this.monotonicMs());
  }
}
