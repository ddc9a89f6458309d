import { z } from "zod";
import { ConfigError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import { GridCells, type GridOrder, type GridOrders } from "./models/grid-cells.js";
import { sizeBaseField } from "./param-fields.js";
import { type AdjustableStep, adjustableQuotes, type QuoteResult } from "./quotes-operator.js";
import { type QuotingBounds, shapeQuotesWithin, type WantedLevel } from "./shape-quotes.js";
import { baseToExactLots } from "./size-lots.js";
import { defineStrategy, type InventoryPlan, type StrategyContext } from "./strategy.js";

const priceField = (description: string) =>
  z.number().gt(0).max(1e12).describe(`${description}, in quote.`);

/** Parameters of the grid (formulas in `docs/reference/built-in-strategies.md`). */
const gridParams = z
  .strictObject({
    lowerPrice: priceField("Lowest price of the grid: nothing is bought below it"),
    upperPrice: priceField("Highest price of the grid: nothing is sold above it"),
    cells: z
      .int()
      .min(1)
      .max(500)
      .describe("Number of cells: each buys at its lower price and sells at its upper one."),
    spacing: z
      .enum(["geometric", "arithmetic"])
      .describe("Whether each level is the same multiple of the one below it, or the same sum.")
      .default("geometric"),
    sizeBase: sizeBaseField.describe(
      "Size that each cell buys and sells, in base units: a multiple of the market's step.",
    ),
    flatPrice: priceField(
      "Price at which no position is held; the nearest level counts. Default: the middle level",
    ).optional(),
    ordersPerSide: z
      .int()
      .min(1)
      .max(50)
      .describe("Most orders that rest on each side, those next to the price.")
      .default(10),
    crossed: z
      .enum(["touch", "wait"])
      .describe(
        "Orders whose price the market has passed: at the best price that does not cross, or not until the market is back.",
      )
      .default("touch"),
  })
  .superRefine(({ lowerPrice, upperPrice, flatPrice }, context) => {
    if (!(upperPrice > lowerPrice))
      context.addIssue({
        code: "custom",
        path: ["upperPrice"],
        input: upperPrice,
        message: "is not above lowerPrice",
        params: { expected: `more than ${lowerPrice}` },
      });
    else if (flatPrice !== undefined && (flatPrice < lowerPrice || flatPrice > upperPrice))
      context.addIssue({
        code: "custom",
        path: ["flatPrice"],
        input: flatPrice,
        message: "is outside the grid",
        params: { expected: `from ${lowerPrice} to ${upperPrice}` },
      });
  });

type GridParams = z.output<typeof gridParams>;

/**
 * A bounded grid: buys one size at each level below its position's price, and sells one at each
 * level above. Levels and orders follow from parameters and position alone, so that a restart has
 * the same ones.
 */
export const grid = defineStrategy({
  params: gridParams,
  viewLevels: 1,
  create: (params, context, changes) => {
    const cells = cellsFor(params, context);
    const makerFeeBps = makerFeeBpsOf(context);
    if (!(cells.leastProfitTicks(makerFeeBps) > 0))
      throw new ConfigError(
        `makes cells that lose: a maker fee of ${makerFeeBps} bps on both sides costs as much as their width`,
        {
          field: `markets.${context.marketId}.params.cells`,
          value: params.cells,
          expected: "fewer cells, or a wider range",
        },
      );
    return adjustableQuotes(() => createGridStep(params, context), changes);
  },
  inventoryPlan: (params, context) => {
    const cells = cellsFor(params, context);
    return {
      levels: cells.levels.map((ticks, level) => ({
        ticks,
        positionLots: cells.positionLotsAt(level),
      })),
    } satisfies InventoryPlan;
  },
});

function cellsFor(
  params: GridParams,
  { marketId, instrument }: { readonly marketId: string; readonly instrument: Instrument },
): GridCells {
  const at = `markets.${marketId}.params`;
  const lots = baseToExactLots(params.sizeBase, instrument, `${at}.sizeBase`);
  return new GridCells(params, lots, instrument, at);
}

/** A context without a fee is one outside a bot, where no fee is paid. */
function makerFeeBpsOf({ makerFeeBps }: StrategyContext): number {
  return makerFeeBps?.() ?? 0;
}

/** The maker fee in basis points: a cell has to earn it twice. */
type GridBasis = readonly [makerFeeBps: number];

function createGridStep(
  params: GridParams,
  context: StrategyContext,
): AdjustableStep<GridBasis, GridParams> {
  const cells = cellsFor(params, context);
  const basisFor = (): GridBasis => [makerFeeBpsOf(context)];
  return {
    observe: basisFor,
    basisFor,
    withParams: (changed) => createGridStep(changed, context),
    quotes: (room, basis) => gridQuotes(params, cells, room, basis),
    toleranceTicks: () => 0,
  };
}

function gridQuotes(
  { ordersPerSide, crossed }: GridParams,
  cells: GridCells,
  room: QuotingBounds,
  [makerFeeBps]: GridBasis,
): QuoteResult {
  const orders = cells.ordersAt(room.positionLots);
  const profitTicks = cells.leastProfitTicks(makerFeeBps);
  const notes: string[] = [];
  let { bids, asks } = orders;
  if (crossed === "wait") {
    bids = bids.filter(({ ticks }) => ticks < room.askTicks);
    asks = asks.filter(({ ticks }) => ticks > room.bidTicks);
    if (bids.length < orders.bids.length) notes.push("bids: the market is below their price");
    if (asks.length < orders.asks.length) notes.push("asks: the market is above their price");
  }
  if (!(profitTicks > 0)) {
    // The position is still worked off: only what would open more of it loses.
    if (room.positionLots >= 0) bids = [];
    if (room.positionLots <= 0) asks = [];
    notes.push(`quotes: a cell earns nothing at the present maker fee of ${makerFeeBps} bps`);
  }
  if (orders.beyondLots !== 0) notes.push("position: beyond the grid's most");
  const { quotes, clamps } = shapeQuotesWithin(
    room,
    pairedLevels(bids.slice(0, ordersPerSide), asks.slice(0, ordersPerSide)),
  );
  return {
    quotes,
    reason: () => ({
      fairTicks: orders.priceTicks,
      reservationTicks: orders.priceTicks,
      halfSpreadTicks: orders.cellTicks / 2,
      terms: gridTerms(orders, profitTicks, makerFeeBps),
      clamps: [...notes, ...clamps],
    }),
  };
}

function gridTerms(
  { cellTicks, bids, asks, beyondLots }: GridOrders,
  cellProfitTicks: number,
  makerFeeBps: number,
): Readonly<Record<string, number>> {
  return {
    cellTicks,
    cellProfitTicks,
    makerFeeBps,
    buysLeft: bids.length,
    sellsLeft: asks.length,
    beyondLots,
  };
}

function pairedLevels(
  bids: readonly GridOrder[],
  asks: readonly GridOrder[],
): readonly WantedLevel[] {
  return Array.from({ length: Math.max(bids.length, asks.length) }, (_, at) => ({
    bidTicks: bids[at]?.ticks ?? Number.NaN,
    askTicks: asks[at]?.ticks ?? Number.NaN,
    bidLots: bids[at]?.lots ?? 0,
    askLots: asks[at]?.lots ?? 0,
  }));
}
