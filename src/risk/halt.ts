import type { MarketId, Ms } from "../core/units.js";
import type { GuardName } from "./guards.js";

/** Where a halt applies: everywhere, or in one market. */
type HaltScope =
  | { readonly scope: "account" }
  | { readonly scope: "market"; readonly marketId: MarketId };

/** A condition that asks for a halt now. A guard's trip is one. */
export type HaltRequest = HaltScope & {
  /** `stale-book`, `drawdown`, `strategy-error` ...: the `reason` label of `marketwright_halted`. */
  readonly name: string;
  readonly why: string;
  /** Whether the halt ends by itself when the condition is over; otherwise it stays until somebody resumes. */
  readonly resumesByItself: boolean;
};

/** A halt that is in force. */
export type HaltReason = HaltRequest & {
  readonly sinceMs: Ms;
  /** When its condition was first seen to be over; undefined while it lasts, and for halts that do not end by themselves. */
  readonly overSinceMs: Ms | undefined;
};

/** All halts in force, in the order in which they came. Immutable. */
export interface HaltState {
  readonly reasons: readonly HaltReason[];
}

/** What changed, for log and metrics. */
export interface HaltStep {
  readonly state: HaltState;
  readonly begun: readonly HaltReason[];
  readonly ended: readonly HaltReason[];
}

const NONE: readonly HaltReason[] = [];

/** Nothing halted. */
export const NO_HALTS: HaltState = { reasons: [] };

/** The name of a halt that a person asked for. */
export const MANUAL_HALT = "manual";

/** The name of the halt by the loss of a day: it ends with the day, or when a person resumes before. */
export const DAILY_LOSS = "daily-loss";

/**
 * The halts after the conditions were looked at: `demands` are all that hold at `nowMs`. A halt that resumes by itself ends when its
 * condition has stayed away for `holdMs`, so that a feed that comes and goes does not make the quotes come and go with it.
 */
export function updateHalts(
  state: HaltState,
  demands: readonly HaltRequest[],
  nowMs: Ms,
  holdMs: Ms,
): HaltStep {
  if (demands.length === 0 && state.reasons.length === 0)
    return { state, begun: NONE, ended: NONE };
  const asked = new Map(demands.map((demand) => [keyOf(demand), demand]));
  const reasons: HaltReason[] = [];
  const ended: HaltReason[] = [];
  let isChanged = false;
  for (const reason of state.reasons) {
    const demand = asked.get(keyOf(reason));
    asked.delete(keyOf(reason));
    const next = demand === undefined ? fade(reason, nowMs, holdMs) : renewed(reason, demand);
    if (next === undefined) ended.push(reason);
    else reasons.push(next);
    if (next !== reason) isChanged = true;
  }
  const begun: HaltReason[] = [...asked.values()].map((demand) => ({
    ...demand,
    sinceMs: nowMs,
    overSinceMs: undefined,
  }));
  if (!isChanged && begun.length === 0) return { state, begun, ended };
  return { state: { reasons: [...reasons, ...begun] }, begun, ended };
}

function renewed(reason: HaltReason, demand: HaltRequest): HaltReason {
  const resumesByItself = reason.resumesByItself && demand.resumesByItself;
  if (
    reason.overSinceMs === undefined &&
    reason.why === demand.why &&
    reason.resumesByItself === resumesByItself
  )
    return reason;
  return { ...reason, why: demand.why, resumesByItself, overSinceMs: undefined };
}

function fade(reason: HaltReason, nowMs: Ms, holdMs: Ms): HaltReason | undefined {
  if (!reason.resumesByItself) return reason;
  const overSinceMs = reason.overSinceMs ?? nowMs;
  if (nowMs - overSinceMs >= holdMs) return undefined;
  return reason.overSinceMs === undefined ? { ...reason, overSinceMs } : reason;
}

/** One halt more, whatever else holds: a person's command, a strategy that failed, a drawdown. A second one of the same name is the first. */
export function addHalt(state: HaltState, demand: HaltRequest, nowMs: Ms): HaltStep {
  const known = state.reasons.find((reason) => keyOf(reason) === keyOf(demand));
  if (known !== undefined) {
    const next = renewed(known, demand);
    return {
      state:
        next === known
          ? state
          : { reasons: state.reasons.map((one) => (one === known ? next : one)) },
      begun: [],
      ended: [],
    };
  }
  const reason: HaltReason = { ...demand, sinceMs: nowMs, overSinceMs: undefined };
  return { state: { reasons: [...state.reasons, reason] }, begun: [reason], ended: [] };
}

