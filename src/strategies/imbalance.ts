import { z } from "zod";
import type { MarketView } from "../market/view.js";
import { ladderFields, ladderQuotes, ladderUnits } from "./ladder.js";
import { StoikovMicroPrice } from "./models/stoikov-micro-price.js";
import { toTicks, withEitherUnits } from "./param-fields.js";
import { type AdjustableStep, adjustableQuotes } from "./quotes-operator.js";
import { baseToExactLots } from "./size-lots.js";
import { defineStrategy, type StrategyContext } from "./strategy.js";

/** The fit of Stoikov's micro-price. */
const fitField = z
  .strictObject({
    imbalanceBuckets: z
      .int()
      .min(2)
      .max(20)
      .describe("Number of intervals of the imbalance. An odd number has one of no lean.")
      .default(9),
    maxSpreadTicks: z.int().min(1).max(8).describe("Wider spreads count as this one.").default(2),
    windowMs: z
      .int()
      .min(10_000)
      .max(86_400_000)
      .describe("Samples older than this are forgotten.")
      .default(1_800_000),
    sampleMs: z.int().min(10).max(60_000).describe("Least time between two samples.").default(1000),
    refitMs: z
      .int()
      .min(100)
      .max(3_600_000)
      .describe("Least time between two fits.")
      .default(10_000),
    leastMoves: z
      .int()
      .min(10)
      .max(1_000_000)
      .describe("Moves of the mid in the window that a fit needs; the mid is fair until then.")
      .default(100),
  })
  .describe("The fit of the signal stoikov, while the bot runs; weighted-mid needs none.")
  .prefault({});

/** Parameters of `imbalance` (formulas in `docs/reference/built-in-strategies.md`). */
const imbalanceParams = withEitherUnits(
  z.strictObject({
    signal: z
      .enum(["stoikov", "weighted-mid"])
      .describe(
        "The prediction of the mid: Stoikov's micro-price, fitted while the bot runs; or the touch weighted by the opposite amounts.",
      )
      .default("stoikov"),
    fit: fitField,
    signalWeight: z
      .number()
      .min(0)
      .max(5)
      .describe("Share of the predicted move that the fair price takes; 0 quotes around the mid.")
      .default(1),
    ...ladderFields,
  }),
  ladderUnits,
);

type ImbalanceParams = z.output<typeof imbalanceParams>;

/**
 * A ladder around a fair price that the imbalance of the best amounts predicts: Stoikov's
 * micro-price, or the weighted mid.
 */
export const imbalance = defineStrategy({
  params: imbalanceParams,
  viewLevels: 1,
  create: (params, context, changes) => {
    const { instrument, marketId } = context;
    baseToExactLots(params.sizeBase, instrument, `markets.${marketId}.params.sizeBase`);
    return adjustableQuotes(() => createImbalanceStep(params, context), changes);
  },
});

/** The mid, and the predicted move; undefined until a fit exists. */
type ImbalanceBasis = readonly [midTicks: number, moveTicks: number | undefined];

/** @param fit the fit of an earlier step, whose samples this one keeps if its window is the same */
function createImbalanceStep(
  params: ImbalanceParams,
  context: StrategyContext,
  fit: StoikovMicroPrice | undefined = fitFor(params),
): AdjustableStep<ImbalanceBasis, ImbalanceParams> {
  const basisFor = ({ bids, asks, midTicks, microPriceTicks }: MarketView): ImbalanceBasis => {
    if (params.signal === "weighted-mid") return [midTicks, microPriceTicks - midTicks];
    return [midTicks, fit?.adjustmentTicks(bids[0], asks[0])];
  };
  return {
    observe: (view) => {
      fit?.observe(view.bids[0], view.asks[0], view.timeMs);
      const basis = basisFor(view);
      if (basis[1] !== undefined) context.predictMove?.(basis[1]);
      return basis;
    },
    basisFor,
    withParams: (changed) =>
      createImbalanceStep(
        changed,
        context,
        fit !== undefined && isSameFit(params, changed) ? fit : fitFor(changed),
      ),
    quotes: (room, [midTicks, moveTicks]) =>
      ladderQuotes(
        params,
        context.instrument,
        room,
        midTicks + params.signalWeight * (moveTicks ?? 0),
        () => ({
          predictedTicks: moveTicks ?? 0,
          ...(params.signal === "stoikov"
            ? { signalEstimated: moveTicks === undefined ? 0 : 1 }
            : {}),
        }),
      ),
    toleranceTicks: ([midTicks]) =>
      toTicks(params.refreshToleranceBps, params.refreshToleranceTicks, midTicks) ?? 0,
  };
}

function fitFor({ signal, fit }: ImbalanceParams): StoikovMicroPrice | undefined {
  return signal === "stoikov" ? new StoikovMicroPrice(fit) : undefined;
}

function isSameFit(one: ImbalanceParams, other: ImbalanceParams): boolean {
  const keys = Object.keys(one.fit) as (keyof ImbalanceParams["fit"])[];
  return one.signal === other.signal && keys.every((key) => one.fit[key] === other.fit[key]);
}
