import type { MarketView } from "../../market/view.js";
import { fairTerms, fairTicksFor, isFairReference } from "../fair-price.js";
import { ladderQuotes } from "../ladder.js";
import { type AnnouncedFunding, fundingCarry } from "../models/funding-carry.js";
import type { FundingRateFit } from "../models/funding-rate-model.js";
import { type SigmaSource, sigmaSource } from "../models/sigma.js";
import { toTicks } from "../param-fields.js";
import type { QuoteResult } from "../quotes-operator.js";
import type { QuotingBounds } from "../shape-quotes.js";
import type { StrategyContext } from "../strategy.js";
import { announcedFunding } from "./announced-rates.js";
import type { FundingBasis, FundingStep } from "./carry-step.js";
import { type CarryTarget, carryTarget } from "./carry-target.js";
import type { FundingParams } from "./funding-params.js";
import { LegRates } from "./leg-rates.js";

/** The estimates of a step. */
export interface LeanEstimates {
  readonly sigma: SigmaSource;
  readonly rates: LegRates;
}

/**
 * The ladder that leans towards the side that is paid.
 * @param stepFor creates the step of other parameters
 * @param estimates those of an earlier step
 */
export function createLeanStep(
  params: FundingParams,
  context: StrategyContext,
  stepFor: (params: FundingParams, estimates: LeanEstimates) => FundingStep,
  estimates: LeanEstimates = { sigma: sigmaSource(params.sigma), rates: new LegRates(params.rate) },
): FundingStep {
  const { sigma, rates } = estimates;
  const basisFor = (view: MarketView): FundingBasis => {
    const fairTicks = fairTicksFor(params.fair, view);
    const { ticks, estimated } = sigma.at(fairTicks);
    const inputs: LeanInputs = {
      fairTicks,
      isReference: isFairReference(params.fair, view),
      announced: announcedFunding(view),
      fit: rates.model.fit,
      sigmaTicks: ticks,
      isSigmaEstimated: estimated,
      // A context without a fee is one outside a bot, where no fee is paid.
      makerFeeBps: context.makerFeeBps?.() ?? 0,
    };
    return [fairTicks, (room) => leanQuotes(params, context, room, inputs)];
  };
  return {
    observe: (view) => {
      sigma.observe(view.midTicks, view.timeMs);
      rates.observe(view);
      return basisFor(view);
    },
    basisFor,
    withParams: (changed) =>
      stepFor(changed, {
        sigma: sigma.withParams(changed.sigma),
        rates: isSameRate(params, changed) ? rates : new LegRates(changed.rate),
      }),
    quotes: (room, [, quotesWithin]) => quotesWithin(room),
    toleranceTicks: ([fairTicks]) =>
      toTicks(params.refreshToleranceBps, params.refreshToleranceTicks, fairTicks) ?? 0,
  };
}

/** Inputs of the target and the quotes at a view. */
interface LeanInputs {
  readonly fairTicks: number;
  readonly isReference: boolean;
  /** Undefined while no funding is announced. */
  readonly announced: AnnouncedFunding | undefined;
  readonly fit: FundingRateFit;
  readonly sigmaTicks: number;
  readonly isSigmaEstimated: boolean;
  readonly makerFeeBps: number;
}

function leanQuotes(
  params: FundingParams,
  { instrument }: StrategyContext,
  room: QuotingBounds,
  inputs: LeanInputs,
): QuoteResult {
  const { fairTicks, isReference } = inputs;
  const target = targetFor(params, instrument.lotBase, room, inputs);
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
  { fairTicks, announced, fit, sigmaTicks, makerFeeBps }: LeanInputs,
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

function isSameRate({ rate }: FundingParams, { rate: other }: FundingParams): boolean {
  const keys = Object.keys(rate) as (keyof typeof rate)[];
  return keys.every((key) => rate[key] === other[key]);
}
