import type { Clock, Timer } from "../../core/runtime/runtime.js";

/** Timers that end together with their server. */
export class PendingTimers {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `fire` after the delay, unless the server closes before. */
  set(delayMs: number, fire: () => void): void {
    if (this.#isClosed) return;
    const timer = this.#clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      fire();
    });
    this.#timers.add(timer);
  }

  /** Resolves after the delay; never if the server closes before. */
  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.set(delayMs, resolve));
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
