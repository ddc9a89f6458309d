import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";

const STEP_MS: Ms = 100;

/** The true price of a simulated market by the time since its start: a seeded random walk. */
export class PricePath {
  readonly #random;
  readonly #stepBps: number;
  readonly #prices: number[];

  /** @param bpsPerSqrtSecond standard deviation of the price over one second */
  constructor(seed: string, startPrice: number, bpsPerSqrtSecond: number) {
    this.#random = seededRandom(`price path ${seed}`);
    // Of an even draw on -1 to 1, whose deviation is the root of a third.
    this.#stepBps = bpsPerSqrtSecond * Math.sqrt((3 * STEP_MS) / 1_000);
    this.#prices = [startPrice];
  }

  /** Quote units for one base unit. */
  at(sinceStartMs: Ms): number {
    const step = Math.max(0, Math.floor(sinceStartMs / STEP_MS));
    while (this.#prices.length <= step) {
      const last = this.#prices[this.#prices.length - 1] as number;
      const moveBps = (2 * this.#random.uniform() - 1) * this.#stepBps;
      this.#prices.push(last * (1 + moveBps / 10_000));
    }
    return this.#prices[step] as number;
  }
}
