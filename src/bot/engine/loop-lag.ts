import type { Ms } from "../../core/units.js";
import { DelayWindow } from "./delay-window.js";

/**
 * Time constant of the mean: one pause of half a second moves it by 100 ms; a second in which every
 * turn is late moves it by most of the lateness.
 */
const MEAN_OVER_MS: Ms = 2_000;
/** Load is shed from this share of the limit on, so that the limit is seldom reached. */
const SHED_FROM = 0.1;
/** Largest lag that does not shed load, whatever the limit is. */
const LEAST_SHED_MS: Ms = 50;
/** Shedding ends after the lag was below half of the value that started it for this long. */
const CALM_FOR_MS: Ms = 5_000;
/** Shortest time between two decision rounds while load is shed. */
const LEAST_ROUND_MS: Ms = 50;

/**
 * Lag of the bot's turns, measured by how late its periodic check fires. Turns carry their own
 * time, and so does a journal: a replay measures the same lag and acts the same. In virtual time
 * there is no lag.
 */
export class LoopLag {
  /** The newest delays, for `status`: they change nothing. */
  readonly delays = new DelayWindow();
  #limitMs!: Ms | undefined;
  #shedMs!: Ms;
  #lagMs: Ms = 0;
  #notedAtMs: Ms | undefined;
  #calmSinceMs: Ms = 0;
  #isShedding = false;
  #isOverLimit = false;

  /**
   * @param limitMs undefined for a journal from before there was a limit: it is replayed as
   * recorded.
   */
  constructor(limitMs: Ms | undefined) {
    this.configure(limitMs);
  }

  get limitMs(): Ms | undefined {
    return this.#limitMs;
  }

  /** Applies another limit to the lag as it is measured. */
  configure(limitMs: Ms | undefined): void {
    this.#limitMs = limitMs;
    this.#shedMs = Math.max(LEAST_SHED_MS, SHED_FROM * (limitMs ?? 0));
  }

  /** Mean lateness over the last seconds. */
  get lagMs(): Ms {
    return this.#lagMs;
  }

  /** True while market data is batched into decision rounds. */
  get isShedding(): boolean {
    return this.#isShedding;
  }

  /** True while quotes have to be cancelled: until the lag is below half of its limit again. */
  get isOverLimit(): boolean {
    return this.#isOverLimit;
  }

  /**
   * Time between two decision rounds while load is shed: as long as the lag, so that a round is
   * done when the next is due.
   */
  get roundMs(): Ms {
    return Math.max(LEAST_ROUND_MS, Math.min(Math.ceil(this.#lagMs), this.#limitMs ?? 0));
  }

  /**
   * Records that the periodic check fired `lateMs` after it was due. @returns true if shedding
   * starts or ends
   */
  note(lateMs: Ms, nowMs: Ms): boolean {
    this.delays.note(lateMs);
    if (this.#limitMs === undefined) return false;
    const sinceMs = this.#notedAtMs === undefined ? 0 : nowMs - this.#notedAtMs;
    this.#notedAtMs = nowMs;
    this.#lagMs += (1 - Math.exp(-sinceMs / MEAN_OVER_MS)) * (lateMs - this.#lagMs);
    this.#isOverLimit = this.#lagMs >= (this.#isOverLimit ? this.#limitMs / 2 : this.#limitMs);
    if (this.#lagMs >= this.#shedMs / 2) this.#calmSinceMs = nowMs;
    const before = this.#isShedding;
    if (this.#lagMs >= this.#shedMs) this.#isShedding = true;
    else if (nowMs - this.#calmSinceMs >= CALM_FOR_MS) this.#isShedding = false;
    return this.#isShedding !== before;
  }
}
