import type { Ms } from "../../core/units.js";

/** What a look at another thread's beats found. */
interface StallChange {
  readonly isStalled: boolean;
  /** How long the thread has done nothing, or had done when it went on. */
  readonly silentMs: Ms;
}

/** Finds out from a counter that another thread counts up whether that thread still runs its event loop. */
export class StallDetector {
  readonly #stallMs: Ms;
  readonly #everyMs: Ms;
  #beats = -1;
  #silentMs: Ms = 0;
  #checkedAtMs: Ms;
  #isStalled = false;

  /** @param everyMs between two looks */
  constructor(stallMs: Ms, everyMs: Ms, nowMs: Ms) {
    this.#stallMs = stallMs;
    this.#everyMs = everyMs;
    this.#checkedAtMs = nowMs;
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** @returns undefined where nothing has changed. */
  check(beats: number, nowMs: Ms): StallChange | undefined {
    // A look that comes late itself is one of a machine or a process that was suspended: the other thread was, too.
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
