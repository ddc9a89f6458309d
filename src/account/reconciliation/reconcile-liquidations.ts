import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { AccountChange } from "../account-change.js";
import type { Intake } from "../account-updater.js";
import type { ComparedPosition } from "./compare-position.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** How long the exchange's lists may be behind its stream. */
const LISTED_WITHIN_MS: Ms = 5_000;

/**
 * Our position and the exchange's are the same: what was taken over is told. A liquidation that it told and that moved no position is
 * money alone.
 */
export function agreed(
  run: ReconcileRun,
  marketId: MarketId,
  { isLagging, isFollowed, restPaper }: ComparedPosition,
  nowMs: Ms,
): readonly AccountChange[] {
  const { intake } = run;
  // With changes in between, the answer may be of a moment before the takeover.
  const isSteady = intake.trades.trail(marketId).length === 1;
  if (isSteady && isFollowed) intake.takeovers.settleTakenBack(marketId);
  if (isLagging) return [];
  intake.rest(marketId, restPaper);
  if (isSteady) intake.takeovers.agreed(marketId, run.exchangeTimeMs);
  // A list may be older than it says: what moved the position is not in it then, and the liquidation goes on waiting.
  if (!intake.takeovers.liquidations.isWaiting(marketId, run.startedAtMs - LISTED_WITHIN_MS))
    return [];
  if (
    intake.streamed.isApart(marketId, nowMs) &&
    !intake.takeovers.liquidations.isOverdue(marketId, nowMs)
  )
    return [];
  return [intake.liquidated(marketId, 0, nowMs)];
}

/**
 * A liquidation that was reported, and the position that it left on the stream, where nothing else can be in that: it is counted without waiting for REST,
 * which may be slow. Empty where the stream leaves it open.
 */
export function liquidatedOnStream(
  intake: Intake,
  marketId: MarketId,
  nowMs: Ms,
): readonly AccountChange[] {
  const { takeovers, streamed, rests } = intake;
  const sinceMs = takeovers.liquidations.waitingSinceMs(marketId);
  const moved = sinceMs === undefined ? undefined : streamed.movedLots(marketId, sinceMs, nowMs);
  // One that moved nothing may be older than the liquidation.
  if (moved === undefined || moved === 0) return [];
  const restPaper = streamed.restPaper(marketId);
  const movedExactly = moved + rests.inLots(marketId, restPaper - rests.of(marketId));
  if (
    takeovers.liquidations.offMark(marketId, movedExactly, intake.lotValue(marketId)) === undefined
  )
    return [];
  const change = intake.liquidated(marketId, moved, nowMs);
  intake.rest(marketId, restPaper);
  return [change];
}

/**
 * How far liquidations that the exchange has told, and nobody has said, have moved its position, signed; undefined where none explains
 * the difference. What it lacks of takeovers that were said is left out of it. Where several moves may be, they wait to be said; after a while the one
 * whose price is the nearest to the mark counts.
 */
export function liquidatedLots(
  intake: Intake,
  marketId: MarketId,
  { ours, theirs, restPaper }: ComparedPosition,
  nowMs: Ms,
): Lots | "open" | undefined {
  const value = intake.lotValue(marketId);
  const moves: { readonly moved: Lots; readonly off: number }[] = [];
  for (const untold of intake.takeovers.untoldLots(marketId, nowMs)) {
    const moved = theirs - (ours - untold);
    const off = intake.takeovers.liquidations.offMark(
      marketId,
      moved + intake.rests.inLots(marketId, restPaper - intake.rests.of(marketId)),
      value,
    );
    if (off !== undefined) moves.push({ moved, off });
  }
  if (moves.length > 1 && !intake.takeovers.liquidations.isOverdue(marketId, nowMs)) return "open";
  return moves.sort((one, other) => one.off - other.off)[0]?.moved;
}
