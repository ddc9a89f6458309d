import type { Lots } from "../../../core/units.js";

/** A position over time. */
export interface PositionTimes {
  readonly minLots: Lots;
  readonly maxLots: Lots;
  readonly lastLots: Lots;
  /** Mean absolute size, weighted by time. */
  readonly meanAbsLots: number;
}

/**
 * Measures one position over time, from its opening size. Each interval between two changes counts
 * with its length.
 */
export class PositionClock {
  readonly #startUs: number;
  #sinceUs: number;
  #known = false;
  #lots = 0;
  #min = 0;
  #max = 0;
  #lotUs = 0;

  constructor(startUs: number) {
    this.#startUs = startUs;
    this.#sinceUs = startUs;
  }

  set(atUs: number, lots: Lots): void {
    this.#pass(atUs);
    this.#lots = lots;
    this.#min = this.#known ? Math.min(this.#min, lots) : lots;
    this.#max = this.#known ? Math.max(this.#max, lots) : lots;
    this.#known = true;
  }

  times(untilUs: number): PositionTimes {
    this.#pass(untilUs);
    const us = this.#sinceUs - this.#startUs;
    return {
      minLots: this.#min,
      maxLots: this.#max,
      lastLots: this.#lots,
      meanAbsLots: us > 0 ? this.#lotUs / us : Math.abs(this.#lots),
    };
  }

  #pass(untilUs: number): void {
    if (untilUs <= this.#sinceUs) return;
    this.#lotUs += Math.abs(this.#lots) * (untilUs - this.#sinceUs);
    this.#sinceUs = untilUs;
  }
}
