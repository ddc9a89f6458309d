import type { Lots, Ticks } from "#core/units.js";

/**
 * A market as seen from outside: the same five figures of a recorded market and of a synthetic one.
 */
export interface FlowFigures {
  readonly seconds: number;
  readonly trades: number;
  /** Median of the spread, once a second. */
  readonly spreadTicks: number;
  /** Median size of the levels among the ten best of either side, once a second, in base. */
  readonly levelBase: number;
  /** Median size of the trades, in base: one trade for each maker that a taker met. */
  readonly tradeBase: number;
  /** Autocorrelation of the absolute returns of the mid over one second. */
  readonly autocorrelation: number;
  /** Changed levels in the book's messages for each trade. */
  readonly changesPerTrade: number;
  /** Besides the five: median of the total of a side's ten best levels, in base. */
  readonly tenLevelsBase: number;
}

/** One of the five figures. */
export type FigureName =
  | "spreadTicks"
  | "levelBase"
  | "tradeBase"
  | "autocorrelation"
  | "changesPerTrade";

/** The five, with their names in a report. */
export const FIGURE_NAMES: Readonly<Record<FigureName, string>> = {
  spreadTicks: "median spread, ticks",
  levelBase: "median size of ten levels, base",
  tradeBase: "median trade size, base",
  autocorrelation: "lag-1 autocorrelation of |1 s return|",
  changesPerTrade: "level changes per trade",
};

/** Levels of a side that are measured. */
export const DEPTH = 10;

/** One side of a book, best first. */
export interface DepthSide {
  readonly bestTicks: Ticks;
  /** The lots of at most {@link DEPTH} levels. */
  readonly lots: readonly Lots[];
}

/** Collects the figures of one market. */
export class FlowMeasure {
  readonly #lotBase: number;
  readonly #spreads: number[] = [];
  readonly #levels: number[] = [];
  readonly #tens: number[] = [];
  readonly #sizes: number[] = [];
  readonly #mids: number[] = [];
  #changes = 0;

  /** @param lotBase base units of one lot. */
  constructor(lotBase: number) {
    this.#lotBase = lotBase;
  }

  /** Call once a second. A side without orders makes a gap, which belongs to no return. */
  second(bids: DepthSide, asks: DepthSide): void {
    if (bids.lots.length === 0 || asks.lots.length === 0) {
      this.#mids.push(Number.NaN);
      return;
    }
    this.#mids.push((bids.bestTicks + asks.bestTicks) / 2);
    this.#spreads.push(asks.bestTicks - bids.bestTicks);
    for (const { lots } of [bids, asks]) {
      for (const held of lots) this.#levels.push(held);
      this.#tens.push(lots.reduce((sum, held) => sum + held, 0));
    }
  }

  /** Adds the changed levels of a book message. */
  changed(levels: number): void {
    this.#changes += levels;
  }

  traded(lots: Lots): void {
    this.#sizes.push(lots);
  }

  figures(): FlowFigures {
    return {
      seconds: this.#mids.length,
      trades: this.#sizes.length,
      spreadTicks: median(this.#spreads),
      levelBase: median(this.#levels) * this.#lotBase,
      tradeBase: median(this.#sizes) * this.#lotBase,
      autocorrelation: lagOneAutocorrelation(absoluteReturns(this.#mids)),
      changesPerTrade: this.#changes / this.#sizes.length,
      tenLevelsBase: median(this.#tens) * this.#lotBase,
    };
  }
}

/** The median of the recorded markets' figures, one by one. */
export function medianFigures(recorded: readonly FlowFigures[]): Record<FigureName, number> {
  const of = (name: FigureName) => median(recorded.map((figures) => figures[name]));
  return {
    spreadTicks: of("spreadTicks"),
    levelBase: of("levelBase"),
    tradeBase: of("tradeBase"),
    autocorrelation: of("autocorrelation"),
    changesPerTrade: of("changesPerTrade"),
  };
}

/** Middle value; for an even number the mean of both; NaN without values. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function absoluteReturns(mids: readonly number[]): number[] {
  const returns: number[] = [];
  for (let at = 1; at < mids.length; at++) {
    const change = Math.abs(Math.log(mids[at] / mids[at - 1]));
    if (!Number.isNaN(change)) returns.push(change);
  }
  return returns;
}

function lagOneAutocorrelation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [products, squares] = [0, 0];
  for (let at = 0; at < values.length; at++) {
    squares += (values[at] - mean) ** 2;
    if (at > 0) products += (values[at] - mean) * (values[at - 1] - mean);
  }
  return products / squares;
}
