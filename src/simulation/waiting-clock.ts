import { drainMicrotasks } from "../core/runtime/drain-microtasks.js";
import type { Clock, Timer } from "../core/runtime/runtime.js";
import { toTimerDelayMs } from "../core/runtime/timer-delay.js";
import { TimerHeap } from "../core/runtime/timer-heap.js";
import type { Ms } from "../core/units.js";

/** Time that stops during work that no clock knows of. */
export interface HoldingClock extends Clock {
  /** Stops time until `work` is done; an error of it ends the run. */
  hold(work: Promise<unknown>): void;
}

/** Actions of a {@link WaitingClock} between two timers, besides waiting for the held work. */
export interface BetweenTimers {
  /** Waits for work that is not held, such as an exchange's with its chain. */
  readonly settled: () => Promise<void>;
  /** Called after each timer, once everything is settled. */
  readonly afterTimer: () => void;
}

/**
 * Virtual time that also waits for the EVM, which works on its own threads: between two timers
 * every request is answered, and every promise has run. So a seed always gives the same run,
 * however fast the machine is.
 */
export class WaitingClock implements HoldingClock {
  readonly #timers = new TimerHeap();
  readonly #startMs: Ms;
  readonly #work = new Set<Promise<unknown>>();
  #elapsedMs = 0;
  #failure: { readonly error: unknown } | undefined;
  /** Set once what it waits for is there. */
  between: BetweenTimers | undefined;

  constructor(startMs: Ms) {
    this.#startMs = startMs;
  }

  nowMs(): Ms {
    return Math.floor(this.#startMs + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: Ms, fire: () => void): Timer {
    return this.#timers.add(this.#elapsedMs + toTimerDelayMs(delayMs), fire);
  }

  hold(work: Promise<unknown>): void {
    const held: Promise<void> = work.then(
      () => {
        this.#work.delete(held);
      },
      (error: unknown) => {
        this.#failure ??= { error };
        this.#work.delete(held);
      },
    );
    this.#work.add(held);
  }

  /** @throws whatever a timer or held work throws. */
  async runUntil(wallMs: Ms): Promise<void> {
    const endMs = wallMs - this.#startMs;
    await this.#settle();
    for (
      let timer = this.#timers.takeDueBy(endMs);
      timer !== undefined;
      timer = this.#timers.takeDueBy(endMs)
    ) {
      this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
      timer.fire();
      await this.#settle();
      this.between?.afterTimer();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, endMs);
  }

  /** Runs until a promise of the run has settled, at most so long. */
  async runThrough<Value>(promise: Promise<Value>, mostMs: Ms): Promise<Value> {
    let isDone = false;
    const watched = promise.finally(() => {
      isDone = true;
    });
    watched.catch(() => {});
    await this.#settle();
    const endMs = this.#elapsedMs + mostMs;
    while (!isDone) {
      const timer = this.#timers.takeDueBy(endMs);
      if (timer === undefined)
        throw new Error(`nothing came of it within ${mostMs} ms of virtual time`);
      this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
      timer.fire();
      await this.#settle();
    }
    return watched;
  }

  async #settle(): Promise<void> {
    do {
      await Promise.all(this.#work);
      await this.between?.settled();
      await drainMicrotasks();
    } while (this.#work.size > 0);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
