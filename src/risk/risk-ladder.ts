import type { MarketId, Ms } from "../core/units.js";
import { DAILY_LOSS, type HaltRequest } from "./halt.js";

/** What a rung does, the mildest first. */
export const LADDER_ACTIONS = ["warn", "widen", "reduce", "halt", "flatten"] as const;
/** What a rung does. */
export type LadderAction = (typeof LADDER_ACTIONS)[number];

/** What a rung watches: losses of the account, and inventory and markout of each market. */
export const LADDER_MEASURES = ["drawdown", DAILY_LOSS, "inventory", "markout"] as const;
/** What a rung watches. */
export type LadderMeasure = (typeof LADDER_MEASURES)[number];

/** One rung of a measure. `Value` is the measure's unit: credit units for losses, a number for fractions and basis points. */
export interface Rung<Value extends bigint | number = bigint | number> {
  readonly action: LadderAction;
  /** It acts from this value on. */
  readonly from: Value;
  /** It ends by itself below this value, unless it latches. */
  readonly liftBelow: Value;
  /** Of `widen`: above 1. */
  readonly widenFactor?: number | undefined;
  /** It stays until a person resumes, whatever becomes of its measure. */
  readonly latches: boolean;
  /** The value as a person reads it: `500 quote`. */
  readonly text: string;
}

/** A rung that stays: it is remembered over restarts. */
export interface Latch {
  readonly measure: LadderMeasure;
  /** The market that it bears on; undefined where it bears on all. */
  readonly marketId?: MarketId | undefined;
  readonly action: "reduce" | "halt" | "flatten";
  readonly why: string;
  /** Exchange time. */
  readonly atMs: Ms;
}

/** What the ladder does to the quotes of one market. */
export interface LadderEffect {
  /** Quotes of both sides are this many times as far from the mid; 1 leaves them. */
  readonly widenFactor: number;
  /** The same for the side that adds to the position alone. */
  readonly addingWidenFactor: number;
  /** Only orders that reduce the position may rest. */
  readonly isReduceOnly: boolean;
}

/** The effect of a ladder on which no rung acts. */
export const NO_EFFECT: LadderEffect = {
  widenFactor: 1,
  addingWidenFactor: 1,
  isReduceOnly: false,
};

/** How severe an action is: 0 for none, then 1 for `warn` to 5 for `flatten`. */
export function severityFor(action: LadderAction | undefined): number {
  return action === undefined ? 0 : LADDER_ACTIONS.indexOf(action) + 1;
}

/**
 * How many rungs of one measure act, the lowest first. A rung acts from its value on and ends below its `liftBelow`, so that a measure that moves
 * about the threshold does not switch it on and off. A measure that is not known changes nothing. A pure function.
 * @param rungs in ascending order of `from`.
 * @param before how many acted at the last look.
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

/** One measure of the account or of a market, and what acts for it now. */
export interface ActiveRung {
  readonly measure: LadderMeasure;
  readonly marketId?: MarketId | undefined;
  readonly action: LadderAction;
  readonly widenFactor?: number | undefined;
  readonly why: string;
}

/** Whether what acts for a measure bears on a market: measures of the account bear on all. */
export function appliesToMarket(
  { marketId }: Pick<ActiveRung, "marketId">,
  market: MarketId,
): boolean {
  return marketId === undefined || marketId === market;
}

/** What all rungs that act do to the quotes of one market: the widest factor counts. */
export function ladderEffectFor(acting: readonly ActiveRung[], marketId: MarketId): LadderEffect {
  let effect = NO_EFFECT;
  for (const rung of acting) {
    if (!appliesToMarket(rung, marketId)) continue;
    const { action, measure, widenFactor = 1 } = rung;
    if (action === "reduce") effect = { ...effect, isReduceOnly: true };
    if (action !== "widen") continue;
    // A position too large is made smaller by the other side: that one stays where the strategy wants it.
    if (measure === "inventory")
      effect = { ...effect, addingWidenFactor: Math.max(effect.addingWidenFactor, widenFactor) };
    else effect = { ...effect, widenFactor: Math.max(effect.widenFactor, widenFactor) };
  }
  return effect;
}

/** The halts that acting rungs ask for. One of the daily loss ends with its day, the others when a person resumes. */
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
