import type { Lots, MarketId, Ms, Ticks } from "../../core/units.js";
import { allowedLots, nextStepAtMs } from "../../executor/unwind-schedule.js";
import { computeRemainingLots, type TakeoverRecord } from "./takeover-registry.js";
import type { UnwindDecision } from "./unwind-decision.js";

/** Remaining position of an open takeover against its schedule. */
export interface UnwindTrajectory {
  readonly takeoverId: string;
  readonly marketId: MarketId;
  /** Signed. */
  readonly remainingLots: Lots;
  /**
   * Of the same sign: the amount that may be held now. Any excess is sold as soon as a price
   * allows.
   */
  readonly allowedLots: Lots;
  /** Limit price of every order that unwinds it. */
  readonly worstTicks: Ticks;
  /** When less may be held, exchange time; undefined once nothing may. */
  readonly nextStepAtMs: Ms | undefined;
  /** Exchange time. */
  readonly deadlineMs: Ms;
  /** How it is unwound; undefined in a market without a hedge. */
  readonly decision: UnwindDecision | undefined;
}

/** Position of an open takeover on its trajectory at `nowMs`. */
export function toUnwindTrajectory(one: TakeoverRecord, nowMs: Ms): UnwindTrajectory {
  const { takeover, terms } = one;
  const remainingLots = computeRemainingLots(one);
  return {
    takeoverId: takeover.id,
    marketId: takeover.marketId,
    remainingLots,
    allowedLots: Math.sign(remainingLots) * allowedLots([terms.part], nowMs) || 0,
    worstTicks: terms.worstTicks,
    nextStepAtMs: nextStepAtMs([terms.part], nowMs),
    deadlineMs: terms.deadlineMs,
    decision: one.decision,
  };
}
