/** A fall from a peak. */
export interface Fall {
  readonly amount: bigint;
  /** The value that it fell from. */
  readonly peak: bigint;
  readonly peakUs: number;
  readonly troughUs: number;
}

/** The deepest fall of a value from its previous maximum, exact and in constant memory. */
export class DrawdownTracker {
  #peak: bigint;
  #peakUs: number;
  #deepest: Fall;

  constructor(atUs: number, value: bigint) {
    this.#peak = value;
    this.#peakUs = atUs;
    this.#deepest = { amount: 0n, peak: value, peakUs: atUs, troughUs: atUs };
  }

  /** @returns how far below the peak the value is now. */
  add(atUs: number, value: bigint): bigint {
    if (value > this.#peak) {
      this.#peak = value;
      this.#peakUs = atUs;
    }
    const amount = this.#peak - value;
    if (amount > this.#deepest.amount)
      this.#deepest = { amount, peak: this.#peak, peakUs: this.#peakUs, troughUs: atUs };
    return amount;
  }

  get deepest(): Fall {
    return this.#deepest;
  }
}
