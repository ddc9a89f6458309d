import type { ReplayFill } from "./run-observer.js";

/** Most fills that a report's charts and table show; `fills.csv` has all. */
const MOST_KEPT_FILLS = 10_000;

/**
 * A sample of fills: every fill up to a budget; beyond it every second, every fourth and so on of
 * the whole run.
 */
export class FillSample {
  readonly #most: number;
  #kept: ReplayFill[] = [];
  #stride = 1;
  #seen = 0;

  constructor(most: number = MOST_KEPT_FILLS) {
    this.#most = most;
  }

  add(fill: ReplayFill): void {
    const place = this.#seen;
    this.#seen += 1;
    if (place % this.#stride !== 0) return;
    if (this.#kept.length === this.#most) {
      this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
      this.#stride *= 2;
      if (place % this.#stride !== 0) return;
    }
    this.#kept.push(fill);
  }

  get fills(): readonly ReplayFill[] {
    return this.#kept;
  }

  /** One fill of this number is kept. */
  get stride(): number {
    return this.#stride;
  }
}
