import type { Lots, Side, Ticks } from "../../core/units.js";

/** One price level of a book. */
export interface Level {
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** One side of a book, to be read. */
export interface ReadableSide {
  readonly side: Side;
  /** Number of price levels. */
  readonly levels: number;
  /** Best price in ticks; NaN on an empty side. */
  readonly bestTicks: Ticks;
  /** Lots at the best price; 0 on an empty side. */
  readonly bestLots: Lots;
  /** Lots resting at a price; 0 when there is no such level. */
  lotsAt(ticks: Ticks): Lots;
  /** Shows every level, best first, until `visit` returns false. */
  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void;
  /** Writes at most `most` levels as flat pairs (ticks, lots, ...), best first, and says how many there were. */
  topInto(pairs: Float64Array, most: number): number;
  /** At most `depth` levels, best first, as fresh objects. */
  top(depth: number): Level[];
  /** Every level as flat pairs (ticks, lots, ...), best first: to be compared with another book. */
  entries(): number[];
}

/** The two sides of a book, to be read. */
export interface ReadableBook {
  readonly bids: ReadableSide;
  readonly asks: ReadableSide;
}
