import { z } from "zod";
import type { MarketView } from "../market/view.js";
import { needsFairReference } from "./fair-price.js";
import type { QuoteReason } from "./intent.js";
import {
  type GlftDistances,
  GlftExactQuotes,
  type GlftModel,
  glftApproximateQuotes,
  glftTerms,
} from "./models/glft-quotes.js";
import { type Intensity, intensityField, WAITING_FOR_INTENSITY } from "./models/intensity.js";
import { ModelStep } from "./models/model-step.js";
import { sigmaField } from "./models/sigma.js";
import {
  bpsField,
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
 * Parameters of the Guéant-Lehalle-Fernandez-Tapia market maker (formulas in
 * `docs/reference/built-in-strategies.md`).
 */
export const glftParams = withEitherUnits(
  z.strictObject({
    fair: modelFairField,
    riskAversion: z
      .number()
      .gt(0)
      .max(1000)
      .describe("gamma: per basis point of price and per order of sizeBase held."),
    fillRiskAversion: z
      .number()
      .min(0)
      .max(1000)
      .describe(
        "xi: aversion to the chance of a fill, in the units of riskAversion. Default: riskAversion.",
      )
      .optional(),
    sizeBase: sizeBaseField,
    method: z
      .enum(["exact", "closed-form"])
      .describe(
        "exact: the model's eigenvector over the inventories counted. closed-form: its approximation, linear in inventory.",
      )
      .default("exact"),
    inventoryOrders: z
      .int()
      .min(1)
      .max(200)
      .describe(
        "Inventories counted by the exact method, in orders to either side of the target; at the last one only the reducing side is quoted.",
      )
      .default(30),
    sigma: sigmaField,
    kPerBps: kPerBpsField,
    aPerSecond: z
      .number()
      .gt(0)
      .max(1_000_000)
      .describe("A of the fill intensity: fills per second at distance 0.")
      .default(1),
    intensity: intensityField,
    driftBpsPerSecond: z
      .number()
      .min(-1000)
      .max(1000)
      .describe("mu: drift of the mid, in basis points a second.")
      .default(0),
    halfSpreadFactor: z
      .number()
      .gt(0)
      .max(100)
      .describe("What the half spread at no inventory is multiplied by.")
      .default(1),
    skewFactor: z
      .number()
      .min(0)
      .max(100)
      .describe("What the lean with inventory is multiplied by.")
      .default(1),
    minHalfSpreadBps: minHalfSpreadBpsField,
    levels: levelsField,
    levelSpacingBps: bpsField("Distance from level to level. Default: the half spread").optional(),
    targetPositionBase: targetPositionField,
    refreshToleranceBps: refreshToleranceBpsField,
    refreshToleranceTicks: refreshToleranceTicksField,
  }),
  [{ first: "refreshToleranceBps", second: "refreshToleranceTicks", required: false }],
);

/** The strategy's parameters, validated. */
export type GlftParams = z.output<typeof glftParams>;

/**
 * The market maker of O. Guéant, C.-A. Lehalle and J. Fernandez-Tapia (Mathematics and Financial
 * Economics 7, 2013, 477-507). Its unit of price is one basis point of the fair price and its unit
 * of amount one order, so that the same parameters mean the same on every market.
 */
export const glft = defineStrategy({
  params: glftParams,
  viewLevels: 1,
  needsReference: needsFairReference,
  create: (params, { instrument, marketId }, changes) => {
    baseToExactLots(params.sizeBase, instrument, `markets.${marketId}.params.sizeBase`);
    return adjustableQuotes(() => new GlftStep(params, instrument), changes);
  },
});

/** Distances of both quotes at the present inventory and at none, in basis points. */
interface Answer {
  readonly held: GlftDistances;
  readonly flat: GlftDistances;
}

/** Final distances of both quotes, and half the spread at no inventory, in basis points. */
interface Distances extends GlftDistances {
  readonly halfSpread: number;
}

type GlftBasis = readonly [
  fairTicks: number,
  isReference: boolean,
  sigmaTicks: number,
  isSigmaEstimated: boolean,
  intensity: Intensity,
];

/** The computation of the market maker for each view. */
export class GlftStep
  extends ModelStep<GlftParams>
  implements AdjustableStep<GlftBasis, GlftParams>
{
  #exact:
    | { readonly sigma: number; readonly intensity: Intensity; readonly quotes: GlftExactQuotes }
    | undefined;

  observe(view: MarketView): GlftBasis {
    return this.estimatesOf(view);
  }

  basisFor(view: MarketView): GlftBasis {
    return this.estimatesAt(view);
  }

  withParams(params: GlftParams): GlftStep {
    return new GlftStep(params, this.instrument, this);
  }

  quotes(room: QuotingBounds, basis: GlftBasis): QuoteResult {
    const [fairTicks, , sigmaTicks, , intensity] = basis;
    const bpTicks = fairTicks / 10_000;
    const inventory = (room.positionLots - this.targetLots) / this.orderLots;
    const model = this.#model(sigmaTicks / bpTicks, intensity);
    const distances = this.#distances(this.#answer(model, intensity, inventory));
    const { bid, ask, halfSpread } = distances;
    const wanted = this.levelsOf(intensity, halfSpread, (behindBps, lots) => ({
      bidTicks: fairTicks - (quotable(bid) + behindBps) * bpTicks,
      askTicks: fairTicks + (quotable(ask) + behindBps) * bpTicks,
      bidLots: Number.isFinite(bid) ? lots : 0,
      askLots: Number.isFinite(ask) ? lots : 0,
    }));
    const { quotes, clamps } = shapeQuotesWithin(room, wanted);
    return { quotes, reason: () => this.#reason(basis, inventory, model, distances, clamps) };
  }

  #reason(
    [fairTicks, isReference, sigmaTicks, isSigmaEstimated, intensity]: GlftBasis,
    inventory: number,
    model: GlftModel,
    { bid, ask, halfSpread }: Distances,
    clamps: readonly string[],
  ): QuoteReason {
    const bpTicks = fairTicks / 10_000;
    const closed = glftTerms(model);
    const skewBps = Number.isFinite(bid - ask)
      ? (ask - bid) / 2
      : Number.isFinite(ask)
        ? ask - halfSpread
        : halfSpread - bid;
    return {
      fairTicks,
      reservationTicks: fairTicks + skewBps * bpTicks,
      halfSpreadTicks: halfSpread * bpTicks,
      terms: {
        ...this.fairTerms(isReference),
        inventory,
        skewTicks: skewBps * bpTicks,
        sigmaTicks,
        sigmaBps: model.sigma,
        sigmaEstimated: isSigmaEstimated ? 1 : 0,
        closedFormSkewTicksPerOrder: closed.skew * bpTicks,
        closedFormHalfSpreadTicks: closed.halfSpread * bpTicks,
        ...intensity.terms,
      },
      clamps: [
        ...(intensity.isWaiting ? [WAITING_FOR_INTENSITY] : []),
        ...this.#clamps(bid, ask, halfSpread),
        ...clamps,
      ],
    };
  }

  #model(sigmaBps: number, { aPerSecond, kPerBps }: Intensity): GlftModel {
    const { riskAversion, fillRiskAversion = riskAversion, driftBpsPerSecond } = this.params;
    return {
      sigma: sigmaBps,
      drift: driftBpsPerSecond,
      fillsPerSecond: aPerSecond,
      fillDecay: kPerBps,
      riskAversion,
      fillRiskAversion,
      orderSize: 1,
    };
  }

  #answer(model: GlftModel, intensity: Intensity, inventory: number): Answer {
    if (this.params.method === "closed-form") {
      return {
        held: glftApproximateQuotes(model, inventory),
        flat: glftApproximateQuotes(model, 0),
      };
    }
    // An intensity object is replaced only by the next fit, so identity is enough.
    if (this.#exact?.sigma !== model.sigma || this.#exact.intensity !== intensity) {
      this.#exact = {
        sigma: model.sigma,
        intensity,
        quotes: new GlftExactQuotes(model, this.params.inventoryOrders),
      };
    }
    return { held: this.#exact.quotes.at(inventory), flat: this.#exact.quotes.at(0) };
  }

  /**
   * Applies the factors to the model's distances at no inventory, and to the change by inventory.
   */
  #distances({ held, flat }: Answer): Distances {
    const { halfSpreadFactor, skewFactor, minHalfSpreadBps } = this.params;
    const halfSpread = Math.max(minHalfSpreadBps, (halfSpreadFactor * (flat.bid + flat.ask)) / 2);
    const lean = (flat.bid - flat.ask) / 2;
    return {
      bid: halfSpread + lean + skewFactor * (held.bid - flat.bid),
      ask: halfSpread - lean + skewFactor * (held.ask - flat.ask),
      halfSpread,
    };
  }

  #clamps(bid: number, ask: number, halfSpread: number): string[] {
    const clamps: string[] = [];
    if (halfSpread === this.params.minHalfSpreadBps) clamps.push("spread: minHalfSpreadBps");
    if (!Number.isFinite(bid)) clamps.push("bid: inventoryOrders");
    if (!Number.isFinite(ask)) clamps.push("ask: inventoryOrders");
    return clamps;
  }
}

/**
 * A distance for a side without a price. The side gets no lots, so its price does not matter, but
 * it must be a number.
 */
function quotable(distanceBps: number): number {
  return Number.isFinite(distanceBps) ? distanceBps : 0;
}
