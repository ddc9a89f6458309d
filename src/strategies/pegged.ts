import { z } from "zod";
import { ConfigError } from "../core/errors.js";
import { goodFairTicks } from "./fair-price.js";
import { ladderLevels, ladderSkew } from "./ladder-levels.js";
import {
  bpsField,
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
import { defineStrategy, type StrategyContext } from "./strategy.js";

const feeBps = (description: string) =>
  z
    .number()
    .min(-1000)
    .max(1000)
    .describe(`${description}, in basis points; negative is a rebate.`);

const costBps = (description: string) =>
  z.number().min(0).max(5000).describe(`${description}, in basis points.`).default(0);

/** Parameters of the pegged ladder (formulas in `docs/reference/built-in-strategies.md`). */
const peggedParams = withEitherUnits(
  z.strictObject({
    edgeBps: z
      .number()
      .min(0)
      .max(5000)
      .describe(
        "What a fill of the innermost quotes leaves after its costs, in basis points of the reference price.",
      ),
    makerFeeBps: feeBps("Maker fee of a fill. Default: that of the exchange").optional(),
    hedge: z
      .strictObject({
        takerFeeBps: feeBps("Taker fee of the venue that a fill is hedged on"),
        halfSpreadBps: costBps("Half of the spread there"),
        slippageBps: costBps("How far an order that hedges moves the price there"),
      })
      .describe("Costs of a hedge that each fill is followed by. Default: none.")
      .optional(),
    levels: levelsField,
    levelSpacingBps: bpsField("Distance from level to level. Default: the margin").optional(),
    levelSpacingTicks: ticksField("Distance from level to level. Default: the margin").optional(),
    sizeBase: sizeBaseField,
    sizeGrowth: sizeGrowthField,
    priceSkewBps: priceSkewBpsField,
    sizeSkew: sizeSkewField,
    targetPositionBase: targetPositionField,
    inventoryRangeBase: inventoryRangeField,
    refreshToleranceBps: refreshToleranceBpsField,
    refreshToleranceTicks: refreshToleranceTicksField,
  }),
  [
    { first: "levelSpacingBps", second: "levelSpacingTicks", required: false },
    { first: "refreshToleranceBps", second: "refreshToleranceTicks", required: false },
  ],
);

/** The strategy's parameters, validated. */
type PeggedParams = z.output<typeof peggedParams>;

/**
 * A ladder around the market's reference price, each quote at least its costs and an edge away from
 * it. Inventory moves a side further away, never nearer. Without a good reference price it wants no
 * quotes.
 */
export const pegged = defineStrategy({
  params: peggedParams,
  viewLevels: 1,
  needsReference: () => true,
  create: (params, context, changes) => {
    const { instrument, marketId } = context;
    const at = `markets.${marketId}.params`;
    baseToExactLots(params.sizeBase, instrument, `${at}.sizeBase`);
    const { marginBps } = marginFor(params, makerFeeBpsFor(params, context));
    if (!(marginBps > 0))
      throw new ConfigError(
        `does not cover the costs of a fill: the distance from the reference price would be ${marginBps} bps`,
        { field: `${at}.edgeBps`, value: params.edgeBps, expected: "more than fees give back" },
      );
    return adjustableQuotes(() => createPeggedStep(params, context), changes);
  },
});

/** The parts of the least distance from the reference price, in basis points of it. */
interface Margin {
  readonly makerFeeBps: number;
  readonly edgeBps: number;
  readonly hedgeTakerFeeBps: number;
  readonly hedgeHalfSpreadBps: number;
  readonly hedgeSlippageBps: number;
  /** Their sum. */
  readonly marginBps: number;
}

function marginFor({ edgeBps, hedge }: PeggedParams, makerFeeBps: number): Margin {
  const hedgeTakerFeeBps = hedge?.takerFeeBps ?? 0;
  const hedgeHalfSpreadBps = hedge?.halfSpreadBps ?? 0;
  const hedgeSlippageBps = hedge?.slippageBps ?? 0;
  return {
    makerFeeBps,
    edgeBps,
    hedgeTakerFeeBps,
    hedgeHalfSpreadBps,
    hedgeSlippageBps,
    marginBps: makerFeeBps + edgeBps + hedgeTakerFeeBps + hedgeHalfSpreadBps + hedgeSlippageBps,
  };
}

/** The maker fee of the parameters, or that of the exchange. */
function makerFeeBpsFor(params: PeggedParams, context: StrategyContext): number {
  const makerFeeBps = params.makerFeeBps ?? context.makerFeeBps?.();
  if (makerFeeBps === undefined)
    throw new ConfigError("is missing, and the exchange's is not known", {
      field: `markets.${context.marketId}.params.makerFeeBps`,
      expected: "the maker fee in basis points, such as 1",
    });
  return makerFeeBps;
}

/** The reference price plus the basis, undefined unless it is good; and the maker fee. */
type PeggedBasis = readonly [fairTicks: number | undefined, makerFeeBps: number];

/** Creates the computation of the pegged ladder for each view. */
function createPeggedStep(
  params: PeggedParams,
  context: StrategyContext,
): AdjustableStep<PeggedBasis, PeggedParams> {
  const basisFor: AdjustableStep<PeggedBasis, PeggedParams>["basisFor"] = (view) => [
    goodFairTicks(view),
    makerFeeBpsFor(params, context),
  ];
  return {
    observe: basisFor,
    basisFor,
    withParams: (changed) => createPeggedStep(changed, context),
    quotes: (room, basis) => peggedQuotes(params, context, room, basis),
    toleranceTicks: ([fairTicks = 0]) =>
      toTicks(params.refreshToleranceBps, params.refreshToleranceTicks, fairTicks) ?? 0,
  };
}

function peggedQuotes(
  params: PeggedParams,
  { instrument }: StrategyContext,
  room: QuotingBounds,
  [fairTicks, makerFeeBps]: PeggedBasis,
): QuoteResult {
  const margin = marginFor(params, makerFeeBps);
  if (fairTicks === undefined)
    return withoutQuotes(Number.NaN, margin, "there is no good reference price");
  // Bids and asks of no margin would trade with each other.
  if (!(margin.marginBps > 0))
    return withoutQuotes(fairTicks, margin, "the margin is not above 0 at the present maker fee");
  const distance = (fairTicks * margin.marginBps) / 10_000;
  const spacing = toTicks(params.levelSpacingBps, params.levelSpacingTicks, fairTicks) ?? distance;
  const { inventory, skewTicks, size } = ladderSkew(params, instrument, room, fairTicks);
  const reservation = fairTicks + skewTicks;
  const prices = {
    bidsFromTicks: Math.min(fairTicks, reservation),
    asksFromTicks: Math.max(fairTicks, reservation),
    distanceTicks: distance,
    spacingTicks: spacing,
  };
  const { quotes, clamps } = shapeQuotesWithin(
    room,
    ladderLevels(params, instrument, prices, size),
  );
  return {
    quotes,
    reason: () => ({
      fairTicks,
      reservationTicks: reservation,
      halfSpreadTicks: distance,
      terms: {
        ...margin,
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

function withoutQuotes(fairTicks: number, margin: Margin, why: string): QuoteResult {
  return {
    quotes: [],
    reason: () => ({
      fairTicks,
      reservationTicks: fairTicks,
      halfSpreadTicks: (fairTicks * margin.marginBps) / 10_000,
      terms: { ...margin },
      clamps: [`quotes: ${why}`],
    }),
  };
}
