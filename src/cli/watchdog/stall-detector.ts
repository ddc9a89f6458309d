import type { Ms } from "../../core/units.js";

/** Result of a check of another thread's beats. */
interface StallChange {
  readonly isStalled: boolean;
  /** Duration of the stall so far, or of the stall that ended. */
  readonly silentMs: Ms;
}

/**
 * Detects from a counter that another thread increments if that thread still runs its event loop.
 */
export class StallDetector {
  readonly #stallMs: Ms;
  readonly #everyMs: Ms;
  #beats = -1;
  #silentMs: Ms = 0;
  #checkedAtMs: Ms;
  #isStalled = false;

  /** @param everyMs interval of the checks */
  constructor(stallMs: Ms, everyMs: Ms, nowMs: Ms) {
    this.#stallMs = stallMs;
    this.#everyMs = everyMs;
    this.#checkedAtMs = nowMs;
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** @returns undefined if nothing has changed. */
  check(beats: number, nowMs: Ms): StallChange | undefined {
    // A late check means that the machine or the process was suspended, and the other thread with
    // it.
    const sinceMs = Math.min(nowMs - this.#checkedAtMs, 2 * this.#everyMs);
    this.#checkedAtMs = nowMs;
    const silentMs = this.#silentMs + sinceMs;
    const hasBeaten = beats !== this.#beats;
    this.#beats = beats;
    this.#silentMs = hasBeaten ? 0 : silentMs;
    const isStalled = this.#silentMs >= this.#stallMs;
    if (isStalled === this.#isStalled) return undefined;
    this.#isStalled = isStalled;
    return { isStalled, silentMs };
  }
}
