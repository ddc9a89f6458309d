import type { Ms } from "../core/units.js";

/** Settings of the basis between an exchange and its reference. */
export interface BasisOptions {
  /** After this time an observation has half of its weight. */
  readonly halfLifeMs: Ms;
  /** Largest basis either way, in basis points of the reference. */
  readonly maxBasisBps: number;
}

/**
 * The lasting difference between an exchange's mid and a reference price: a mean of the observed
 * differences, in which the weight of an observation halves over a half-life. Each observation is
 * bounded first, so that a jump does not linger behind the bound.
 */
export class BasisEstimator {
  readonly #options: BasisOptions;
  #bps = 0;
  #observedBps = Number.NaN;
  #atMs = Number.NaN;

  constructor(options: BasisOptions) {
    this.#options = options;
  }

  /** The basis in basis points of the reference; 0 before the first observation. */
  get bps(): number {
    return this.#bps;
  }

  /**
   * Observes the mid beside the reference. The value before counts for the time until now.
   * @param nowMs monotonic clock
   */
  observe(midTicks: number, referenceTicks: number, nowMs: Ms): void {
    const { halfLifeMs, maxBasisBps } = this.#options;
    this.#advance(nowMs, halfLifeMs);
    const bps = (10_000 * (midTicks - referenceTicks)) / referenceTicks;
    this.#observedBps = Math.min(maxBasisBps, Math.max(-maxBasisBps, bps));
    if (Number.isNaN(this.#atMs)) this.#bps = this.#observedBps;
    this.#atMs = nowMs;
  }

  /** Stops until the next observation: the time meanwhile does not count. */
  freeze(nowMs: Ms): void {
    this.#advance(nowMs, this.#options.halfLifeMs);
    this.#observedBps = Number.NaN;
  }

  #advance(nowMs: Ms, halfLifeMs: Ms): void {
    if (Number.isNaN(this.#observedBps) || !(nowMs > this.#atMs)) return;
    const share = 1 - 2 ** (-(nowMs - this.#atMs) / halfLifeMs);
    this.#bps += share * (this.#observedBps - this.#bps);
    this.#atMs = nowMs;
  }
}
