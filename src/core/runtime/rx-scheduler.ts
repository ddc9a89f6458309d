import { type SchedulerAction, type SchedulerLike, Subscription } from "rxjs";
import type { Ms } from "../units.js";
import type { Clock, Timer } from "./runtime.js";

/**
 * A scheduler for RxJS operators that own a timer (`debounceTime`, `interval`, `auditTime`, ...),
 * on the runtime's timers and with the semantics of `asyncScheduler`. Work never runs
 * synchronously, even with zero delay, and an action that schedules itself again replaces its
 * pending run. `now()` is the wall clock at the scheduler's creation plus the monotonic time since.
 * Operators subtract two readings, so a stepped wall clock would falsify their timing.
 */
export function createRxScheduler(clock: Clock): SchedulerLike {
  return new RuntimeScheduler(clock);
}

class RuntimeScheduler implements SchedulerLike {
  readonly #clock: Clock;
  readonly #bornWallMs: Ms;
  readonly #bornMonotonicMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bornWallMs = clock.nowMs();
    this.#bornMonotonicMs = clock.monotonicMs();
  }

  now(): number {
    return Math.floor(this.#bornWallMs + this.#clock.monotonicMs() - this.#bornMonotonicMs);
  }

  schedule<T>(
    work: (this: SchedulerAction<T>, state: T) => void,
    delay: number,
    state: T,
  ): Subscription;
  schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay: number,
    state?: T,
  ): Subscription;
  schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay?: number,
    state?: T,
  ): Subscription;
  schedule<T>(
    work: (this: SchedulerAction<T>, state: T) => void,
    delay = 0,
    state?: T,
  ): Subscription {
    return new RuntimeAction<T>(this.#clock, work).schedule(state, delay);
  }
}

class RuntimeAction<T> extends Subscription implements SchedulerAction<T> {
  readonly #clock: Clock;
  readonly #work: (this: SchedulerAction<T>, state: T) => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, work: (this: SchedulerAction<T>, state: T) => void) {
    super();
    this.#clock = clock;
    this.#work = work;
  }

  schedule(state?: T, delay = 0): Subscription {
    if (this.closed) {
      return this;
    }
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(delay, () => this.#execute(state as T));
    return this;
  }

  override unsubscribe(): void {
    if (!this.closed) {
      this.#timer?.cancel();
      this.#timer = undefined;
      super.unsubscribe();
    }
  }

  #execute(state: T): void {
    this.#timer = undefined;
    try {
      this.#work(state);
    } catch (error) {
      this.unsubscribe();
      throw error;
    }
  }
}
