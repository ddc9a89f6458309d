import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { AccountChange } from "../account-change.js";
import type { AccountUpdater } from "../account-updater.js";
import type { PositionComparison } from "./compare-position.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** How long the exchange's lists may be behind its stream. */
const LISTED_WITHIN_MS: Ms = 5_000;

/**
 * Our position and the exchange's are the same: what was taken over is told. A liquidation that it told and that moved no position is
 * money alone.
 */
export function confirmAgreedPosition(
  run: ReconcileRun,
  marketId: MarketId,
  { isLagging, isFollowed, restPaper }: PositionComparison,
  nowMs: Ms,
): readonly AccountChange[] {
  const { updater: intake } = run;
  // With changes in between, the answer may be of a moment before the takeover.
  const isSteady = intake.trades.positionHistory(marketId).length === 1;
  if (isSteady && isFollowed) intake.takeovers.settleReverts(marketId);
  if (isLagging) return [];
  intake.setSubLotBalance(marketId, restPaper);
  if (isSteady) intake.takeovers.onPositionAgreed(marketId, run.exchangeTimeMs);
  // A list may be older than it says: what moved the position is not in it then, and the liquidation goes on waiting.
  if (!intake.takeovers.liquidations.isWaiting(marketId, run.startedAtMs - LISTED_WITHIN_MS))
    return [];
  if (
    intake.streamed.hasMismatch(marketId, nowMs) &&
    !intake.takeovers.liquidations.isOverdue(marketId, nowMs)
  )
    return [];
  return [intake.applyLiquidation(marketId, 0, nowMs)];
}

/**
 * A liquidation that was reported, and the position that it left on the stream, where nothing else can be in that: it is counted without waiting for REST,
 * which may be slow. Empty where the stream leaves it open.
 */
export function applyStreamedLiquidation(
  intake: AccountUpdater,
  marketId: MarketId,
  nowMs: Ms,
): readonly AccountChange[] {
  const { takeovers, streamed, subLotBalances: rests } = intake;
  const sinceMs = takeovers.liquidations.waitingSinceMs(marketId);
  const moved = sinceMs === undefined ? undefined : streamed.movedLots(marketId, sinceMs, nowMs);
  // One that moved nothing may be older than the liquidation.
  if (moved === undefined || moved === 0) return [];
  const restPaper = streamed.restPaper(marketId);
  const movedExactly = moved + rests.toLots(marketId, restPaper - rests.get(marketId));
  if (
    takeovers.liquidations.offMark(marketId, movedExactly, intake.lotValue(marketId)) === undefined
  )
    return [];
  const change = intake.applyLiquidation(marketId, moved, nowMs);
  intake.setSubLotBalance(marketId, restPaper);
  return [change];
}

/**
 * How far liquidations that the exchange has told, and nobody has said, have moved its position, signed; undefined where none explains
 * the difference. What it lacks of takeovers that were said is left out of it. Where several moves may be, they wait to be said; after a while the one
 * whose price is the nearest to the mark counts.
 */
export function explainByLiquidations(
  intake: AccountUpdater,
  marketId: MarketId,
  { ours, theirs, restPaper }: PositionComparison,
  nowMs: Ms,
): Lots | "open" | undefined {
  const value = intake.lotValue(marketId);
  const moves: { readonly moved: Lots; readonly off: number }[] = [];
  for (const untold of intake.takeovers.unreportedLots(marketId, nowMs)) {
    const moved = theirs - (ours - untold);
    const off = intake.takeovers.liquidations.offMark(
      marketId,
      moved +
        intake.subLotBalances.toLots(marketId, restPaper - intake.subLotBalances.get(marketId)),
      value,
    );
    if (off !== undefined) moves.push({ moved, off });
  }
  if (moves.length > 1 && !intake.takeovers.liquidations.isOverdue(marketId, nowMs)) return "open";
  return moves.sort((one, other) => one.off - other.off)[0]?.moved;
}
