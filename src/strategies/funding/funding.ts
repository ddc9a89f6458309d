import { z } from "zod";
import type { MarketView } from "../../market/view.js";
import { fairTerms, fairTicksFor, isFairReference, needsFairReference } from "../fair-price.js";
import { ladderFields, ladderQuotes, ladderUnits } from "../ladder.js";
import { type AnnouncedFunding, fundingCarry } from "../models/funding-carry.js";
import { type FundingRateFit, FundingRateModel } from "../models/funding-rate-model.js";
import { type SigmaSource, sigmaField, sigmaSource } from "../models/sigma.js";
import { toTicks, withEitherUnits } from "../param-fields.js";
import { type AdjustableStep, adjustableQuotes, type QuoteResult } from "../quotes-operator.js";
import type { QuotingBounds } from "../shape-quotes.js";
import { baseToExactLots } from "../size-lots.js";
import { defineStrategy, type StrategyContext } from "../strategy.js";
import { AnnouncedRates, announcedFunding } from "./announced-rates.js";
import { type CarryTarget, carryTarget } from "./carry-target.js";
import { rateField } from "./rate-field.js";

const { targetPositionBase: _, ...quoteFields } = ladderFields;

/** Parameters of `funding` (formulas in `docs/reference/built-in-strategies.md`). */
const fundingParams = withEitherUnits(
  z.strictObject({
    fair: z
      .enum(["mid", "micro", "reference"])
      .describe("The fair price, as of ladder.")
      .default("mid"),
    riskAversion: z
      .number()
      .gt(0)
      .max(1000)
      .describe("gamma: per basis point of value and per order of sizeBase held."),
    holdingMs: z
      .int()
      .min(1000)
      .max(30 * 86_400_000)
      .describe("Mean time that a position is held.")
      .default(28_800_000),
    sigma: sigmaField,
    rate: rateField,
    ...quoteFields,
  }),
  ladderUnits,
);

type FundingParams = z.output<typeof fundingParams>;

/**
 * A ladder whose target inventory is on the side that funding pays: as large as the expected carry
 * over the holding time is worth after fees and risk.
 */
export const funding = defineStrategy({
  params: fundingParams,
  viewLevels: 1,
  needsReference: needsFairReference,
  create: (params, context, changes) => {
    const { instrument, marketId } = context;
    baseToExactLots(params.sizeBase, instrument, `markets.${marketId}.params.sizeBase`);
    return adjustableQuotes(() => createFundingStep(params, context), changes);
  },
});

/** Inputs of the target at a view. */
interface FundingInputs {
  /** Undefined while no funding is announced. */
  readonly announced: AnnouncedFunding | undefined;
  readonly fit: FundingRateFit;
  readonly sigmaTicks: number;
  readonly isSigmaEstimated: boolean;
  readonly makerFeeBps: number;
}

type FundingBasis = readonly [fairTicks: number, isReference: boolean, inputs: FundingInputs];

/** The estimates of a step. */
interface FundingEstimates {
  readonly sigma: SigmaSource;
  readonly model: FundingRateModel;
  readonly rates: AnnouncedRates;
}

/** @param estimates those of an earlier step */
function createFundingStep(
  params: FundingParams,
  context: StrategyContext,
  estimates: FundingEstimates = { sigma: sigmaSource(params.sigma), ...ratesFor(params) },
): AdjustableStep<FundingBasis, FundingParams> {
  const { sigma, model, rates } = estimates;
  const basisFor = (view: MarketView): FundingBasis => {
    const fairTicks = fairTicksFor(params.fair, view);
    const { ticks, estimated } = sigma.at(fairTicks);
    return [
      fairTicks,
      isFairReference(params.fair, view),
      {
        announced: announcedFunding(view),
        fit: model.fit,
        sigmaTicks: ticks,
        isSigmaEstimated: estimated,
        // A context without a fee is one outside a bot, where no fee is paid.
        makerFeeBps: context.makerFeeBps?.() ?? 0,
      },
    ];
  };
  return {
    observe: (view) => {
      sigma.observe(view.midTicks, view.timeMs);
      rates.observe(view);
      return basisFor(view);
    },
    basisFor,
    withParams: (changed) =>
      createFundingStep(changed, context, {
        sigma: sigma.withParams(changed.sigma),
        ...(isSameRate(params, changed) ? { model, rates } : ratesFor(changed)),
      }),
    quotes: (room, basis) => fundingQuotes(params, context, room, basis),
    toleranceTicks: ([fairTicks]) =>
      toTicks(params.refreshToleranceBps, params.refreshToleranceTicks, fairTicks) ?? 0,
  };
}

function fundingQuotes(
  params: FundingParams,
  { instrument }: StrategyContext,
  room: QuotingBounds,
  [fairTicks, isReference, inputs]: FundingBasis,
): QuoteResult {
  const target = targetFor(params, instrument.lotBase, room, fairTicks, inputs);
  const { quotes, reason } = ladderQuotes(
    { ...params, targetPositionBase: target.targetLots * instrument.lotBase },
    instrument,
    room,
    fairTicks,
    () => ({
      ...fairTerms(params.fair, isReference),
      ...target.terms,
      sigmaBps: (10_000 * inputs.sigmaTicks) / fairTicks,
      sigmaEstimated: inputs.isSigmaEstimated ? 1 : 0,
    }),
  );
  return {
    quotes,
    reason: () => {
      const { clamps, ...rest } = reason();
      return { ...rest, clamps: [...target.notes, ...clamps] };
    },
  };
}

function targetFor(
  { riskAversion, holdingMs, sizeBase }: FundingParams,
  lotBase: number,
  { positionLots, maxPositionLots }: QuotingBounds,
  fairTicks: number,
  { announced, fit, sigmaTicks, makerFeeBps }: FundingInputs,
): CarryTarget {
  const orderLots = sizeBase / lotBase;
  const sigmaBps = (10_000 * sigmaTicks) / fairTicks;
  return carryTarget({
    announced,
    fit,
    carry: announced === undefined ? undefined : fundingCarry(announced, fit, holdingMs),
    feesBps: Math.max(0, 2 * makerFeeBps),
    riskAversion,
    priceVarianceBps2: (sigmaBps ** 2 * holdingMs) / 1000,
    orderLots,
    positionLots,
    limitLots: Number.isFinite(maxPositionLots) ? maxPositionLots : 10 * orderLots,
  });
}

function ratesFor({ rate }: FundingParams): Pick<FundingEstimates, "model" | "rates"> {
  const model = new FundingRateModel(rate);
  return { model, rates: new AnnouncedRates(model) };
}

function isSameRate({ rate }: FundingParams, { rate: other }: FundingParams): boolean {
  const keys = Object.keys(rate) as (keyof typeof rate)[];
  return keys.every((key) => rate[key] === other[key]);
}
