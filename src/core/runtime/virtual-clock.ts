import { RunError } from "../errors.js";
import type { Ms } from "../units.js";
import type { Clock, Timer } from "./runtime.js";
import { toTimerDelayMs } from "./timer-delay.js";
import { type HeapTimer, TimerHeap } from "./timer-heap.js";

/**
 * Time that advances only on request, and only once every promise that could run has run: between
 * two timers, and before the first, all microtasks are drained. Timers fire in order of their time,
 * then of being set. The wall clock can be stepped independently of the timers, as a machine's time
 * daemon does.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
  #elapsedMs = 0;
  #wallOffsetMs: Ms;
  #running = false;

  /** @param startMs initial wall time, milliseconds since the epoch. */
  constructor(startMs: Ms) {
    this.#wallOffsetMs = startMs;
  }

  nowMs(): Ms {
    return Math.floor(this.#wallOffsetMs + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: Ms, fire: () => void): Timer {
    return this.#timers.add(this.#elapsedMs + toTimerDelayMs(delayMs), fire);
  }

  /** Number of timers that are set and have neither fired nor been cancelled. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /**
   * Steps the wall clock by `deltaMs` (either sign). Timers and the monotonic clock are unaffected.
   */
  stepWall(deltaMs: Ms): void {
    this.#wallOffsetMs += deltaMs;
  }

  /**
   * Runs to the time that is `wallMs` by the wall clock at the time of the call, and fires every
   * timer due by then. For a past time, it drains microtasks and fires timers that are already due.
   * @throws an error of a timer, at once and with the clock at that timer's time; RunError when the
   * clock is already running.
   */
  runUntil(wallMs: Ms): Promise<void> {
    return this.runFor(wallMs - this.#wallOffsetMs - this.#elapsedMs);
  }

  /** Runs for `durationMs` of timer time, as {@link runUntil} does. */
  runFor(durationMs: Ms): Promise<void> {
    return new Promise((resolve, reject) => {
      const endMs = this.#elapsedMs + toTimerDelayMs(durationMs);
      if (this.#running) {
        reject(
          new RunError("the virtual clock is already running", {
            expected: "one runUntil or runFor at a time",
          }),
        );
        return;
      }
      this.#running = true;
      const stop = (): void => {
        this.#running = false;
      };
      // Node drains every microtask and next-tick between two immediates, so everything has run
      // before time advances.
      const step = (): void => {
        const timer = this.#timers.takeDueBy(endMs);
        if (timer === undefined) {
          this.#elapsedMs = endMs;
          stop();
          resolve();
          return;
        }
        try {
          this.#fire(timer);
        } catch (error) {
          stop();
          reject(error);
          return;
        }
        setImmediate(step);
      };
      setImmediate(step);
    });
  }

  #fire(timer: HeapTimer): void {
    this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
    timer.fire();
  }
}
