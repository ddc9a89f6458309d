import type { Lots, MarketId, Ms, Ticks } from "../../core/units.js";
import { allowedLots, nextStepAtMs } from "../../executor/unwind-schedule.js";
import { computeRemainingLots, type TakeoverRecord } from "./takeover-registry.js";

/** What is left of a takeover that is being unwound, against what should be. */
export interface UnwindTrajectory {
  readonly takeoverId: string;
  readonly marketId: MarketId;
  /** Signed. */
  readonly remainingLots: Lots;
  /**
   * Of the same sign: what may be held now. What remains beyond it is taken as soon as a price
   * allows.
   */
  readonly allowedLots: Lots;
  /** No order that works it is worse. */
  readonly worstTicks: Ticks;
  /** When less may be held, exchange time; undefined once nothing may. */
  readonly nextStepAtMs: Ms | undefined;
  /** Exchange time. */
  readonly deadlineMs: Ms;
}

/** Where an open takeover is on its trajectory. */
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
  };
}
