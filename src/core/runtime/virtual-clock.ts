import { RunError } from "../errors.js";
import type { Ms } from "../units.js";
import type { Clock, Timer } from "./seam.js";
import { toTimerDelayMs } from "./timer-delay.js";
import { type HeapTimer, TimerHeap } from "./timer-heap.js";

/**
 * Time that passes only when it is told to, and only once every promise that could run has run: between two timers, and
 * before the first, all microtasks are drained. Timers fire in order of their instant, and of being set where instants tie.
 * The wall reading can be stepped apart from the timers, as a machine's clock is by its time daemon.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
  #elapsedMs = 0;
  #wallOffsetMs: Ms;
  #running = false;

  /** @param startMs what the wall clock reads at first, milliseconds since the epoch. */
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

  /** How many timers are set and have neither fired nor been cancelled. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Steps the wall reading by `deltaMs` (either sign). Timers and the monotonic reading go on as if nothing had happened. */
  stepWall(deltaMs: Ms): void {
    this.#wallOffsetMs += deltaMs;
  }

  /**
   * Runs to the instant that is `wallMs` by the wall reading at the time of the call, firing every timer due by then. An
   * instant that is past drains microtasks and fires what is already due.
   * @throws whatever a timer throws, at once and with the clock at that timer's instant; RunError when the clock is already running.
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
      // Node drains every microtask and next-tick between two immediates, which is what "before time advances" means here.
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
