import type { Clock, Timer } from "../../../core/runtime/seam.js";
import type { Ms } from "../../../core/units.js";

/** Options of a {@link GuardMonitor}. */
export interface GuardWatchOptions {
  readonly clock: Clock;
  readonly everyMs: Ms;
  readonly isGuarded: () => boolean;
  /** Called at the start if no guard is alive, and at each change. */
  readonly onChange: (guarded: boolean) => void;
}

/** Detects that no guard shows a heartbeat: at the start of a bot, and when a guard stops. */
export class GuardMonitor {
  readonly #options: GuardWatchOptions;
  #wasGuarded = true;
  #timer: Timer | undefined;

  constructor(options: GuardWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs, isGuarded, onChange } = this.#options;
    const guarded = isGuarded();
    if (guarded !== this.#wasGuarded) onChange(guarded);
    this.#wasGuarded = guarded;
    this.#timer = clock.setTimer(everyMs, () => this.start());
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
