import { z } from "zod";
import type { Instrument } from "../core/instrument.js";
import type { MarketView } from "../market/view.js";
import { inventoryFraction, inventoryRangeLots, sizeMultipliers } from "./inventory-skew.js";
import {
  bpsField,
  inventoryRangeField,
  levelsField,
  refreshToleranceBpsField,
  refreshToleranceTicksField,
  sizeBaseField,
  targetPositionField,
  ticksField,
  toTicks,
  withEitherUnits,
} from "./param-fields.js";
import { type AdjustableStep, adjustableQuotes, type QuoteResult } from "./quotes-operator.js";
import { type QuotingBounds, shapeQuotesWithin, type WantedLevel } from "./shape-quotes.js";
import { baseToExactLots, baseToLots } from "./size-lots.js";
import { defineStrategy } from "./strategy.js";

/** Parameters of the ladder market maker (formulas in `docs/reference/built-in-strategies.md`). */
export const ladderParams = withEitherUnits(
  z.strictObject({
    fair: z
      .enum(["mid", "micro"])
      .describe("The fair price: the mid, or the touch weighted by the opposite amounts.")
      .default("mid"),
    levels: levelsField,
    halfSpreadBps: bpsField(
      "Distance of the innermost quotes from the reservation price",
    ).optional(),
    halfSpreadTicks: ticksField(
      "Distance of the innermost quotes from the reservation price",
    ).optional(),
    levelSpacingBps: bpsField("Distance from level to level. Default: the half spread").optional(),
    levelSpacingTicks: ticksField(
      "Distance from level to level. Default: the half spread",
    ).optional(),
    sizeBase: sizeBaseField,
    sizeGrowth: z
      .number()
      .gt(0)
      .max(10)
      .describe("Size of each level as a multiple of the one before it.")
      .default(1),
    priceSkewBps: z
      .number()
      .min(0)
      .max(5000)
      .describe(
        "How far the reservation price leans against a full inventory, in basis points of the fair price.",
      )
      .default(0),
    sizeSkew: z
      .boolean()
      .describe(
        "Whether the side that fills the inventory shrinks to nothing, and the other doubles, as it fills.",
      )
      .default(true),
    targetPositionBase: targetPositionField,
    inventoryRangeBase: inventoryRangeField,
    refreshToleranceBps: refreshToleranceBpsField,
    refreshToleranceTicks: refreshToleranceTicksField,
  }),
  [
    { first: "halfSpreadBps", second: "halfSpreadTicks", required: true },
    { first: "levelSpacingBps", second: "levelSpacingTicks", required: false },
    { first: "refreshToleranceBps", second: "refreshToleranceTicks", required: false },
  ],
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
  create: (params, { instrument, marketId }, changes) => {
    baseToExactLots(params.sizeBase, instrument, `markets.${marketId}.params.sizeBase`);
    return adjustableQuotes(() => createLadderStep(params, instrument), changes);
  },
});

type LadderBasis = readonly [fairTicks: number];

/** Creates the computation of the ladder for each view. */
export function createLadderStep(
  params: LadderParams,
  instrument: Instrument,
): AdjustableStep<LadderBasis, LadderParams> {
  const basisFor = ({ microPriceTicks, midTicks }: MarketView): LadderBasis => [
    params.fair === "micro" ? microPriceTicks : midTicks,
  ];
  return {
    observe: basisFor,
    basisFor,
    withParams: (changed) => createLadderStep(changed, instrument),
    quotes: (room, [fairTicks]) => ladderQuotes(params, instrument, room, fairTicks),
    toleranceTicks: ([fairTicks]) =>
      toTicks(params.refreshToleranceBps, params.refreshToleranceTicks, fairTicks) ?? 0,
  };
}

/** The ladder around a fair price, in ticks. */
function ladderQuotes(
  params: LadderParams,
  instrument: Instrument,
  room: QuotingBounds,
  fair: number,
): QuoteResult {
  const halfSpread = toTicks(params.halfSpreadBps, params.halfSpreadTicks, fair) ?? Number.NaN;
  const spacing = toTicks(params.levelSpacingBps, params.levelSpacingTicks, fair) ?? halfSpread;
  const position = room.positionLots;
  const target = params.targetPositionBase / instrument.lotBase;
  const range = inventoryRangeLots(params, instrument, room);
  const fullness = inventoryFraction(position, target, range);
  const skew = (-fullness * (fair * params.priceSkewBps)) / 10_000;
  const reservation = fair + skew;
  const size = params.sizeSkew ? sizeMultipliers(position, target, range) : { bid: 1, ask: 1 };
  const wanted: WantedLevel[] = [];
  for (let level = 0; level < params.levels; level++) {
    const distance = halfSpread + level * spacing;
    const base = params.sizeBase * params.sizeGrowth ** level;
    wanted.push({
      bidTicks: reservation - distance,
      askTicks: reservation + distance,
      bidLots: baseToLots(base * size.bid, instrument),
      askLots: baseToLots(base * size.ask, instrument),
    });
  }
  const { quotes, clamps } = shapeQuotesWithin(room, wanted);
  return {
    quotes,
    reason: () => ({
      fairTicks: fair,
      reservationTicks: reservation,
      halfSpreadTicks: halfSpread,
      terms: {
        inventory: fullness,
        skewTicks: skew,
        bidSize: size.bid,
        askSize: size.ask,
        spacingTicks: spacing,
      },
      clamps,
    }),
  };
}
