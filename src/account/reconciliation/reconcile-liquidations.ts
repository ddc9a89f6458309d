import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { AccountChange } from "../account-change.js";
import type { AccountUpdater } from "../account-updater.js";
import type { PositionComparison } from "./compare-position.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** How long the exchange's lists may lag behind its stream. */
const LISTED_WITHIN_MS: Ms = 5_000;

/**
 * Applies an agreed position: the exchange has reported the takeovers. A reported liquidation that
 * moved no position only changes credit.
 */
export function confirmAgreedPosition(
  run: ReconcileRun,
  marketId: MarketId,
  { isLagging, isFollowed, restPaper }: PositionComparison,
  nowMs: Ms,
): readonly AccountChange[] {
  const { updater } = run;
  // With changes in between, the response may date from before the takeover.
  const isSteady = updater.trades.positionHistory(marketId).length === 1;
  if (isSteady && isFollowed) updater.takeovers.settleReverts(marketId);
  if (isLagging) return [];
  updater.setSubLotBalance(marketId, restPaper);
  if (isSteady) updater.takeovers.onPositionAgreed(marketId, run.exchangeTimeMs);
  // A list may be older than it states. It then lacks the move of the position, and the liquidation
  // stays unexplained.
  if (!updater.takeovers.liquidations.isWaiting(marketId, run.startedAtMs - LISTED_WITHIN_MS))
    return [];
  if (
    updater.streamed.hasMismatch(marketId, nowMs) &&
    !updater.takeovers.liquidations.isOverdue(marketId, nowMs)
  )
    return [];
  return [updater.applyLiquidation(marketId, 0, nowMs)];
}

/**
 * Applies a reported liquidation with the position on the stream, if nothing else can be in that
 * position. It does not wait for REST, which may be slow. Empty if the stream leaves it open.
 */
export function applyStreamedLiquidation(
  intake: AccountUpdater,
  marketId: MarketId,
  nowMs: Ms,
): readonly AccountChange[] {
  const { takeovers, streamed, subLotBalances } = intake;
  const sinceMs = takeovers.liquidations.waitingSinceMs(marketId);
  const moved = sinceMs === undefined ? undefined : streamed.movedLots(marketId, sinceMs, nowMs);
  // A position that has not moved may be older than the liquidation.
  if (moved === undefined || moved === 0) return [];
  const restPaper = streamed.restPaper(marketId);
  const movedExactly =
    moved + subLotBalances.toLots(marketId, restPaper - subLotBalances.get(marketId));
  if (
    takeovers.liquidations.offMark(marketId, movedExactly, intake.lotValue(marketId)) === undefined
  )
    return [];
  const change = intake.applyLiquidation(marketId, moved, nowMs);
  intake.setSubLotBalance(marketId, restPaper);
  return [change];
}

/**
 * The lots, signed, by which reported liquidations without a recorded takeover have moved the
 * exchange's position. Undefined if none explains the difference. Recorded takeovers that the
 * exchange lacks are excluded. If several moves are possible, the liquidations await their
 * takeovers. After a while the move whose price is nearest to the mark counts.
 */
export function explainByLiquidations(
  intake: AccountUpdater,
  marketId: MarketId,
  { ours, theirs, restPaper }: PositionComparison,
  nowMs: Ms,
): Lots | "open" | undefined {
  const value = intake.lotValue(marketId);
  const moves: { readonly moved: Lots; readonly off: number }[] = [];
  for (const unreported of intake.takeovers.unreportedLots(marketId, nowMs)) {
    const moved = theirs - (ours - unreported);
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
