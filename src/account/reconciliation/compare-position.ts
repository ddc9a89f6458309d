import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** A position by us and by the exchange. */
export interface PositionComparison {
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
export function comparePosition(
  run: ReconcileRun,
  marketId: MarketId,
  nowMs: Ms,
): PositionComparison | undefined {
  const { updater: intake } = run;
  const { trades, takeovers } = intake;
  const trail = trades.positionHistory(marketId);
  const counted = run.countedPosition(marketId);
  if (counted === undefined || trail.length === 0) return undefined;
  const { lots: theirs, restPaper } = intake.subLotBalances.splitByLots(marketId, counted);
  const base = trades.baseLots(marketId);
  const beyond = new Set(trail.map((changed) => base + changed - theirs));
  const untold = takeovers.unreportedLots(marketId, nowMs);
  const certain = takeovers.certainlyUnreportedLots(marketId, nowMs);
  const known = trail.length === 1 ? lackingLots(run, marketId, nowMs) : undefined;
  const isExact = known !== undefined;
  /** As equal, where takeovers that are not told, and `unsettled` of our trades, are all that the exchange lacks. */
  const equalBut = (unsettled: Lots): PositionComparison | undefined => {
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
  const apart = (unsettled: Lots): PositionComparison => {
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
    return restPaper === intake.subLotBalances.get(marketId) ? equalBut(0) : undefined;
  if (takeovers.liquidations.isWaiting(marketId))
    return known === undefined ? undefined : (equalBut(known) ?? apart(known));
  for (const unsettled of trades.unsettledLots(marketId)) {
    const equal = equalBut(unsettled);
    if (equal !== undefined) return equal;
  }
  return trail.length === 1 ? apart(known ?? 0) : undefined;
}

/** A position that has, or lacks, the trades that have not settled shows which of the two the exchange's are. */
export function updateCountingMode(run: ReconcileRun, marketId: MarketId, nowMs: Ms): void {
  const { trades, takeovers, countingMode: counting, subLotBalances: rests } = run.updater;
  const counted = run.countedPosition(marketId);
  const isMoved =
    takeovers.liquidations.isWaiting(marketId) ||
    takeovers.unreportedLots(marketId, nowMs).length > 1;
  if (
    counted === undefined ||
    isMoved ||
    trades.isRestUnsettled(marketId) ||
    trades.positionHistory(marketId).length !== 1
  )
    return;
  const open = trades.open(marketId);
  if (open === undefined || open.lots === 0 || open.sinceMs < run.settlingSinceMs(nowMs)) return;
  const lacking = trades.positionLots(marketId) - rests.splitByLots(marketId, counted).lots;
  if (lacking === 0) counting.addEvidence("match");
  else if (lacking === open.lots) counting.addEvidence("settlement");
}

/**
 * What the counted position lacks of our trades, with nothing in between, by how the exchange counts them; undefined where that is not known. A
 * liquidation that has waited for too long for trades that nothing settles is told as if it had them.
 */
function lackingLots(run: ReconcileRun, marketId: MarketId, nowMs: Ms): Lots | undefined {
  const { countingMode: counting, trades, takeovers } = run.updater;
  if (counting.from === "match") return 0;
  const open = trades.open(marketId);
  if (open === undefined || open.lots === 0) return open?.lots;
  if (counting.from === "settlement" && open.sinceMs >= run.settlingSinceMs(nowMs))
    return open.lots;
  return takeovers.liquidations.isOverdue(marketId, nowMs) ? 0 : undefined;
}

/**
 * Out of order, a wrong base may be left by chance: amid trades it must stand through so many
 * counts.
 */
const CONFIRMING_COUNTS = 4;

/**
 * The base of a market that has none yet: the counted position less the trades before it. Trades in
 * between, and trades that have not settled (`comparePosition` says why), each give a base that
 * may be; two counts or more leave the one that is in all.
 */
export function inferOpeningPosition(
  run: ReconcileRun,
  marketId: MarketId,
  nowMs: Ms,
): Lots | undefined {
  const { trades } = run.updater;
  const theirs = run.countedPosition(marketId)?.lots;
  if (theirs === undefined) return undefined;
  const trail = trades.positionHistory(marketId);
  // A chain that stands still must not keep a bot from starting: what it has not settled by then is
  // taken for part of the position.
  const lacking = trades.unsettledLots(marketId, run.settlingSinceMs(nowMs));
  const possible = new Set(
    lacking.flatMap((lots) => trail.map((traded) => theirs - traded + lots)),
  );
  const before = run.bases.get(marketId);
  const common = new Set(
    [...possible].filter((base) => before === undefined || before.possible.has(base)),
  );
  // No base in common: the moments were not told in their true order. Counting begins anew.
  const left =
    common.size === 0
      ? { possible, counts: 1 }
      : { possible: common, counts: (before?.counts ?? 0) + 1 };
  run.bases.set(marketId, left);
  const [base] = left.possible;
  return left.possible.size === 1 && (possible.size === 1 || left.counts >= CONFIRMING_COUNTS)
    ? base
    : undefined;
}
