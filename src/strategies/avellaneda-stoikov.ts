import { z } from "zod";
import type { Ms } from "../core/units.js";
import type { MarketView } from "../market/view.js";
import { needsFairReference } from "./fair-price.js";
import { inventoryFraction, inventoryRangeLots } from "./inventory-skew.js";
import { avellanedaStoikovQuotes } from "./models/avellaneda-stoikov-quotes.js";
import { type Intensity, intensityField, WAITING_FOR_INTENSITY } from "./models/intensity.js";
import { ModelStep } from "./models/model-step.js";
import { sigmaField } from "./models/sigma.js";
import {
  bpsField,
  inventoryRangeField,
  kPerBpsField,
  levelsField,
  minHalfSpreadBpsField,
  modelFairField,
  refreshToleranceBpsField,
  refreshToleranceTicksField,
  sizeBaseField,
  targetPositionField,
  withEitherUnits,
} from "./param-fields.js";
import { type AdjustableStep, adjustableQuotes, type QuoteResult } from "./quotes-operator.js";
import { type QuotingBounds, shapeQuotesWithin } from "./shape-quotes.js";
import { baseToExactLots } from "./size-lots.js";
import { defineStrategy } from "./strategy.js";

/**
 * Parameters of the Avellaneda-Stoikov market maker (formulas in
 * `docs/reference/built-in-strategies.md`).
 */
export const avellanedaStoikovParams = withEitherUnits(
  z.strictObject({
    fair: modelFairField,
    riskAversion: z
      .number()
      .gt(0)
      .max(1000)
      .describe(
        "gamma: per basis point of price and, in the paper's form, per order of sizeBase held.",
      ),
    horizonMs: z
      .int()
      .min(100)
      .max(86_400_000)
      .describe("T: how far ahead the risk of holding is counted.")
      .default(60_000),
    sizeBase: sizeBaseField,
    variant: z
      .enum(["paper", "normalised"])
      .describe(
        "paper: sigma squared, inventory in orders. normalised: sigma as it is, inventory as a share of its range.",
      )
      .default("paper"),
    horizon: z
      .enum(["rolling", "repeating"])
      .describe(
        "rolling: always the whole horizon is left. repeating: it runs down, and starts again.",
      )
      .default("rolling"),
    sigma: sigmaField,
    kPerBps: kPerBpsField,
    aPerSecond: z
      .number()
      .gt(0)
      .max(1_000_000)
      .describe(
        "A of the fill intensity, fills per second at distance 0. It does not enter the quotes of this model.",
      )
      .default(1),
    intensity: intensityField,
    minHalfSpreadBps: minHalfSpreadBpsField,
    levels: levelsField,
    levelSpacingBps: bpsField("Distance from level to level. Default: the half spread").optional(),
    targetPositionBase: targetPositionField,
    inventoryRangeBase: inventoryRangeField,
    refreshToleranceBps: refreshToleranceBpsField,
    refreshToleranceTicks: refreshToleranceTicksField,
  }),
  [{ first: "refreshToleranceBps", second: "refreshToleranceTicks", required: false }],
);

/** The strategy's parameters, validated. */
export type AvellanedaStoikovParams = z.output<typeof avellanedaStoikovParams>;

/**
 * The market maker of M. Avellaneda and S. Stoikov (Quantitative Finance 8(3), 2008, 217-224). Its
 * unit of price is one basis point of the fair price, so that the same parameters mean the same on
 * every market, whatever its price and tick.
 */
export const avellanedaStoikov = defineStrategy({
  params: avellanedaStoikovParams,
  viewLevels: 1,
  needsReference: needsFairReference,
  create: (params, { instrument, marketId }, changes) => {
    baseToExactLots(params.sizeBase, instrument, `markets.${marketId}.params.sizeBase`);
    return adjustableQuotes(() => new AvellanedaStoikovStep(params, instrument), changes);
  },
});

