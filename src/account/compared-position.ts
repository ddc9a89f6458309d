import type { Lots, MarketId, Ms } from "../core/units.js";
import type { Intake } from "./intake.js";
import { countedPosition, type ReconcileRun, settlingSinceMs } from "./reconcile-run.js";

/** A position by us and by the exchange. */
export interface ComparedPosition {
  readonly ours: Lots;
  readonly theirs: Lots;
  /** They differ by takeovers that the exchange has not told yet, or by trades that have not settled, and are given as equal. */
  readonly isLagging: boolean;
  /** No takeover that was taken back is among what they differ by. */
  readonly isFollowed: boolean;
  /** Trades are among what they differ by: an order whose fate is unknown may be what does, by chance just as much. */
  readonly isUnsettled: boolean;
  /** It is known which trades `theirs` has. */
  readonly isExact: boolean;
  /** What the exchange holds beyond `theirs`, signed, in units of paper: less than a lot. */
  readonly restPaper: bigint;
}

/**
 * A market's position by the exchange and by us. With no trade in between they are held against each other; with some,
 * they agree if the answer is what we had at any moment since the question. The exchange may still lack what was taken over on the chain, and
 * trades until they settle: the specification does not say which of the two a position is of. What a liquidation has moved it by is what is
 * left beside all of those trades, so that one that waits to be explained has to wait until it is known which of them the position has.
 * Undefined: nothing can be said.
 */
export function comparedPosition(
  run: ReconcileRun,
  intake: Intake,
  marketId: MarketId,
  nowMs: Ms,
): ComparedPosition | undefined {
  const { trades, takeovers } = intake;
  const trail = trades.trail(marketId);
  const counted = countedPosition(run, marketId);
  if (counted === undefined || trail.length === 0) return undefined;
  const { lots: theirs, restPaper } = intake.rests.onOurGrid(marketId, counted);
  const base = trades.baseLots(marketId);
  const beyond = new Set(trail.map((changed) => base + changed - theirs));
  const untold = takeovers.untoldLots(marketId, nowMs);
  const certain = takeovers.untoldForCertain(marketId, nowMs);
  const known = trail.length === 1 ? lackingLots(run, intake, marketId, nowMs) : undefined;
  const isExact = known !== undefined;
  /** As equal, where takeovers that are not told, and `unsettled` of our trades, are all that the exchange lacks. */
  const equalBut = (unsettled: Lots): ComparedPosition | undefined => {
    const lacking = untold.map((lots) => lots + unsettled).find((lots) => beyond.has(lots));
    if (lacking === undefined) return undefined;
    const isFollowed = certain.includes(lacking - unsettled);
    return {
      ours: theirs,
      theirs,
      isLagging: lacking !== 0,
      isFollowed,
      isUnsettled: unsettled !== 0,
      isExact,
      restPaper,
    };
  };
  const apart = (unsettled: Lots): ComparedPosition => {
    const ours = trades.positionLots(marketId);
    return {
      ours,
      theirs: theirs + unsettled,
      isLagging: false,
      isFollowed: false,
      isUnsettled: false,
      isExact,
      restPaper,
    };
  };
  // What the exchange lacks of them is no number of lots: only that it lacks nothing can be seen.
  if (trades.isRestUnsettled(marketId))
    return restPaper === intake.rests.of(marketId) ? equalBut(0) : undefined;
  if (takeovers.liquidations.isWaiting(marketId))
    return known === undefined ? undefined : (equalBut(known) ?? apart(known));
  for (const unsettled of trades.unsettledLots(marketId)) {
    const equal = equalBut(unsettled);
    if (equal !== undefined) return equal;
  }
  return trail.length === 1 ? apart(known ?? 0) : undefined;
}

/** A position that has, or lacks, the trades that have not settled shows which of the two the exchange's are. */
export function noteCounting(
  run: ReconcileRun,
  intake: Intake,
  marketId: MarketId,
  nowMs: Ms,
): void {
  const { trades, takeovers, counting } = intake;
  const counted = countedPosition(run, marketId);
  const isMoved =
    takeovers.liquidations.isWaiting(marketId) || takeovers.untoldLots(marketId, nowMs).length > 1;
  if (
    counted === undefined ||
    isMoved ||
    trades.isRestUnsettled(marketId) ||
    trades.trail(marketId).length !== 1
  )
    return;
  const open = trades.open(marketId);
  if (open === undefined || open.lots === 0 || open.sinceMs < settlingSinceMs(run, nowMs)) return;
  const lacking = trades.positionLots(marketId) - intake.rests.onOurGrid(marketId, counted).lots;
  if (lacking === 0) counting.show("match");
  else if (lacking === open.lots) counting.show("settlement");
}

/**
 * What the counted position lacks of our trades, with nothing in between, by how the exchange counts them; undefined where that is not known. A
 * liquidation that has waited for too long for trades that nothing settles is told as if it had them.
 */
function lackingLots(
  run: ReconcileRun,
  { counting, trades, takeovers }: Intake,
  marketId: MarketId,
  nowMs: Ms,
): Lots | undefined {
  if (counting.from === "match") return 0;
  const open = trades.open(marketId);
  if (open === undefined || open.lots === 0) return open?.lots;
  if (counting.from === "settlement" && open.sinceMs >= settlingSinceMs(run, nowMs))
    return open.lots;
  return takeovers.liquidations.isOverdue(marketId, nowMs) ? 0 : undefined;
}