/** The demand of a person who halts the account, or one market. */
export function createManualHalt(marketId: MarketId | undefined, why: string): HaltRequest {
  const scope: HaltScope =
    marketId === undefined ? { scope: "account" } : { scope: "market", marketId };
  return { ...scope, name: MANUAL_HALT, why, resumesByItself: false };
}

/**
 * A person resumes: the account and all markets, or one market alone. Manual halts and those that do not end by themselves end; an
 * automatic one stays until its condition is over. One whose condition still holds comes back with the next look at the conditions.
 */
export function resumeHalts(state: HaltState, marketId: MarketId | undefined): HaltStep {
  const ended = state.reasons.filter(
    (reason) =>
      (!reason.resumesByItself || reason.name === DAILY_LOSS) &&
      (marketId === undefined || (reason.scope === "market" && reason.marketId === marketId)),
  );
  if (ended.length === 0) return { state, begun: [], ended };
  return {
    state: { reasons: state.reasons.filter((reason) => !ended.includes(reason)) },
    begun: [],
    ended,
  };
}

/** What was halted by hand for this reason goes on; whatever else halts stays. */
export function releaseManualHalts(state: HaltState, why: string): HaltStep {
  const ended = state.reasons.filter((reason) => reason.name === MANUAL_HALT && reason.why === why);
  if (ended.length === 0) return { state, begun: NONE, ended };
  return {
    state: { reasons: state.reasons.filter((reason) => !ended.includes(reason)) },
    begun: NONE,
    ended,
  };
}

/** The halts that bear on a market: its own and the account's. */
export function haltsFor(state: HaltState, marketId: MarketId): readonly HaltReason[] {
  return state.reasons.length === 0 ? state.reasons : bearingOn(state.reasons, marketId);
}

function bearingOn(reasons: readonly HaltReason[], marketId: MarketId): readonly HaltReason[] {
  return reasons.filter((reason) => reason.scope === "account" || reason.marketId === marketId);
}

/** Whether quotes may rest in the market. While not, its quotes come down and none is placed; cancels always may leave. */
export function areQuotesAllowed(state: HaltState, marketId: MarketId): boolean {
  return haltsFor(state, marketId).length === 0;
}

/** Each guard has an answer of its own: a new one that is forgotten here would let orders leave on what it calls unknown. */
const BLINDING_GUARDS: Readonly<Record<GuardName, boolean>> = {
  "stale-book": true,
  "book-unsynchronised": true,
  "stale-account": true,
  "unconfirmed-account": true,
  "clock-offset": true,
  "clock-unknown": true,
  "position-unknown": true,
  "market-not-trading": true,
  "exchange-info-changed": true,
  "exchange-info-unread": true,
  "domain-mismatch": true,
  "reject-storm": false,
  "loop-lag": false,
  banned: true,
};

/**
 * Halts under which not even a reducing order may leave: what we know of the market, the account or the signature is not to be trusted.
 * Under all others (a drawdown, a person's halt, a reject storm, a failed strategy) a position may still be taken down on command.
 */
const BLINDING: ReadonlySet<string> = new Set(
  Object.entries(BLINDING_GUARDS).flatMap(([name, isBlinding]) => (isBlinding ? [name] : [])),
);

/** What orders may leave for a market: any, only those that reduce the position, or none. */
export function allowedPlaces(
  state: HaltState,
  marketId: MarketId,
): "any" | "reduce-only" | "none" {
  const halts = haltsFor(state, marketId);
  if (halts.length === 0) return "any";
  return halts.some((reason) => BLINDING.has(reason.name)) ? "none" : "reduce-only";
}

/** The market that a halt is of; undefined for one of the account. */
export function haltMarketId(halt: HaltScope): MarketId | undefined {
  return halt.scope === "market" ? halt.marketId : undefined;
}

function keyOf(demand: HaltScope & { readonly name: string }): string {
  return demand.scope === "account"
    ? `account ${demand.name}`
    : `market ${demand.marketId} ${demand.name}`;
}
