import type { CreditUnits } from "../../core/units.js";

/** The number of samples that the average is over (docs/reference/protocol.md#funding). */
const READINGS = 30;

/**
 * The off-chain mark: the index plus the mean of the last thirty samples of mid less index
 * (docs/reference/protocol.md#funding).
 */
export class BasisAverage {
  #readings: CreditUnits[] = [];

  /** Adds a sample, once a second. Prices in credit units per whole base unit. */
  take(mid: CreditUnits, index: CreditUnits): void {
    this.#readings.push(mid - index);
    if (this.#readings.length > READINGS) {
      this.#readings.shift();
    }
  }

  /** The off-chain mark at an index; the index itself before the first sample. */
  over(index: CreditUnits): CreditUnits {
    const sum = this.#readings.reduce((total, reading) => total + reading, 0n);
    const count = BigInt(this.#readings.length);
    return count === 0n ? index : index + sum / count;
  }

  /** The samples, oldest first, for {@link restore}. */
  snapshot(): readonly CreditUnits[] {
    return [...this.#readings];
  }

  restore(readings: readonly CreditUnits[]): void {
    this.#readings = readings.slice(-READINGS);
  }
}
