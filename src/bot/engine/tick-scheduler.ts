import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";

/** Timer of the ticks, in which a bot does what is due by time alone, at a fixed interval. */
export class TickScheduler {
  readonly #clock: Clock;
  readonly #everyMs: Ms;
  readonly #tick: () => void;
  #dueMs = 0;
  #lateMs = 0;
  #isStopped = false;
  #timer: Timer | undefined;
  readonly #fire = (): void => {
    this.#lateMs = Math.max(0, this.#clock.monotonicMs() - this.#dueMs);
    this.start();
  };

  constructor(clock: Clock, everyMs: Ms, tick: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#tick = tick;
  }

  /** Delay of the newest timer against its due time. */
  get lateMs(): Ms {
    return this.#lateMs;
  }

  /** Ticks now, then an interval after each tick until {@link stop}. */
  start(): void {
    this.#timer?.cancel();
    this.#tick();
    if (this.#isStopped) return;
    this.#dueMs = this.#clock.monotonicMs() + this.#everyMs;
    this.#timer = this.#clock.setTimer(this.#everyMs, this.#fire);
  }

  /** Ends the ticks. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }
}
