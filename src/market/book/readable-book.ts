import type { Lots, Side, Ticks } from "../../core/units.js";

/** One price level of a book. */
export interface Level {
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** A read-only view of one side of a book. */
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
  /** Calls `visit` with every level, best first, until it returns false. */
  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void;
  /**
   * Writes at most `most` levels as flat pairs (ticks, lots, ...), best first, and returns their
   * number.
   */
  topInto(pairs: Float64Array, most: number): number;
  /** At most `depth` levels, best first, as new objects. */
  top(depth: number): Level[];
  /** Every level as flat pairs (ticks, lots, ...), best first, for comparison with another book. */
  entries(): number[];
}

/** A read-only view of both sides of a book. */
export interface ReadableBook {
  readonly bids: ReadableSide;
  readonly asks: ReadableSide;
}
