import type { Lots, MarketId, Ms, Side, Ticks } from "../core/units.js";

/**
 * One desired order. Slot = (market, side, level): a slot holds at most one order that may fill.
 */
export interface Quote {
  readonly side: Side;
  /** From 0, the innermost, to 999. */
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** The reason for an intent, for `explain`, the screen, the log and the journal. */
export interface QuoteReason {
  /** The strategy's fair value in fractional ticks. */
  readonly fairTicks: number;
  /** The price that quotes are centred on, after inventory. */
  readonly reservationTicks: number;
  /** Half of the innermost spread, before clamps. */
  readonly halfSpreadTicks: number;
  /** Named terms in ticks or plain numbers: `inventory`, `sigmaTicks`, `adverse` ... */
  readonly terms: Readonly<Record<string, number>>;
  /** Limits that changed a price or size: `bid 0: post-only`, `ask: max position`. */
  readonly clamps: readonly string[];
}

/** The full set of quotes desired in a market. An empty set cancels all. */
export interface QuotesIntent {
  readonly kind: "quotes";
  readonly marketId: MarketId;
  /** `sequence` of the view that it answers. */
  readonly viewSequence: number;
  readonly quotes: readonly Quote[];
  readonly reason: QuoteReason;
}

/** Slices of at most `lots` lots, one each `everyMs`. */
export interface SliceSchedule {
  readonly kind?: "slices";
  readonly sliceLots: Lots;
  readonly everyMs: Ms;
}

/** The lots of one position that may still be held over time: a trajectory in steps. */
export interface Trajectory {
  /** Time until which nothing is taken and the position is only offered. */
  readonly takingFromMs: Ms;
  readonly stepMs: Ms;
  /**
   * Lots, without sign: before the first step, then from the start of each step on. The last is 0.
   */
  readonly holdLots: readonly Lots[];
}

/** One of the positions that are unwound together, with its own trajectory and worst price. */
export interface UnwindPart extends Trajectory {
  /** Remaining lots, without sign. */
  readonly leftLots: Lots;
  /** Worst price of any order that works it. */
  readonly worstTicks: Ticks;
}

/**
 * Maker first, then taker. Quotes offer the remaining lots, and taking orders reduce them to the
 * trajectory if they are above it.
 */
export interface UnwindSchedule {
  readonly kind: "unwind";
  /**
   * One for each position that is unwound. At a price that only some of them allow, those are
   * worked as if the others did not exist.
   */
  readonly parts: readonly UnwindPart[];
  /**
   * Reservation price for offers without a quoting strategy, in fractional ticks. Undefined offers
   * nothing.
   */
  readonly offerTicks: number | undefined;
  /**
   * Lots, without sign, that no order works yet, so that the work does not run ahead of its
   * schedule. 0 if absent.
   */
  readonly keepLots?: Lots;
  /** A remainder of this many lots or fewer is left. */
  readonly dustLots: Lots;
  /** Maximum lots of one taking order. */
  readonly sliceLots: Lots;
  /** Minimum time between two taking orders. */
  readonly everyMs: Ms;
}

/** A desired position, worked by price-bounded orders: unwinding, flattening. */
export interface TargetIntent {
  readonly kind: "target";
  readonly marketId: MarketId;
  /** `sequence` of the view that it answers. */
  readonly viewSequence: number;
  /** Signed position to reach. */
  readonly targetLots: Lots;
  /** Never buy above, or sell below, this price. */
  readonly worstTicks: Ticks;
  readonly schedule: SliceSchedule | UnwindSchedule;
  /** Time at which the work stops. The remaining position stays and is reported. */
  readonly deadlineMs: Ms;
  readonly reason: QuoteReason;
}

/**
 * The output of a strategy (docs/ideas/design.md#strategies). Without a new one, the last intent
 * stays valid.
 */
export type Intent = QuotesIntent | TargetIntent;
