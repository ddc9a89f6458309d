import type { Random } from "../../../core/runtime/runtime.js";
import { seededRandom } from "../../../core/runtime/seeded-random.js";
import type { Ms } from "../../../core/units.js";
import type { FundamentalParams } from "../synthetic-params.js";
import { sampleNormal } from "./sampling.js";
import { type ShockParams, Shocks } from "./shocks.js";

/** The step of the process: its path depends only on seed and time, not on the calls. */
const STEP_MS = 250;
/** The half-life of the premium. */
const PREMIUM_HALF_LIFE_MS = 60_000;

/**
 * The latent fair price that the agents of a synthetic market trade around: a mean-reverting
 * Gaussian walk of the log price with optional Poisson jumps and shocks, and a bounded premium of
 * mark over index. Floats, since no order has this price.
 */
export class FundamentalPrice {
  readonly #params: FundamentalParams;
  readonly #startPrice: number;
  readonly #walk: Random;
  readonly #jump: Random;
  readonly #premiumWalk: Random;
  readonly #volatilityWalk: Random;
  readonly #shocks: Shocks | null;
  readonly #keepLog: number;
  readonly #keepVolatility: number;
  readonly #keepPremium = 2 ** (-STEP_MS / PREMIUM_HALF_LIFE_MS);
  #logDeviation = 0;
  /** In its own standard deviations. */
  #volatilityLog = 0;
  #shockLog = 0;
  #premiumBps = 0;
  #nextStepMs: Ms;
  #price: number;

  /**
   * @param seed of all its draws, or what creates the randomness of each part by its name
   * @param startPrice quote per base at `startMs`, on the same clock as {@link advanceTo}.
   */
  constructor(
    seed: string | ((name: string) => Random),
    params: FundamentalParams,
    startPrice: number,
    startMs: Ms,
    shocks: ShockParams | null = null,
  ) {
    const drawn =
      typeof seed === "string" ? (name: string) => seededRandom(`${seed}/${name}`) : seed;
    this.#params = params;
    this.#startPrice = startPrice;
    this.#price = startPrice;
    this.#walk = drawn("fundamental/walk");
    this.#jump = drawn("fundamental/jump");
    this.#premiumWalk = drawn("fundamental/premium");
    this.#volatilityWalk = drawn("fundamental/volatility");
    this.#keepVolatility = 2 ** (-STEP_MS / params.volatilityHalfLifeMs);
    this.#shocks =
      shocks === null ? null : new Shocks(drawn("fundamental/shocks"), shocks, STEP_MS);
    this.#keepLog =
      params.reversionHalfLifeMs > 0 ? 2 ** (-STEP_MS / params.reversionHalfLifeMs) : 1;
    this.#nextStepMs = startMs + STEP_MS;
  }

  /** Advances the process to `nowMs`; an instant in the past changes nothing. */
  advanceTo(nowMs: Ms): void {
    if (nowMs < this.#nextStepMs) return;
    while (this.#nextStepMs <= nowMs) {
      this.#step();
      this.#nextStepMs += STEP_MS;
    }
    this.#price = this.#startPrice * Math.exp(this.#logDeviation + this.#shockLog);
  }

  /** Quote per base. */
  get price(): number {
    return this.#price;
  }

  /** The mark price: the fundamental with its premium, quote per base. */
  get markPrice(): number {
    return this.#price * (1 + this.#premiumBps / 10_000);
  }

  /** The index: the fundamental without the basis, quote per base. */
  get indexPrice(): number {
    return this.#price / (1 + this.#params.basisBps / 10_000);
  }

  /**
   * The current factor of the volatility: lognormal, its square 1 on average, so that the
   * configured volatility holds in the long run.
   */
  #volatilityFactor(): number {
    const { volatilitySigma } = this.#params;
    if (volatilitySigma === 0) return 1;
    this.#volatilityLog =
      this.#volatilityLog * this.#keepVolatility +
      Math.sqrt(1 - this.#keepVolatility ** 2) * sampleNormal(this.#volatilityWalk);
    return Math.exp(volatilitySigma * this.#volatilityLog - volatilitySigma ** 2);
  }

  #step(): void {
    const { volatilityBpsPerSqrtSecond, jumpsPerHour, jumpBps, premiumBoundBps } = this.#params;
    const stepBps =
      volatilityBpsPerSqrtSecond *
      this.#volatilityFactor() *
      Math.sqrt(STEP_MS / 1000) *
      sampleNormal(this.#walk);
    this.#logDeviation = this.#logDeviation * this.#keepLog + stepBps / 10_000;
    if (jumpsPerHour > 0 && this.#jump.uniform() < (jumpsPerHour * STEP_MS) / 3_600_000) {
      this.#logDeviation += (jumpBps * sampleNormal(this.#jump)) / 10_000;
    }
    this.#shockLog = this.#shocks?.step() ?? 0;
    if (premiumBoundBps > 0) {
      // A third of the bound as the stationary deviation, so that the bound is reached, and rarely.
      const noise =
        (premiumBoundBps / 3) *
        Math.sqrt(1 - this.#keepPremium ** 2) *
        sampleNormal(this.#premiumWalk);
      const moved = this.#premiumBps * this.#keepPremium + noise;
      this.#premiumBps = Math.max(-premiumBoundBps, Math.min(premiumBoundBps, moved));
    }
  }
}
