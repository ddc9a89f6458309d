import type { Ms } from "../../core/units.js";

/** Number of delays that are kept: a minute of checks at the default interval of 100 ms. */
const KEPT = 600;

/** The newest delays of the bot's periodic check, for their quantiles. Constant memory. */
export class DelayWindow {
  readonly #delaysMs = new Float64Array(KEPT);
  #count = 0;

  /** The newest delay; 0 before the first. */
  get lastMs(): Ms {
    return this.#count === 0 ? 0 : (this.#delaysMs[(this.#count - 1) % KEPT] ?? 0);
  }

  /** Adds a delay. */
  note(lateMs: Ms): void {
    this.#delaysMs[this.#count % KEPT] = lateMs;
    this.#count += 1;
  }

  /**
   * The smallest kept delay that at least this share of the kept delays does not exceed; 0 before
   * the first.
   * @param share above 0, at most 1
   */
  quantileMs(share: number): Ms {
    const kept = Math.min(this.#count, KEPT);
    if (kept === 0) return 0;
    const sorted = this.#delaysMs.slice(0, kept).sort();
    return sorted[Math.ceil(share * kept) - 1] ?? 0;
  }
}
