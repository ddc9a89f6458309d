import type { Instrument } from "../../core/instrument.js";
import type { Lots } from "../../core/units.js";
import type { MarketView } from "../../market/view.js";
import { fairTerms, fairTicksFor, isFairReference } from "../fair-price.js";
import { ladderLevels } from "../ladder-levels.js";
import { toTicks } from "../param-fields.js";
import type { AdjustableStep, QuoteResult } from "../quotes-operator.js";
import { type QuotingBounds, shapeQuotesWithin, type WantedLevel } from "../shape-quotes.js";
import { baseToExactLots } from "../size-lots.js";
import type { StrategyContext } from "../strategy.js";
import { CarryEstimates, type CarryFigures, type RecordedLegs } from "./carry-estimates.js";
import { decideCarry } from "./decide-carry.js";
import type { CarryParams, FundingParams } from "./funding-params.js";
import { readRatesFile } from "./read-rates-file.js";

/** Inputs of the quotes at a view: the fair price, and the quotes within bounds. */
export type FundingBasis = readonly [
  fairTicks: number,
  quotesWithin: (room: QuotingBounds) => QuoteResult,
];

/** A step of the strategy, whichever of its two forms. */
export type FundingStep = AdjustableStep<FundingBasis, FundingParams>;

/**
 * The carry trade: brings the position of this exchange to its target by quotes on the side that
 * leads there. The market's hedge makes the other leg of each fill.
 * @param estimates those of an earlier step
 * @param stepFor creates the step of other parameters
 * @throws ConfigError for a size off the market's grid, and for a file of rates that is none
 */
export function createCarryStep(
  params: CarryParams,
  context: StrategyContext,
  stepFor: (params: FundingParams, estimates: CarryEstimates | undefined) => FundingStep,
  estimates: CarryEstimates = new CarryEstimates(params, recordedLegs(params, context)),
): FundingStep {
  const { instrument, marketId } = context;
  const at = `markets.${marketId}.params.carry.legBase`;
  const legLots = baseToExactLots(params.carry.legBase, instrument, at);
  const basisFor = (view: MarketView): FundingBasis => {
    const fairTicks = fairTicksFor(params.fair, view);
    const figures = estimates.at(view, params, context.makerFeeBps?.() ?? 0);
    const terms = fairTerms(params.fair, isFairReference(params.fair, view));
    return [
      fairTicks,
      (room) => carryQuotes(params, instrument, legLots, room, { fairTicks, terms, figures }),
    ];
  };
  return {
    observe: (view) => {
      estimates.observe(view, params);
      return basisFor(view);
    },
    basisFor,
    withParams: (changed) =>
      stepFor(changed, isSameHistory(params, changed) ? estimates : undefined),
    quotes: (room, [, quotesWithin]) => quotesWithin(room),
    toleranceTicks: ([fairTicks]) =>
      toTicks(params.refreshToleranceBps, params.refreshToleranceTicks, fairTicks) ?? 0,
  };
}

/** A carry trade at a view. */
interface CarryInputs {
  readonly fairTicks: number;
  readonly terms: Readonly<Record<string, number>>;
  readonly figures: CarryFigures | string;
}

function carryQuotes(
  params: CarryParams,
  instrument: Instrument,
  legLots: Lots,
  room: QuotingBounds,
  { fairTicks, terms, figures }: CarryInputs,
): QuoteResult {
  const halfSpread = toTicks(params.halfSpreadBps, params.halfSpreadTicks, fairTicks) ?? Number.NaN;
  const spacing =
    toTicks(params.levelSpacingBps, params.levelSpacingTicks, fairTicks) ?? halfSpread;
  const plan = planFor(params, legLots, params.sizeBase / instrument.lotBase, figures);
  const isBuying = plan.neededLots > 0;
  const prices = {
    bidsFromTicks: fairTicks,
    asksFromTicks: fairTicks,
    distanceTicks: halfSpread,
    spacingTicks: spacing,
  };
  const side = { bid: isBuying ? 1 : 0, ask: plan.neededLots < 0 ? 1 : 0 };
  const levels = cutTo(Math.abs(plan.neededLots), ladderLevels(params, instrument, prices, side));
  const { quotes, clamps } = shapeQuotesWithin(room, levels);
  return {
    quotes,
    reason: () => ({
      fairTicks,
      reservationTicks: fairTicks,
      halfSpreadTicks: halfSpread,
      terms: {
        ...terms,
        ...plan.terms,
      },
      clamps: [...plan.notes, ...clamps],
    }),
  };
}

interface CarryPlan {
  /** To be bought here; negative is to be sold. */
  readonly neededLots: Lots;
  readonly terms: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
}

/** Without figures the position stays: a leg that is closed blindly pays its fees for nothing. */
function planFor(
  { carry }: CarryParams,
  legLots: Lots,
  orderLots: number,
  figures: CarryFigures | string,
): CarryPlan {
  if (typeof figures === "string") return { neededLots: 0, terms: {}, notes: [figures] };
  const { ownPositionLots, terms } = figures;
  const heldSide = ownPositionLots > 0 ? 1 : ownPositionLots < 0 ? -1 : 0;
  const { want, expectedBps, worstBps, note } = decideCarry({ ...figures, heldSide }, carry);
  const targetLots = want === "hold" ? ownPositionLots : want === 0 ? 0 : want * legLots;
  return {
    neededLots: targetLots - ownPositionLots,
    terms: {
      ...terms,
      targetOrders: targetLots / orderLots,
      expectedBps,
      ...(Number.isFinite(worstBps) ? { worstBps } : {}),
    },
    notes: note === undefined ? [] : [note],
  };
}

/** Levels whose sizes sum to no more than the lots, the innermost first. */
function cutTo(mostLots: Lots, levels: readonly WantedLevel[]): readonly WantedLevel[] {
  let left = mostLots;
  return levels.map((level) => {
    const [bidLots, askLots] = [Math.min(left, level.bidLots), Math.min(left, level.askLots)];
    left -= Math.max(bidLots, askLots);
    return { ...level, bidLots, askLots };
  });
}

function recordedLegs(
  { carry: { rateFiles } }: CarryParams,
  { marketId, folder = "." }: StrategyContext,
): RecordedLegs | undefined {
  if (rateFiles === undefined) return undefined;
  const at = `markets.${marketId}.params.carry.rateFiles`;
  return {
    here: readRatesFile({ path: rateFiles.here, folder, field: `${at}.here`, marketId }),
    there: readRatesFile({ path: rateFiles.there, folder, field: `${at}.there`, marketId }),
  };
}

/** True if the estimates of one belong to the other: the same model and the same files. */
function isSameHistory(one: CarryParams, other: FundingParams): boolean {
  const of = ({ rate, carry }: FundingParams): string =>
    JSON.stringify([rate, carry?.rateFiles ?? null]);
  return other.carry !== undefined && of(one) === of(other);
}
