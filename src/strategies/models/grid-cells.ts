import { ConfigError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Lots, Ticks } from "../../core/units.js";

/** The range of a grid and its division. Prices in quote, as users write them. */
export interface GridShape {
  readonly lowerPrice: number;
  readonly upperPrice: number;
  /** Number of cells that the range is divided into. */
  readonly cells: number;
  /** `geometric`: each level is the same multiple of the one below; `arithmetic`: the same sum. */
  readonly spacing: "geometric" | "arithmetic";
  /** The price at which no position is held; the middle level if absent. */
  readonly flatPrice?: number | undefined;
}

/** An order of a grid. */
export interface GridOrder {
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** The orders of a grid at one position, those next to the present cell first. */
export interface GridOrders {
  readonly bids: readonly GridOrder[];
  readonly asks: readonly GridOrder[];
  /** The price at which the grid holds this position, in fractional ticks. */
  readonly priceTicks: number;
  /** Width of the cell that this price is in. */
  readonly cellTicks: Ticks;
  /** Lots of the position that no cell holds; signed, 0 within the plan. */
  readonly beyondLots: Lots;
}

/**
 * A grid of price levels. The range between two neighbouring levels is a cell: it buys one size at
 * its lower level and sells it at its upper one. So the position is a function of the price, and
 * the orders are a function of the position alone: no fill has to be remembered.
 *
 * The levels are those of grid bots in general, without a canonical paper: arithmetic
 * `P_i = lower + i (upper - lower) / N`, geometric `P_i = lower (upper / lower)^(i / N)`.
 */
export class GridCells {
  /** From the lowest; one more than there are cells. */
  readonly levels: readonly Ticks[];
  /** Index of the level at which no position is held. */
  readonly flatLevel: number;
  readonly #cellLots: Lots;

  /**
   * @param cellLots lots that each cell buys and sells
   * @param field path of the parameters, for errors
   * @throws ConfigError when two levels would be less than a tick apart
   */
  constructor(shape: GridShape, cellLots: Lots, instrument: Instrument, field: string) {
    this.levels = levelsFor(shape, instrument, field);
    this.flatLevel =
      shape.flatPrice === undefined
        ? Math.round(shape.cells / 2)
        : nearestLevel(this.levels, shape.flatPrice / instrument.tickQuote);
    this.#cellLots = cellLots;
  }

  /** Number of cells. */
  get count(): number {
    return this.levels.length - 1;
  }

  /** The signed position that is held at a level, once all orders up to it have filled. */
  positionLotsAt(level: number): Lots {
    return (this.flatLevel - level) * this.#cellLots;
  }

  /** The orders at a position. */
  ordersAt(positionLots: Lots): GridOrders {
    const size = this.#cellLots;
    // Lots that the cells have sold, counted from a grid that holds its most.
    const wanted = this.positionLotsAt(0) - positionLots;
    const sold = Math.min(Math.max(wanted, 0), this.count * size);
    const cell = Math.min(Math.floor(sold / size), this.count - 1);
    const bids: GridOrder[] = [];
    for (let at = cell; at >= 0; at--) {
      const lots = Math.min(size, sold - at * size);
      if (lots > 0) bids.push({ ticks: this.levels[at], lots });
    }
    const asks: GridOrder[] = [];
    for (let at = cell; at < this.count; at++) {
      const lots = Math.min(size, (at + 1) * size - sold);
      if (lots > 0) asks.push({ ticks: this.levels[at + 1], lots });
    }
    const cellTicks = this.levels[cell + 1] - this.levels[cell];
    return {
      bids,
      asks,
      priceTicks: this.levels[cell] + ((sold - cell * size) / size) * cellTicks,
      cellTicks,
      beyondLots: sold - wanted,
    };
  }

  /**
   * Profit of the least profitable cell on each unit that it buys and sells, in ticks.
   * @param makerFeeBps fee of each of the two fills; negative is a rebate
   */
  leastProfitTicks(makerFeeBps: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < this.count; at++) {
      const [lower, upper] = [this.levels[at], this.levels[at + 1]];
      least = Math.min(least, upper - lower - ((lower + upper) * makerFeeBps) / 10_000);
    }
    return least;
  }
}

function levelsFor(
  { lowerPrice, upperPrice, cells, spacing }: GridShape,
  instrument: Instrument,
  field: string,
): readonly Ticks[] {
  const [lower, upper] = [lowerPrice / instrument.tickQuote, upperPrice / instrument.tickQuote];
  const levels: Ticks[] = [];
  for (let level = 0; level <= cells; level++) {
    const share = level / cells;
    const exact =
      spacing === "geometric" ? lower * (upper / lower) ** share : lower + share * (upper - lower);
    const ticks = Math.round(exact);
    if (ticks <= (levels.at(-1) ?? 0))
      throw new ConfigError(
        `makes levels less than a tick apart: level ${level} at ${exact * instrument.tickQuote}`,
        {
          field: `${field}.cells`,
          value: cells,
          expected: `fewer cells, or a wider range: the tick of ${instrument.marketId} is ${instrument.tickSize}`,
        },
      );
    levels.push(ticks);
  }
  return levels;
}

function nearestLevel(levels: readonly Ticks[], ticks: number): number {
  let nearest = 0;
  levels.forEach((level, at) => {
    if (Math.abs(level - ticks) < Math.abs(levels[nearest] - ticks)) nearest = at;
  });
  return nearest;
}
