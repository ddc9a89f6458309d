/** The computation of the rate from samples of the premium (docs/reference/protocol.md#funding). */
export interface PremiumTerms {
  /** `impact` weighs the i-th sample with i; `mid` takes the plain mean and divides it by 3. */
  readonly kind: "impact" | "mid";
  /** The minimum number of samples for a rate. */
  readonly minSamples: number;
  /** The largest rate of either sign, scaled by 10^18; null for no limit. */
  readonly bound: bigint | null;
}

/** Plain values, for a store. Premiums are scaled by 10^18. */
export interface PremiumState {
  readonly count: number;
  readonly sum: bigint;
  /** The sum of each sample times its number, which begins at 1. */
  readonly weightedSum: bigint;
}

const NOTHING: PremiumState = { count: 0, sum: 0n, weightedSum: 0n };
/** The divisor of the older premium: the day's premium over three intervals of eight hours. */
const MID_DIVISOR = 3n;

/** Collects the premium's samples of one funding interval. */
export class PremiumMeter {
  readonly #termsNow: () => PremiumTerms;
  #state: PremiumState = NOTHING;

  /** @param termsNow called each time, since the terms change with the market's rules. */
  constructor(termsNow: () => PremiumTerms) {
    this.#termsNow = termsNow;
  }

  /**
   * Adds a sample.
   * @param premium scaled by 10^18.
   */
  take(premium: bigint): void {
    const count = this.#state.count + 1;
    this.#state = {
      count,
      sum: this.#state.sum + premium,
      weightedSum: this.#state.weightedSum + premium * BigInt(count),
    };
  }

  /** The rate of the samples so far, scaled by 10^18 and truncated; 0 without any. */
  get rate(): bigint {
    const { count, sum, weightedSum } = this.#state;
    if (count === 0) {
      return 0n;
    }
    const samples = BigInt(count);
    const { kind, bound } = this.#termsNow();
    const rate =
      kind === "mid"
        ? sum / (samples * MID_DIVISOR)
        : (2n * weightedSum) / (samples * (samples + 1n));
    return bound === null ? rate : rate > bound ? bound : rate < -bound ? -bound : rate;
  }

  /**
   * Ends an interval.
   * @returns the rate to pay, or null if there were too few samples to pay one.
   */
  close(): bigint | null {
    const rate = this.#state.count < this.#termsNow().minSamples ? null : this.rate;
    this.#state = NOTHING;
    return rate;
  }

  snapshot(): PremiumState {
    return this.#state;
  }

  restore(state: PremiumState): void {
    this.#state = state;
  }
}
