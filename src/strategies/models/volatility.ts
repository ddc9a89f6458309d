import type { Ms } from "../../core/units.js";

/** An online estimate of volatility. */
export interface VolatilityEstimator {
  /** Observes the price at a time. Returns at once; times that do not advance are ignored. */
  observe(price: number, timeMs: Ms): void;
  /**
   * Standard deviation of the price per square root of a second, in the price's unit; undefined
   * before 10 samples (`MIN_RETURNS`).
   */
  readonly sigma: number | undefined;
}

/** Sampling and weighting of an estimator. */
export interface VolatilityWindow {
  /**
   * `ewma`: the time constant of the weights (a return's weight has fallen to 1/e). `rolling`: the
   * length of the window.
   */
  readonly windowMs: Ms;
  /**
   * Minimum time between two samples: shorter samples measure the bounce of the quotes, not the
   * price.
   */
  readonly sampleMs: Ms;
}

/** Returns needed before an estimate is given. */
export const MIN_RETURNS = 10;

/**
 * Takes samples at least `sampleMs` apart, whenever prices are observed. Returns span unequal
 * times, so every estimator here is a sum of squared changes divided by a sum of spans. It is
 * unbiased for a diffusion, however it was sampled.
 */
class PriceSampler {
  readonly #sampleMs: Ms;
  #price = Number.NaN;
  #timeMs = Number.NaN;

  constructor(sampleMs: Ms) {
    this.#sampleMs = sampleMs;
  }

  /** The squared change since the last sample and its span in seconds, if a sample is due. */
  sample(
    price: number,
    timeMs: Ms,
  ): { readonly square: number; readonly seconds: number } | undefined {
    if (!Number.isFinite(price)) return undefined;
    const sinceMs = timeMs - this.#timeMs;
    // The first price, or a clock that stepped back: only a new starting point.
    if (!(sinceMs >= 0)) {
      this.#price = price;
      this.#timeMs = timeMs;
      return undefined;
    }
    if (sinceMs < this.#sampleMs || sinceMs === 0) return undefined;
    const change = price - this.#price;
    this.#price = price;
    this.#timeMs = timeMs;
    return { square: change * change, seconds: sinceMs / 1000 };
  }
}

/**
 * Exponentially weighted realised volatility. Weights decay by `exp(-span / windowMs)`, by time and
 * not by sample.
 * @example
 * ```ts
 * import { EwmaVolatility } from "marketwright";
 *
 * const volatility = new EwmaVolatility({ windowMs: 60_000, sampleMs: 1000 });
 * // The price moves by 2 ticks a second, up and down in turn.
 * for (let second = 0; second <= 30; second += 1) {
 *   volatility.observe(10_000 + (second % 2) * 2, second * 1000);
 * }
 * volatility.sigma?.toFixed(6); // => "2.000000"
 * ```
 */
export class EwmaVolatility implements VolatilityEstimator {
  readonly #sampler: PriceSampler;
  readonly #windowSeconds: number;
  #squares = 0;
  #seconds = 0;
  #returns = 0;

  constructor({ windowMs, sampleMs }: VolatilityWindow) {
    this.#sampler = new PriceSampler(sampleMs);
    this.#windowSeconds = windowMs / 1000;
  }

  get sigma(): number | undefined {
    return this.#returns < MIN_RETURNS ? undefined : Math.sqrt(this.#squares / this.#seconds);
  }

  observe(price: number, timeMs: Ms): void {
    const sample = this.#sampler.sample(price, timeMs);
    if (sample === undefined) return;
    const kept = Math.exp(-sample.seconds / this.#windowSeconds);
    this.#squares = this.#squares * kept + sample.square;
    this.#seconds = this.#seconds * kept + sample.seconds;
    this.#returns++;
  }
}

/**
 * Realised volatility of the returns that ended within the last `windowMs`, all of equal weight.
 * @example
 * ```ts
 * import { RollingVolatility } from "marketwright";
 *
 * const volatility = new RollingVolatility({ windowMs: 60_000, sampleMs: 1000 });
 * volatility.sigma; // => undefined
 * // The price moves by 2 ticks a second, up and down in turn.
 * for (let second = 0; second <= 30; second += 1) {
 *   volatility.observe(10_000 + (second % 2) * 2, second * 1000);
 * }
 * volatility.sigma?.toFixed(6); // => "2.000000"
 * ```
 */
export class RollingVolatility implements VolatilityEstimator {
  readonly #sampler: PriceSampler;
  readonly #windowMs: Ms;
  readonly #ring: { endMs: Ms; square: number; seconds: number }[] = [];
  #first = 0;

  constructor({ windowMs, sampleMs }: VolatilityWindow) {
    this.#sampler = new PriceSampler(sampleMs);
    this.#windowMs = windowMs;
  }

  get sigma(): number | undefined {
    if (this.#ring.length - this.#first < MIN_RETURNS) return undefined;
    let squares = 0;
    let seconds = 0;
    // Summed from scratch: a running sum would accumulate the rounding errors of every return that
    // has left the window.
    for (let at = this.#first; at < this.#ring.length; at++) {
      squares += this.#ring[at].square;
      seconds += this.#ring[at].seconds;
    }
    return Math.sqrt(squares / seconds);
  }

  observe(price: number, timeMs: Ms): void {
    const sample = this.#sampler.sample(price, timeMs);
    if (sample === undefined) return;
    this.#ring.push({ endMs: timeMs, ...sample });
    while (
      this.#first < this.#ring.length &&
      this.#ring[this.#first].endMs <= timeMs - this.#windowMs
    )
      this.#first++;
    if (this.#first > 64 && this.#first * 2 > this.#ring.length) {
      this.#ring.splice(0, this.#first);
      this.#first = 0;
    }
  }
}
