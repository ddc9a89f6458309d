import type { MarketId, Ms } from "../core/units.js";
import { DAILY_LOSS, type HaltRequest } from "./halt.js";

/** Actions of a rung, the mildest first. */
export const LADDER_ACTIONS = ["warn", "widen", "reduce", "halt", "flatten"] as const;
/** One action of {@link LADDER_ACTIONS}. */
export type LadderAction = (typeof LADDER_ACTIONS)[number];

/** Measures of the risk ladder: losses of the account, and inventory and markout of each market. */
export const LADDER_MEASURES = ["drawdown", DAILY_LOSS, "inventory", "markout"] as const;
/** One measure of {@link LADDER_MEASURES}. */
export type LadderMeasure = (typeof LADDER_MEASURES)[number];

/**
 * One rung of a measure. `Value` is the measure's unit: credit units for losses, a number for
 * fractions and basis points.
 */
export interface Rung<Value extends bigint | number = bigint | number> {
  readonly action: LadderAction;
  /** Value from which the rung is active. */
  readonly from: Value;
  /** Value below which the rung clears, unless it latches. */
  readonly liftBelow: Value;
  /** Factor of a `widen` rung, above 1. */
  readonly widenFactor?: number | undefined;
  /** True if the rung lasts until a person resumes, whatever its measure does. */
  readonly latches: boolean;
  /** The value for display: `500 quote`. */
  readonly text: string;
  /** The value as a decimal string, in quote, as a share of the limit or in basis points. */
  readonly threshold: string;
}

/** A latched rung. It is remembered across restarts. */
export interface Latch {
  readonly measure: LadderMeasure;
  /** The market that it applies to; undefined for all markets. */
  readonly marketId?: MarketId | undefined;
  readonly action: "reduce" | "halt" | "flatten";
  readonly why: string;
  /** Exchange time. */
  readonly atMs: Ms;
}

/** The effect of the risk ladder on the quotes of one market. */
export interface LadderEffect {
  /** Factor for the distance of both sides' quotes from the mid; 1 changes nothing. */
  readonly widenFactor: number;
  /** The same factor for the side that adds to the position alone. */
  readonly addingWidenFactor: number;
  /** True if only orders that reduce the position may rest. */
  readonly isReduceOnly: boolean;
}

/** The effect without an active rung. */
export const NO_EFFECT: LadderEffect = {
  widenFactor: 1,
  addingWidenFactor: 1,
  isReduceOnly: false,
};

/** Severity of an action: 0 for none, then 1 for `warn` to 5 for `flatten`. */
export function severityFor(action: LadderAction | undefined): number {
  return action === undefined ? 0 : LADDER_ACTIONS.indexOf(action) + 1;
}

/**
 * The number of active rungs of one measure, the lowest first. A rung becomes active at its value
 * and clears below its `liftBelow`, so that a measure near the threshold does not switch it on and
 * off. An unknown measure changes nothing. A pure function.
 * @param rungs in ascending order of `from`
 * @param before number of active rungs at the last update
 */
export function countActiveRungs<Value extends bigint | number>(
  rungs: readonly Rung<Value>[],
  before: number,
  value: Value | undefined,
): number {
  if (value === undefined) return before;
  let reached = 0;
  while (reached < rungs.length && value >= rungs[reached].from) reached++;
  let kept = Math.min(before, rungs.length);
  while (kept > reached && value < rungs[kept - 1].liftBelow) kept--;
  return Math.max(reached, kept);
}

/** A measure of the account or of a market, with its active rung. */
export interface ActiveRung {
  readonly measure: LadderMeasure;
  readonly marketId?: MarketId | undefined;
  readonly action: LadderAction;
  readonly widenFactor?: number | undefined;
  readonly why: string;
}

/**
 * Returns true if an active rung applies to a market. Measures of the account apply to all markets.
 */
export function appliesToMarket(
  { marketId }: Pick<ActiveRung, "marketId">,
  market: MarketId,
): boolean {
  return marketId === undefined || marketId === market;
}

/**
 * The combined effect of all active rungs on the quotes of one market. The widest factor counts.
 */
export function ladderEffectFor(acting: readonly ActiveRung[], marketId: MarketId): LadderEffect {
  let effect = NO_EFFECT;
  for (const rung of acting) {
    if (!appliesToMarket(rung, marketId)) continue;
    const { action, measure, widenFactor = 1 } = rung;
    if (action === "reduce") effect = { ...effect, isReduceOnly: true };
    if (action !== "widen") continue;
    // The other side reduces a position that is too large, so it keeps the strategy's prices.
    if (measure === "inventory")
      effect = { ...effect, addingWidenFactor: Math.max(effect.addingWidenFactor, widenFactor) };
    else effect = { ...effect, widenFactor: Math.max(effect.widenFactor, widenFactor) };
  }
  return effect;
}

/**
 * The halts that active rungs request. A halt for the daily loss ends with its day, others when a
 * person resumes.
 */
export function toHaltRequests(acting: readonly ActiveRung[]): readonly HaltRequest[] {
  return acting.flatMap(({ measure, marketId, action, why }): HaltRequest[] => {
    if (action !== "halt" && action !== "flatten") return [];
    const scope =
      marketId === undefined
        ? ({ scope: "account" } as const)
        : ({ scope: "market", marketId } as const);
    return [{ ...scope, name: measure, why, resumesByItself: measure === DAILY_LOSS }];
  });
}
