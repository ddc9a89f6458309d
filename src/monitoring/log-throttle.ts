import type { Clock } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";

const MOST_KINDS = 1000;

interface Window {
  readonly untilMs: number;
  suppressed: number;
}

/**
 * Lets one line of a kind pass in each interval, so that a flood of bad frames does not fill the
 * disk. Kinds may come from a hostile source, so beyond a thousand the oldest are forgotten.
 */
export class LogThrottle {
  readonly #clock: Clock;
  readonly #everyMs: Ms;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, everyMs: Ms = 60_000) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /**
   * Returns the number of lines of this kind that were suppressed since the last one passed, or
   * undefined when this one is suppressed too.
   */
  pass(kind: string): number | undefined {
    const now = this.#clock.monotonicMs();
    const window = this.#windows.get(kind);
    if (window !== undefined && now < window.untilMs) {
      window.suppressed++;
      return undefined;
    }
    this.#windows.delete(kind);
    if (this.#windows.size >= MOST_KINDS) this.#forgetOldest();
    this.#windows.set(kind, { untilMs: now + this.#everyMs, suppressed: 0 });
    return window?.suppressed ?? 0;
  }

  #forgetOldest(): void {
    for (const kind of this.#windows.keys()) {
      this.#windows.delete(kind);
      return;
    }
  }
}
