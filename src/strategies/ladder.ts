import { z } from "zod";
import type { Instrument } from "../core/instrument.js";
import type { MarketView } from "../market/view.js";
import { fairTerms, fairTicksFor, isFairReference, needsFairReference } from "./fair-price.js";
import { ladderLevels, ladderSkew } from "./ladder-levels.js";
import {
  bpsField,
  type EitherUnit,
  inventoryRangeField,
  levelsField,
  priceSkewBpsField,
  refreshToleranceBpsField,
  refreshToleranceTicksField,
  sizeBaseField,
  sizeGrowthField,
  sizeSkewField,
  targetPositionField,
  ticksField,
  toTicks,
  withEitherUnits,
} from "./param-fields.js";
import { type AdjustableStep, adjustableQuotes, type QuoteResult } from "./quotes-operator.js";
import { type QuotingBounds, shapeQuotesWithin } from "./shape-quotes.js";
import { baseToExactLots } from "./size-lots.js";
import { defineStrategy } from "./strategy.js";

/** Parameters of every ladder of quotes around a fair price. */
export const ladderFields = {
  levels: levelsField,
  halfSpreadBps: bpsField("Distance of the innermost quotes from the reservation price").optional(),
  halfSpreadTicks: ticksField(
    "Distance of the innermost quotes from the reservation price",
  ).optional(),
  levelSpacingBps: bpsField("Distance from level to level. Default: the half spread").optional(),
  levelSpacingTicks: ticksField(
    "Distance from level to level. Default: the half spread",
  ).optional(),
  sizeBase: sizeBaseField,
  sizeGrowth: sizeGrowthField,
  priceSkewBps: priceSkewBpsField,
  sizeSkew: sizeSkewField,
  targetPositionBase: targetPositionField,
  inventoryRangeBase: inventoryRangeField,
  refreshToleranceBps: refreshToleranceBpsField,
  refreshToleranceTicks: refreshToleranceTicksField,
};

/** Those of {@link ladderFields} that are one quantity in two units. */
export const ladderUnits: readonly EitherUnit[] = [
  { first: "halfSpreadBps", second: "halfSpreadTicks", required: true },
  { first: "levelSpacingBps", second: "levelSpacingTicks", required: false },
  { first: "refreshToleranceBps", second: "refreshToleranceTicks", required: false },
];

/** Parameters of the ladder market maker (formulas in `docs/reference/built-in-strategies.md`). */
export const ladderParams = withEitherUnits(
  z.strictObject({
    fair: z
      .enum(["mid", "micro", "reference"])
      .describe(
        "The fair price: the mid; the touch weighted by the opposite amounts; or the market's reference price.",
      )
      .default("mid"),
    ...ladderFields,
  }),
  ladderUnits,
);

/** The ladder's parameters, validated. */
export type LadderParams = z.output<typeof ladderParams>;

/**
 * The ladder market maker (commonly called pure market making; T. Ho and H. Stoll, Journal of
 * Financial Economics 9, 1981, 47-73): levels of quotes around a fair price, skewed against
 * inventory by price and by size.
 */
export const ladder = defineStrategy({
  params: ladderParams,
  viewLevels: 1,
  needsReference: needsFairReference,
  create: (params, { instrument, marketId }, changes) => {
    baseToExactLots(params.sizeBase, instrument, `markets.${marketId}.params.sizeBase`);
    return adjustableQuotes(() => createLadderStep(params, instrument), changes);
  },
});

type LadderBasis = readonly [fairTicks: number, isReference: boolean];

/** Creates the computation of the ladder for each view. */
export function createLadderStep(
  params: LadderParams,
  instrument: Instrument,
): AdjustableStep<LadderBasis, LadderParams> {
  const basisFor = (view: MarketView): LadderBasis => [
    fairTicksFor(params.fair, view),
    isFairReference(params.fair, view),
  ];
  return {
    observe: basisFor,
    basisFor,
    withParams: (changed) => createLadderStep(changed, instrument),
    quotes: (room, [fairTicks, isReference]) =>
      ladderQuotes(params, instrument, room, fairTicks, () => fairTerms(params.fair, isReference)),
    toleranceTicks: ([fairTicks]) =>
      toTicks(params.refreshToleranceBps, params.refreshToleranceTicks, fairTicks) ?? 0,
  };
}

/** Validated parameters of {@link ladderFields}. */
type LadderQuotesParams = z.output<z.ZodObject<typeof ladderFields>>;

/**
 * The ladder around a fair price, in ticks.
 * @param terms of the fair price, for the reason
 */
export function ladderQuotes(
  params: LadderQuotesParams,
  instrument: Instrument,
  room: QuotingBounds,
  fair: number,
  terms: () => Readonly<Record<string, number>>,
): QuoteResult {
  const halfSpread = toTicks(params.halfSpreadBps, params.halfSpreadTicks, fair) ?? Number.NaN;
  const spacing = toTicks(params.levelSpacingBps, params.levelSpacingTicks, fair) ?? halfSpread;
  const { inventory, skewTicks, size } = ladderSkew(params, instrument, room, fair);
  const reservation = fair + skewTicks;
  const prices = {
    bidsFromTicks: reservation,
    asksFromTicks: reservation,
    distanceTicks: halfSpread,
    spacingTicks: spacing,
  };
  const { quotes, clamps } = shapeQuotesWithin(
    room,
    ladderLevels(params, instrument, prices, size),
  );
  return {
    quotes,
    reason: () => ({
      fairTicks: fair,
      reservationTicks: reservation,
      halfSpreadTicks: halfSpread,
      terms: {
        ...terms(),
        inventory,
        skewTicks,
        bidSize: size.bid,
        askSize: size.ask,
        spacingTicks: spacing,
      },
      clamps,
    }),
  };
}
