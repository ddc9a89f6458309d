import type { MarketId, Ms } from "../core/units.js";
import {
  type ActiveRung,
  countActiveRungs,
  type LadderMeasure,
  type Latch,
  type Rung,
  severityFor,
} from "./risk-ladder.js";

/** State of one measure of the account, or of one market. */
export interface LadderTrack {
  readonly measure: LadderMeasure;
  readonly marketId: MarketId | undefined;
  rungs: readonly Rung[];
  /** The newest value of the measure; undefined while it is not known. */
  measured: bigint | number | undefined;
  /** Number of active rungs, the lowest first. */
  reached: number;
  /** Reason for the highest active rung. */
  why: string;
  /** The latched rung, which lasts until a person resumes. */
  latch: Latch | undefined;
  /**
   * The rung that a person accepted when resuming. Rungs that are no more severe do not latch again
   * while one of them stays active without a break.
   */
  accepted: Latch | undefined;
  acting: ActiveRung | undefined;
}

/** Creates a track without an active rung. */
export function createLadderTrack(
  measure: LadderMeasure,
  marketId: MarketId | undefined,
  rungs: readonly Rung[],
): LadderTrack {
  return {
    measure,
    marketId,
    rungs,
    measured: undefined,
    reached: 0,
    why: "",
    latch: undefined,
    accepted: undefined,
    acting: undefined,
  };
}

/**
 * Updates a measure: notes which rungs are active now and what they latch. Returns false if nothing
 * changed.
 * @param why reason for the highest active rung
 * @param atMs exchange time
 */
export function advanceTrack<Value extends bigint | number>(
  track: LadderTrack,
  value: Value | undefined,
  why: (rung: Rung) => string,
  atMs: Ms,
): boolean {
  // Each write of a number would allocate, in every turn.
  if (track.measured !== value) track.measured = value;
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

/**
 * Replaces the rungs of a measure. The lowest ones that stay the same stay active; the next reading
 * decides on the others. Latched and accepted rungs stay.
 */
export function replaceRungs(track: LadderTrack, rungs: readonly Rung[]): void {
  let same = 0;
  while (same < rungs.length && isSameRung(rungs[same], track.rungs[same])) same++;
  track.rungs = rungs;
  track.reached = Math.min(track.reached, same);
}

function isSameRung(a: Rung, b: Rung | undefined): boolean {
  return (
    a.from === b?.from &&
    a.liftBelow === b.liftBelow &&
    a.action === b.action &&
    a.widenFactor === b.widenFactor &&
    a.latches === b.latches
  );
}

/** Returns true if an active rung would latch. */
export function hasReachedLatch({ rungs, reached }: LadderTrack): boolean {
  return rungs.slice(0, reached).some(({ latches }) => latches);
}

/**
 * The effective rung of a measure: the latched one or the highest active one, whichever is more
 * severe.
 */
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
  // A latching rung acts through its latch. Without a latch a person has accepted it.
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
