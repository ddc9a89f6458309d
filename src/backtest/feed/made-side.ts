import type { Lots, Side, Ticks } from "../../core/units.js";
import type { Level, ReadableSide } from "../../market/book/readable-book.js";

/** One side of a book of which nothing is known but its best price: made from trades or candles. */
export class MadeSide implements ReadableSide {
  readonly side: Side;
  bestTicks: Ticks = Number.NaN;
  bestLots: Lots = 0;

  constructor(side: Side) {
    this.side = side;
  }

  get levels(): number {
    return Number.isNaN(this.bestTicks) ? 0 : 1;
  }

  set(ticks: Ticks, lots: Lots): void {
    this.bestTicks = ticks;
    this.bestLots = lots;
  }

  lotsOf(ticks: Ticks): Lots {
    return ticks === this.bestTicks ? this.bestLots : 0;
  }

  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void {
    if (this.levels > 0) visit(this.bestTicks, this.bestLots);
  }

  topInto(pairs: Float64Array, most: number): number {
    if (this.levels === 0 || most < 1) return 0;
    pairs[0] = this.bestTicks;
    pairs[1] = this.bestLots;
    return 1;
  }

  top(depth: number): Level[] {
    return this.levels > 0 && depth > 0 ? [{ ticks: this.bestTicks, lots: this.bestLots }] : [];
  }
}
