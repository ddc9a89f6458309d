/** Fewest blocks for a band: with fewer, one part of the data says too little about the next. */
const FEWEST_BLOCKS = 5;

/** 97.5 % quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/** A weighted mean with its 95 % band. */
export interface BandedMean {
  readonly mean: number;
  /** The values times their weights. */
  readonly sum: number;
  /** Half the width of the band; undefined with fewer than five blocks of time. */
  readonly halfBand: number | undefined;
  readonly count: number;
  readonly blocks: number;
}

/**
 * The weighted mean of values that arrive in order of time and are correlated over short times.
 * Fills seconds apart see the same move of the market; a band for independent values would be far
 * too narrow. So time is cut into blocks, and the variance is that of a ratio of block sums
 * (Cochran, Sampling Techniques, 3rd ed., 6.3 and 9A.1: clusters of unequal size), with Student's
 * quantile for the number of blocks. Constant memory.
 */
export class BlockedMean {
  readonly #blockUs: number;
  #count = 0;
  #blocks = 0;
  #block = Number.NaN;
  #blockValue = 0;
  #blockWeight = 0;
  #value = 0;
  #weight = 0;
  #squaredValue = 0;
  #valueWeight = 0;
  #squaredWeight = 0;

  constructor(blockUs: number) {
    this.#blockUs = blockUs;
  }

  add(atUs: number, value: number, weight: number): void {
    const block = Math.floor(atUs / this.#blockUs);
    if (block !== this.#block) {
      this.#closeBlock();
      this.#block = block;
      this.#blocks += 1;
    }
    this.#count += 1;
    this.#blockValue += value * weight;
    this.#blockWeight += weight;
  }

  /** Undefined before the first value. Changes nothing, so it may be read during a run. */
  result(): BandedMean | undefined {
    const sum = this.#value + this.#blockValue;
    const weight = this.#weight + this.#blockWeight;
    if (weight === 0) return undefined;
    const mean = sum / weight;
    const halfBand = this.#halfBand(mean, weight);
    return { mean, sum, halfBand, count: this.#count, blocks: this.#blocks };
  }

  #halfBand(mean: number, weight: number): number | undefined {
    if (this.#blocks < FEWEST_BLOCKS) return undefined;
    const [blockValue, blockWeight] = [this.#blockValue, this.#blockWeight];
    const squaredValue = this.#squaredValue + blockValue * blockValue;
    const valueWeight = this.#valueWeight + blockValue * blockWeight;
    const squaredWeight = this.#squaredWeight + blockWeight * blockWeight;
    const squares = squaredValue - 2 * mean * valueWeight + mean * mean * squaredWeight;
    const variance = (Math.max(0, squares) * this.#blocks) / (this.#blocks - 1) / (weight * weight);
    return studentQuantile(this.#blocks - 1) * Math.sqrt(variance);
  }

  #closeBlock(): void {
    const [value, weight] = [this.#blockValue, this.#blockWeight];
    this.#value += value;
    this.#weight += weight;
    this.#squaredValue += value * value;
    this.#valueWeight += value * weight;
    this.#squaredWeight += weight * weight;
    this.#blockValue = 0;
    this.#blockWeight = 0;
  }
}

/**
 * A quantile of Student's t, right to 0.01 from four degrees of freedom on (Abramowitz and Stegun,
 * 26.7.5).
 * @param z the same quantile of the standard normal distribution; by default the 97.5 % one
 */
export function studentQuantile(degrees: number, z = Z): number {
  const z2 = z * z;
  const terms = [
    (z2 + 1) / 4,
    ((5 * z2 + 16) * z2 + 3) / 96,
    (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
    ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
  ];
  return terms.reduce((sum, term, index) => sum + (z * term) / degrees ** (index + 1), z);
}
