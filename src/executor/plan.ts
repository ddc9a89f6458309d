import type { Hex, Int64Id, Lots, Ms, Side, Ticks } from "../core/units.js";
import type { TimeInForce } from "../exchange/records.js";
import type { Withheld } from "./withheld.js";

/** An order to cancel by its id. */
export interface PlannedCancel {
  readonly hash: Hex;
  readonly orderId: Int64Id;
  readonly side: Side;
  readonly level: number;
  /**
   * Ticks between the order and the opposite touch: the smaller, the sooner it fills. +Infinity
   * without a touch.
   */
  readonly distanceTicks: number;
  readonly why: string;
}

/**
 * An order that is not sent yet and no longer desired. It is withdrawn from the outbox, and costs
 * no token.
 */
export interface PlannedWithdrawal {
  readonly hash: Hex;
  readonly side: Side;
  readonly level: number;
  readonly why: string;
}

/** An order to place. */
export interface PlannedPlace {
  readonly side: Side;
  /** Level of its slot, which the order table stores with the order. */
  readonly level: number;
  /**
   * Level of the quote that it serves. It differs from the slot's if a kept order already occupies
   * that slot.
   */
  readonly quoteLevel: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: TimeInForce;
  /** Exchange time; 0 unless the time in force is GTT. */
  readonly expirationMs: Ms;
  readonly why: string;
}

/** An order that matches its quote and keeps its queue position. */
export interface PlannedKeep {
  readonly hash: Hex;
  readonly side: Side;
  /** Level of the order's slot. */
  readonly level: number;
  /** Level of the quote that it serves. */
  readonly quoteLevel: number;
  /** Price and size of a new order for that quote; the order's differ within the tolerance. */
  readonly wantedTicks: Ticks;
  readonly wantedLots: Lots;
}

/**
 * A slot that stays closed: its order is not desired, may still fill, and cannot be cancelled now.
 */
export interface PlannedWait {
  readonly hash: Hex;
  readonly side: Side;
  readonly level: number;
  readonly phase: string;
  readonly why: string;
}

/**
 * The fewest actions from the working orders to the desired ones, as far as they are possible now.
 */
export interface Plan {
  /** Most dangerous first. */
  readonly cancels: readonly PlannedCancel[];
  readonly withdrawals: readonly PlannedWithdrawal[];
  /** Innermost first. */
  readonly places: readonly PlannedPlace[];
  readonly keeps: readonly PlannedKeep[];
  readonly waits: readonly PlannedWait[];
  readonly withheld: readonly Withheld[];
}
