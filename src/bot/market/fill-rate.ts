import { MINUTE_MS, type Ms } from "../../core/units.js";

const WINDOW_MS: Ms = 5 * MINUTE_MS;
/** Most fills of a window whose times are kept. Beyond it the rate is this many a window. */
const MOST_TIMES = 10_000;

/** The fills of one market since the start. Instants are on the monotonic clock. */
export class FillRate {
  #count = 0;
  #atMs: Ms[] = [];

  /** Number of all fills. */
  get count(): number {
    return this.#count;
  }

  note(nowMs: Ms): void {
    this.#count += 1;
    this.#atMs.push(nowMs);
    // Rarely, because a copy costs as much as the window has fills.
    if (this.#atMs.length >= 2 * MOST_TIMES) this.#atMs = this.#atMs.slice(-MOST_TIMES);
  }

  /**
   * Fills per minute over the last five minutes, or since the start, but never over less than one
   * minute.
   */
  perMinute(nowMs: Ms, startedMs: Ms): number {
    const windowMs = Math.min(WINDOW_MS, Math.max(MINUTE_MS, nowMs - startedMs));
    const first = this.#atMs.findLastIndex((atMs) => atMs <= nowMs - windowMs) + 1;
    return ((this.#atMs.length - first) * MINUTE_MS) / windowMs;
  }
}
