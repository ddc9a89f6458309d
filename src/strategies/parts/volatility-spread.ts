import { z } from "zod";
import type { MarketView } from "../../market/view.js";
import { type SigmaSource, sigmaField, sigmaSource } from "../models/sigma.js";

/** Spreads that follow volatility. */
export const volatilitySpreadField = z
  .strictObject({
    normalBps: z
      .number()
      .gt(0)
      .max(10_000)
      .describe(
        "Volatility at which quotes are where the strategy wants them, in basis points per square root of a second.",
      ),
    maxFactor: z
      .number()
      .gt(1)
      .max(20)
      .describe("Quotes are at most so many times as far from their centre.")
      .default(4),
    stepFraction: z
      .number()
      .min(0)
      .max(1)
      .describe("The factor follows changes of at least this share: each one moves every quote.")
      .default(0.1),
    sigma: sigmaField,
  })
  .describe("Quotes that are further from their centre while volatility is above normal.");

/** Parameters of a volatility spread, validated. */
export type VolatilitySpreadParams = z.output<typeof volatilitySpreadField>;

/**
 * A factor of the distance from the centre: volatility over its normal value, from 1 to
 * `maxFactor`. Proportional to volatility, a plain rule without a canonical paper. The models
 * `avellaneda-stoikov` and `glft` derive their spreads from volatility themselves.
 */
export class VolatilitySpread {
  #params: VolatilitySpreadParams;
  #source: SigmaSource;
  #factor = 1;

  constructor(params: VolatilitySpreadParams) {
    this.#params = params;
    this.#source = sigmaSource(params.sigma);
  }

  /** Applies other parameters, and keeps the estimate if its settings are the same. */
  configure(params: VolatilitySpreadParams): void {
    this.#params = params;
    this.#source = this.#source.withParams(params.sigma);
  }

  /** Observes a view. Called once for each, in order. @returns the factor from then on */
  observe({ midTicks, timeMs }: Pick<MarketView, "midTicks" | "timeMs">): number {
    const { maxFactor, stepFraction } = this.#params;
    this.#source.observe(midTicks, timeMs);
    const wanted = this.wantedFactor(midTicks, this.#params);
    const isAtBound = wanted === 1 || wanted === maxFactor;
    if (isAtBound || Math.abs(wanted / this.#factor - 1) >= stepFraction) this.#factor = wanted;
    return this.#factor;
  }

  /** The factor by the present estimate and these parameters, before it moves in steps. */
  wantedFactor(
    midTicks: number,
    { normalBps, maxFactor }: Pick<VolatilitySpreadParams, "normalBps" | "maxFactor">,
  ): number {
    const sigmaBps = (10_000 * this.#source.at(midTicks).ticks) / midTicks;
    return Math.min(maxFactor, Math.max(1, sigmaBps / normalBps));
  }
}
