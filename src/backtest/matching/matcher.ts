import type { Lots, Side, Ticks } from "../../core/units.js";
import type { OrderType, TimeInForce } from "../../exchange/records.js";

/**
 * The cause of a fill. `queue`: trades at the order's price used up the queue ahead. `through`: a
 * trade printed beyond its price. `cross`: the other side's best price reached it. `taker`: it took
 * on arrival.
 */
export type FillCause = "queue" | "through" | "cross" | "taker";

/** The end of an order that was not filled completely. */
export type OrderEnd =
  | "cancelled"
  /** Its time was over, or the part of an IOC, FOK or MARKET order that could not take at once. */
  | "expired"
  /** A post-only order that would have taken. */
  | "would-take";

/** One of our orders at the replayed exchange. Only its matcher changes it. */
export interface ReplayOrder {
  /** Unique within one run, ascending. */
  readonly id: number;
  readonly side: Side;
  readonly type: OrderType;
  /** The worst price. For a MARKET order the bound that the exchange sets, or NaN without one. */
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: TimeInForce;
  /** When a GTT order expires, microseconds since 1970; Infinity for every other. */
  readonly expirationUs: number;
  /** The open size. */
  openLots: Lots;
}

/**
 * Receives the events of our orders, in the order in which they happen at the exchange. Must not
 * call the matcher.
 */
export interface MatchListener {
  /** Accepted: it rests, or its fills and end follow at once. */
  accepted(order: ReplayOrder, atUs: number): void;
  /**
   * A part was filled; `openLots` is already reduced by it. `ticks` is the price of the fill.
   * @param isDoubtful the order rested, but history does not show that it rested before the fill.
   * It was filled by a trade beyond its price or by a cross before enough was published since it
   * arrived, or nothing shows what it met on arrival. So it may have taken, or as POST_ONLY been
   * refused.
   */
  filled(
    order: ReplayOrder,
    ticks: Ticks,
    lots: Lots,
    cause: FillCause,
    atUs: number,
    isDoubtful: boolean,
  ): void;
  /** The rest of it is no longer open. Not called for an order that is filled completely. */
  ended(order: ReplayOrder, how: OrderEnd, atUs: number): void;
}

/** The best prices at the replayed exchange; NaN for a side that is empty. */
export interface ExchangeTouch {
  readonly bidTicks: Ticks;
  readonly askTicks: Ticks;
}

/**
 * Called after each step of history that changed one of its best prices, our orders excluded; NaN
 * for an empty side.
 */
export type TouchListener = (atUs: number, bidTicks: Ticks, askTicks: Ticks) => void;

/**
 * One market of the replayed exchange, on the exchange's clock. It advances history and matches our
 * orders against it by the fill rules of the grade. Recorded liquidity that we consumed is not
 * available a second time until the recording shows that level again.
 */
export interface Matcher {
  /** Stamp of the next message of history or expiry of an order; Infinity when there is none. */
  readonly nextUs: number;
  /**
   * Plays history to an instant: everything before `untilUs` when `inclusive` is false, everything
   * up to and at it when it is true. It stops early right after a message, or an expiry, at which
   * it called the listener.
   * @returns the instant to which it has played: `untilUs`, or the stamp at which it stopped.
   */
  advance(untilUs: number, inclusive: boolean): number;
  /** An order arrives. All history up to and at `atUs` must have been played. */
  place(order: ReplayOrder, atUs: number): void;
  /**
   * Puts an order into the book that has rested there since before `atUs`: at the end of the queue
   * that the book displays. A part of it may be filled. Calls no listener. All history up to and at
   * `atUs` must have been played.
   */
  resume(order: ReplayOrder, atUs: number): void;
  /** A cancel arrives. Returns false when no such order is open. */
  cancel(id: number, atUs: number): boolean;
  readonly touch: ExchangeTouch;
}
