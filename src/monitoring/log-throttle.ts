import type { Clock } from "../core/runtime/seam.js";
import type { Ms } from "../core/units.js";

const MOST_KINDS = 1000;

interface Window {
  readonly untilMs: number;
  suppressed: number;
}

/**
 * Lets one line of a kind pass in each interval, so that a storm of bad frames fills no disk.
 * Kinds may come from a hostile source: the oldest are forgotten beyond a thousand.
 */
export class LogThrottle {
  readonly #clock: Clock;
  readonly #everyMs: Ms;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, everyMs: Ms = 60_000) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** How many of this kind were held back since the last that passed, or undefined when this one is held back too. */
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
