import type { Random } from "../../../core/runtime/runtime.js";

/**
 * A standard normal draw (Box and Muller 1958; one of the pair, two uniforms a draw, so that random
 * streams stay aligned).
 */
export function sampleNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.uniform()));
  return radius * Math.cos(2 * Math.PI * random.uniform());
}

/**
 * Milliseconds until the next arrival of a Poisson process of `ratePerSecond`; Infinity at rate 0.
 * At least 1.
 */
export function sampleArrivalMs(random: Random, ratePerSecond: number): number {
  if (ratePerSecond <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.round((-Math.log(1 - random.uniform()) / ratePerSecond) * 1000));
}

/** A lognormal draw with this median; `sigma` is the standard deviation of its logarithm. */
export function sampleLognormal(random: Random, median: number, sigma: number): number {
  return median * Math.exp(sigma * sampleNormal(random));
}

/** A geometric draw on 1, 2, 3, ... with this mean (a mean of 1 or less always gives 1). */
export function sampleGeometric(random: Random, mean: number): number {
  const draw = random.uniform();
  if (mean <= 1) return 1;
  return 1 + Math.floor(Math.log(1 - draw) / Math.log(1 - 1 / mean));
}
