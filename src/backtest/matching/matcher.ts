import type { Lots, Side, Ticks } from "../../core/units.js";
import type { OrderType, TimeInForce } from "../../exchange/records.js";

/**
 * Why an order was filled: `queue`, trades at its price had eaten what stood ahead; `through`, a trade printed beyond its price;
 * `cross`, the other side's best price reached it; `taker`, it took on arrival.
 */
export type FillCause = "queue" | "through" | "cross" | "taker";

/** How an order ended without being wholly filled. */
export type OrderEnd =
  | "cancelled"
  /** Its time was over, or what an IOC, FOK or MARKET order could not take at once. */
  | "expired"
  /** A post-only order that would have taken. */
  | "would-take";

/** One of our orders at the replayed exchange. Only its matcher changes it. */
export interface ReplayOrder {
  /** Unique within one run, ascending. */
  readonly id: number;
  readonly side: Side;
  readonly type: OrderType;
  /** The worst price; of a MARKET order the bound that the exchange gives it, or none: NaN. */
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: TimeInForce;
  /** When a GTT order ends by itself, microseconds since 1970; Infinity for every other. */
  readonly expirationUs: number;
  /** What may still be filled. */
  openLots: Lots;
}

/** Hears what becomes of our orders, in the order in which it happens at the exchange. Must not call the matcher back. */
export interface MatchListener {
  /** It was taken in: it rests, or its fills and end follow at once. */
  accepted(order: ReplayOrder, atUs: number): void;
  /**
   * A part was filled; `openLots` is already less by it. `ticks` is the price of the fill.
   * @param isDoubtful it rested, and history does not say that it came to rest at all: it came to be filled through or by a cross before enough was told since it arrived,
   * so that what was told may have been there before it, or nothing tells what it met. So it may have taken, or as POST_ONLY been refused.
   */
  filled(
    order: ReplayOrder,
    ticks: Ticks,
    lots: Lots,
    cause: FillCause,
    atUs: number,
    isDoubtful: boolean,
  ): void;
  /** It is no longer open, though something was left of it. Not called for an order that is wholly filled. */
  ended(order: ReplayOrder, how: OrderEnd, atUs: number): void;
}

/** The best prices at the replayed exchange; NaN for a side that is empty. */
export interface ExchangeTouch {
  readonly bidTicks: Ticks;
  readonly askTicks: Ticks;
}

/** Hears after each step of history that changed a best price of it, ours aside; NaN for an empty side. */
export type TouchListener = (atUs: number, bidTicks: Ticks, askTicks: Ticks) => void;

/**
 * One market of the replayed exchange, on the exchange's clock: history goes on, our orders are matched against it by the grade's own
 * fill rules. Recorded liquidity that we took is not there for us a second time until the recording shows that level anew.
 */
export interface Matcher {
  /** Stamp of the next message of history or expiry of an order; Infinity when there is none. */
  readonly nextUs: number;
  /**
   * Plays history on to an instant: everything before `untilUs` when `inclusive` is false, everything up to and at it when it is true. It stops
   * early right after a message, or an expiry, at which the listener was told of something.
   * @returns the instant to which it has played: `untilUs`, or the stamp at which it stopped.
   */
  advance(untilUs: number, inclusive: boolean): number;
  /** An order arrives. Everything of history up to and at `atUs` must have been played. */
  place(order: ReplayOrder, atUs: number): void;
  /** A cancel arrives. False when no such order is open. */
  cancel(id: number, atUs: number): boolean;
  readonly touch: ExchangeTouch;
}
