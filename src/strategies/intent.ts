import type { Lots, MarketId, Ms, Side, Ticks } from "../core/units.js";

/** One wanted order. Slot = (market, side, level): at most one order that may fill lives in it. */
export interface Quote {
  readonly side: Side;
  /** From 0, the innermost, to 999. */
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** Why an intent is what it is, for `explain`, the screen, the log and the journal. */
export interface Reason {
  /** The strategy's fair value in fractional ticks. */
  readonly fairTicks: number;
  /** The price that quotes are centred on, after inventory. */
  readonly reservationTicks: number;
  /** Half of the innermost spread, before clamps. */
  readonly halfSpreadTicks: number;
  /** Named terms in ticks or plain numbers: `inventory`, `sigmaTicks`, `adverse` ... */
  readonly terms: Readonly<Record<string, number>>;
  /** What held a price or size back: `bid 0: post-only`, `ask: max position`. */
  readonly clamps: readonly string[];
}

/** The full set of quotes wanted in a market. An empty set takes all down. */
export interface QuotesIntent {
  readonly kind: "quotes";
  readonly marketId: MarketId;
  /** `sequence` of the view that it answers. */
  readonly viewSequence: number;
  readonly quotes: readonly Quote[];
  readonly reason: Reason;
}

/** Slices of at most so many lots, one each `everyMs`. */
export interface SliceSchedule {
  readonly kind?: "slices";
  readonly sliceLots: Lots;
  readonly everyMs: Ms;
}

/** How much of one position may still be held at a time: a trajectory in steps. */
export interface Trajectory {
  /** Until then nothing is taken: the position is offered alone. */
  readonly takingFromMs: Ms;
  readonly stepMs: Ms;
  /** Lots, without sign: before the first step, from the beginning of each step on; the last is 0. */
  readonly holdLots: readonly Lots[];
}

/** One of the positions that are unwound together, on its own terms. */
export interface UnwindPart extends Trajectory {
  /** What remains of it, without sign. */
  readonly leftLots: Lots;
  /** No order that works it is worse. */
  readonly worstTicks: Ticks;
}

/** Maker first, then taker: what remains is offered by quotes, and taken down to what the trajectory still allows when it is behind. */
export interface UnwindSchedule {
  readonly kind: "unwind";
  /** One for each position that is unwound. At a price that only some of them bear, those are worked as if the others were not there. */
  readonly parts: readonly UnwindPart[];
  /** Where the rest is offered where no strategy quotes, in fractional ticks: a reservation price. Undefined offers nothing. */
  readonly offerTicks: number | undefined;
  /** A rest of so many lots or fewer is left as it is. */
  readonly dustLots: Lots;
  /** The most lots of one taking order. */
  readonly sliceLots: Lots;
  /** Between two taking orders at least. */
  readonly everyMs: Ms;
}

/** A position wanted, worked by price-bounded orders: unwinding, flattening. */
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
  /** When it gives up (the rest stays as it is, and is reported). */
  readonly deadlineMs: Ms;
  readonly reason: Reason;
}

/**
 * The output of a strategy (docs/ideas/design.md#strategies). No emission means that the last
 * intent stands.
 */
export type Intent = QuotesIntent | TargetIntent;
