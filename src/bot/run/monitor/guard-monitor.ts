import type { Clock, Timer } from "../../../core/runtime/seam.js";
import type { Ms } from "../../../core/units.js";

/** How a bot finds out that nobody guards it. */
export interface GuardWatchOptions {
  readonly clock: Clock;
  readonly everyMs: Ms;
  readonly isGuarded: () => boolean;
  /** Called at the start, and at each change. At the start only where no guard lives. */
  readonly onChange: (guarded: boolean) => void;
}

/** Tells when no guard shows that it lives: at the start of a bot, and when one that did stops. */
export class GuardMonitor {
  readonly #options: GuardWatchOptions;
  #wasGuarded = true;
  #timer: Timer | undefined;

  constructor(options: GuardWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs, isGuarded, onChange: tell } = this.#options;
    const guarded = isGuarded();
    if (guarded !== this.#wasGuarded) tell(guarded);
    this.#wasGuarded = guarded;
    this.#timer = clock.setTimer(everyMs, () => this.start());
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
