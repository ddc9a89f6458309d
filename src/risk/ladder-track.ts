import type { MarketId, Ms } from "../core/units.js";
import {
  type ActiveRung,
  countActiveRungs,
  type LadderMeasure,
  type Latch,
  type Rung,
  severityFor,
} from "./risk-ladder.js";

/** One measure of the account, or of one market. */
export interface LadderTrack {
  readonly measure: LadderMeasure;
  readonly marketId: MarketId | undefined;
  readonly rungs: readonly Rung[];
  /** How many rungs act, the lowest first. */
  reached: number;
  /** Why the highest of them acts. */
  why: string;
  /** What stays until a person resumes. */
  latch: Latch | undefined;
  /** What a person accepted when it was reached: rungs no more severe do not stay again while one of them is reached without a break. */
  accepted: Latch | undefined;
  acting: ActiveRung | undefined;
}

/** A measure of which no rung acts. */
export function createLadderTrack(
  measure: LadderMeasure,
  marketId: MarketId | undefined,
  rungs: readonly Rung[],
): LadderTrack {
  return {
    measure,
    marketId,
    rungs,
    reached: 0,
    why: "",
    latch: undefined,
    accepted: undefined,
    acting: undefined,
  };
}

/**
 * A look at a measure: notes which rungs act now, and what stays of them until a person resumes. False where nothing changed.
 * @param why of the highest rung that acts.
 * @param atMs exchange time.
 */
export function advanceTrack<Value extends bigint | number>(
  track: LadderTrack,
  value: Value | undefined,
  why: (rung: Rung) => string,
  atMs: Ms,
): boolean {
  const before = track.reached;
  const reached = countActiveRungs(track.rungs as readonly Rung<Value>[], before, value);
  if (reached === before) return false;
  track.reached = reached;
  const top: Rung | undefined = track.rungs[reached - 1];
  track.why = top === undefined ? "" : why(top);
  const { measure, marketId } = track;
  for (const { action, latches } of track.rungs.slice(before, reached)) {
    if (
      !latches ||
      action === "warn" ||
      action === "widen" ||
      severityFor(action) <= severityFor(track.latch?.action)
    )
      continue;
    if (severityFor(action) <= severityFor(track.accepted?.action)) continue;
    track.latch = {
      measure,
      ...(marketId === undefined ? {} : { marketId }),
      action,
      why: track.why,
      atMs,
    };
  }
  return true;
}

/** Whether a rung is reached that would stay. */
export function hasReachedLatch({ rungs, reached }: LadderTrack): boolean {
  return rungs.slice(0, reached).some(({ latches }) => latches);
}

/** What acts for a measure: what stays, or the highest rung that is reached, whichever is more severe. */
export function findActiveRung({
  measure,
  marketId,
  rungs,
  reached,
  why,
  latch,
}: LadderTrack): ActiveRung | undefined {
  const top = rungs[reached - 1];
  const of = { measure, ...(marketId === undefined ? {} : { marketId }) };
  // A rung that stays acts by what stays of it: without that a person has accepted it.
  const passing =
    top === undefined || top.latches
      ? rungs.slice(0, reached).findLast(({ latches }) => !latches)
      : top;
  if (latch !== undefined && severityFor(latch.action) >= severityFor(passing?.action))
    return { ...of, action: latch.action, why: latch.why };
  return passing === undefined
    ? undefined
    : { ...of, action: passing.action, widenFactor: passing.widenFactor, why };
}
