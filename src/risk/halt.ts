import type { MarketId, Ms } from "../core/units.js";
import type { GuardName } from "./guards.js";

/** Scope of a halt: the account or one market. */
type HaltScope =
  | { readonly scope: "account" }
  | { readonly scope: "market"; readonly marketId: MarketId };

/** A condition that requires a halt now, such as a tripped guard. */
export type HaltRequest = HaltScope & {
  /**
   * `stale-book`, `drawdown`, `strategy-error` ...: the `reason` label of `marketwright_halted`.
   */
  readonly name: string;
  readonly why: string;
  /**
   * True if the halt ends automatically when its condition is over. Otherwise it lasts until an
   * operator resumes.
   */
  readonly resumesByItself: boolean;
};

/** An active halt. */
export type HaltReason = HaltRequest & {
  readonly sinceMs: Ms;
  /**
   * Time at which its condition was first seen to be over. Undefined while the condition lasts, and
   * for halts that do not end automatically.
   */
  readonly overSinceMs: Ms | undefined;
};

/** All active halts, oldest first. Immutable. */
export interface HaltState {
  readonly reasons: readonly HaltReason[];
}

/** Changes of one step, for log and metrics. */
export interface HaltStep {
  readonly state: HaltState;
  readonly begun: readonly HaltReason[];
  readonly ended: readonly HaltReason[];
}

const NONE: readonly HaltReason[] = [];

/** The state without a halt. */
export const NO_HALTS: HaltState = { reasons: [] };

/** The name of a halt that a person requested. */
export const MANUAL_HALT = "manual";

/** The name of the halt for a daily loss. It ends with the day, or earlier if a person resumes. */
export const DAILY_LOSS = "daily-loss";

/**
 * Updates the halts from `demands`, all conditions that hold at `nowMs`. A halt that ends
 * automatically does so when its condition has been over for `holdMs`. A feed that comes and goes
 * then does not switch the quotes on and off.
 */
export function updateHalts(
  state: HaltState,
  demands: readonly HaltRequest[],
  nowMs: Ms,
  holdMs: Ms,
): HaltStep {
  if (demands.length === 0 && state.reasons.length === 0)
    return { state, begun: NONE, ended: NONE };
  const demanded = new Map(demands.map((demand) => [keyOf(demand), demand]));
  const reasons: HaltReason[] = [];
  const ended: HaltReason[] = [];
  let isChanged = false;
  for (const reason of state.reasons) {
    const demand = demanded.get(keyOf(reason));
    demanded.delete(keyOf(reason));
    const next = demand === undefined ? fade(reason, nowMs, holdMs) : renewed(reason, demand);
    if (next === undefined) ended.push(reason);
    else reasons.push(next);
    if (next !== reason) isChanged = true;
  }
  const begun: HaltReason[] = [...demanded.values()].map((demand) => ({
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

/**
 * Adds a halt outside the regular conditions: a person's command, a failed strategy or a drawdown.
 * A second one of the same name changes nothing.
 */
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

/** Creates the request of a person to halt the account or one market. */
export function createManualHalt(marketId: MarketId | undefined, why: string): HaltRequest {
  const scope: HaltScope =
    marketId === undefined ? { scope: "account" } : { scope: "market", marketId };
  return { ...scope, name: MANUAL_HALT, why, resumesByItself: false };
}

/**
 * Resumes the account with all markets, or one market alone. Ends manual halts and those that do
 * not end automatically. An automatic halt stays until its condition is over. A halt whose
 * condition still holds returns at the next update.
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

/** Ends the manual halts with this reason and no others. */
export function releaseManualHalts(state: HaltState, why: string): HaltStep {
  const ended = state.reasons.filter((reason) => reason.name === MANUAL_HALT && reason.why === why);
  if (ended.length === 0) return { state, begun: NONE, ended };
  return {
    state: { reasons: state.reasons.filter((reason) => !ended.includes(reason)) },
    begun: NONE,
    ended,
  };
}

/** The halts that apply to a market: its own and those of the account. */
export function haltsFor(state: HaltState, marketId: MarketId): readonly HaltReason[] {
  return state.reasons.length === 0 ? state.reasons : bearingOn(state.reasons, marketId);
}

function bearingOn(reasons: readonly HaltReason[], marketId: MarketId): readonly HaltReason[] {
  return reasons.filter((reason) => reason.scope === "account" || reason.marketId === marketId);
}

/**
 * Returns true if quotes may rest in the market. If not, its quotes are cancelled and none is
 * placed. Cancels are always allowed.
 */
export function areQuotesAllowed(state: HaltState, marketId: MarketId): boolean {
  return haltsFor(state, marketId).length === 0;
}

/**
 * A record with every guard, so that the compiler refuses a new guard that is missing here. A
 * missing guard would let orders be sent on unknown data.
 */
const BLINDING_GUARDS: Readonly<Record<GuardName, boolean>> = {
  "stale-book": true,
  "book-unsynchronised": true,
  "stale-reference": false,
  "reference-disagrees": false,
  "hedge-away": false,
  unhedged: false,
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
 * Halts under which not even a reducing order may be sent: the state of the market, the account or
 * the signature is not trusted. Under all others (drawdown, manual, reject storm, failed strategy)
 * a command may still reduce a position.
 */
const BLINDING: ReadonlySet<string> = new Set(
  Object.entries(BLINDING_GUARDS).flatMap(([name, isBlinding]) => (isBlinding ? [name] : [])),
);

/** The orders that may be sent for a market: any, only those that reduce the position, or none. */
export function allowedPlaces(
  state: HaltState,
  marketId: MarketId,
): "any" | "reduce-only" | "none" {
  const halts = haltsFor(state, marketId);
  if (halts.length === 0) return "any";
  return halts.some((reason) => BLINDING.has(reason.name)) ? "none" : "reduce-only";
}

/** The market of a halt; undefined for a halt of the account. */
export function haltMarketId(halt: HaltScope): MarketId | undefined {
  return halt.scope === "market" ? halt.marketId : undefined;
}

function keyOf(demand: HaltScope & { readonly name: string }): string {
  return demand.scope === "account"
    ? `account ${demand.name}`
    : `market ${demand.marketId} ${demand.name}`;
}
