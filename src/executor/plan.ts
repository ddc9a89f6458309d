import type { Hex, Int64Id, Lots, Ms, Side, Ticks } from "../core/units.js";
import type { TimeInForce } from "../exchange/records.js";

/** An order to cancel by its id. */
export interface PlannedCancel {
  readonly hash: Hex;
  readonly orderId: Int64Id;
  readonly side: Side;
  readonly level: number;
  /** Ticks between the order and the touch it trades against: the smaller, the sooner it is hit. +Infinity without a touch. */
  readonly distanceTicks: number;
  readonly why: string;
}

/** An order that has not left this machine and is no longer wanted: it is taken back from the outbox, and costs no token. */
export interface PlannedWithdrawal {
  readonly hash: Hex;
  readonly side: Side;
  readonly level: number;
  readonly why: string;
}

/** An order to place. */
export interface PlannedPlace {
  readonly side: Side;
  /** The slot that it will live in: what the order table must remember as the order's level. */
  readonly level: number;
  /** The level of the quote that it serves; another than the slot's where a kept order already lives in that one. */
  readonly quoteLevel: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: TimeInForce;
  /** Exchange time; 0 unless the time in force is GTT. */
  readonly expirationMs: Ms;
  readonly why: string;
}

/** An order that is right as it stands, and keeps its place in the queue. */
export interface PlannedKeep {
  readonly hash: Hex;
  readonly side: Side;
  /** The slot that the order lives in. */
  readonly level: number;
  /** The level of the quote that it serves. */
  readonly quoteLevel: number;
}

/** A slot that stays closed because its order, though not wanted, may still fill and cannot be acted on. */
export interface PlannedWait {
  readonly hash: Hex;
  readonly side: Side;
  readonly level: number;
  readonly phase: string;
  readonly why: string;
}

/** A wanted order that is not placed now. */
export interface Withheld {
  readonly side: Side;
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly why: string;
}

/** The fewest actions that lead from the working orders to what is wanted, as far as they may be taken now. */
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