/** The inputs of the quotes. `left` is the remaining share of the horizon. */
type AvellanedaStoikovBasis = readonly [
  fairTicks: number,
  isReference: boolean,
  sigmaTicks: number,
  isSigmaEstimated: boolean,
  intensity: Intensity,
  left: number,
];

/** The computation of the market maker for each view. */
export class AvellanedaStoikovStep
  extends ModelStep<AvellanedaStoikovParams>
  implements AdjustableStep<AvellanedaStoikovBasis, AvellanedaStoikovParams>
{
  #startMs: Ms | undefined;

  observe(view: MarketView): AvellanedaStoikovBasis {
    this.#startMs ??= view.timeMs;
    return [...this.estimatesOf(view), this.#shareLeft(view.timeMs)];
  }

  basisFor(view: MarketView): AvellanedaStoikovBasis {
    return [...this.estimatesAt(view), this.#shareLeft(view.timeMs)];
  }

  withParams(params: AvellanedaStoikovParams): AvellanedaStoikovStep {
    const step = new AvellanedaStoikovStep(params, this.instrument, this);
    step.#startMs = this.#startMs;
    return step;
  }

  quotes(
    room: QuotingBounds,
    [fairTicks, isReference, sigmaTicks, isSigmaEstimated, intensity, left]: AvellanedaStoikovBasis,
  ): QuoteResult {
    const { params, orderLots, targetLots } = this;
    const bpTicks = fairTicks / 10_000;
    const sigmaBps = sigmaTicks / bpTicks;
    const inventory =
      params.variant === "paper"
        ? (room.positionLots - targetLots) / orderLots
        : inventoryFraction(
            room.positionLots,
            targetLots,
            inventoryRangeLots(params, this.instrument, room),
          );
    const model = avellanedaStoikovQuotes({
      variant: params.variant,
      mid: 10_000,
      inventory,
      riskAversion: params.riskAversion,
      sigma: sigmaBps,
      timeLeft: params.variant === "paper" ? (left * params.horizonMs) / 1000 : left,
      fillDecay: intensity.kPerBps,
    });
    const halfSpreadBps = Math.max(model.halfSpread, params.minHalfSpreadBps);
    const reservation = model.reservation * bpTicks;
    const wanted = this.levelsOf(intensity, halfSpreadBps, (behindBps, lots) => {
      const distance = (halfSpreadBps + behindBps) * bpTicks;
      return {
        bidTicks: reservation - distance,
        askTicks: reservation + distance,
        bidLots: lots,
        askLots: lots,
      };
    });
    const { quotes, clamps } = shapeQuotesWithin(room, wanted);
    return {
      quotes,
      reason: () => ({
        fairTicks,
        reservationTicks: reservation,
        halfSpreadTicks: model.halfSpread * bpTicks,
        terms: {
          ...this.fairTerms(isReference),
          inventory,
          skewTicks: reservation - fairTicks,
          sigmaTicks,
          sigmaBps,
          sigmaEstimated: isSigmaEstimated ? 1 : 0,
          secondsLeft: (left * params.horizonMs) / 1000,
          riskHalfSpreadTicks: model.riskHalfSpread * bpTicks,
          fillHalfSpreadTicks: model.fillHalfSpread * bpTicks,
          ...intensity.terms,
        },
        clamps: [
          ...(intensity.isWaiting ? [WAITING_FOR_INTENSITY] : []),
          ...(halfSpreadBps > model.halfSpread ? ["spread: minHalfSpreadBps"] : []),
          ...clamps,
        ],
      }),
    };
  }

  /** The remaining share of the horizon, from above 0 to 1. */
  #shareLeft(nowMs: Ms): number {
    if (this.params.horizon === "rolling") return 1;
    const { horizonMs } = this.params;
    const elapsedMs = (nowMs - (this.#startMs ?? nowMs)) % horizonMs;
    // If the clock steps back before the start, the share still lies between 0 and 1.
    return 1 - (elapsedMs < 0 ? elapsedMs + horizonMs : elapsedMs) / horizonMs;
  }
}
