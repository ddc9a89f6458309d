import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** A position in our books and at the exchange. */
export interface PositionComparison {
  readonly ours: Lots;
  readonly theirs: Lots;
  /**
   * True if they differ by takeovers that the exchange has not reported, or by unsettled trades.
   * They are then given as equal.
   */
  readonly isLagging: boolean;
  /** True if no reverted takeover is part of the difference. */
  readonly isFollowed: boolean;
  /**
   * True if trades are part of the difference. An order with an unknown outcome may explain it just
   * as well, by chance.
   */
  readonly isUnsettled: boolean;
  /** True if it is known which trades `theirs` includes. */
  readonly isExact: boolean;
  /** Signed sub-lot balance that the exchange holds beyond `theirs`, in units of paper. */
  readonly restPaper: bigint;
}

/**
 * Compares a market's position at the exchange with ours. Without trades in between, the two are
 * compared directly. With trades, they agree if the response equals our position at any moment
 * since the query.
 *
 * The exchange may not include takeovers on the chain yet, nor trades until they settle: the
 * specification does not say which. The move by a liquidation is the difference that remains after
 * all of those trades. An unexplained liquidation therefore waits until it is known which trades
 * the position includes. Undefined: no statement is possible.
 */
export function comparePosition(
  run: ReconcileRun,
  marketId: MarketId,
  nowMs: Ms,
): PositionComparison | undefined {
  const { updater } = run;
  const { trades, takeovers } = updater;
  const trail = trades.positionHistory(marketId);
  const counted = run.countedPosition(marketId);
  if (counted === undefined || trail.length === 0) return undefined;
  const { lots: theirs, restPaper } = updater.subLotBalances.splitByLots(marketId, counted);
  const base = trades.baseLots(marketId);
  const beyond = new Set(trail.map((changed) => base + changed - theirs));
  const unreported = takeovers.unreportedLots(marketId, nowMs);
  const certain = takeovers.certainlyUnreportedLots(marketId, nowMs);
  const known = trail.length === 1 ? lackingLots(run, marketId, nowMs) : undefined;
  const isExact = known !== undefined;
  /**
   * Equal, if unreported takeovers and `unsettled` of our trades are all that the exchange lacks.
   */
  const equalBut = (unsettled: Lots): PositionComparison | undefined => {
    const lacking = unreported.map((lots) => lots + unsettled).find((lots) => beyond.has(lots));
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
  // The exchange lacks a fraction of lots. It can only be seen if it lacks nothing.
  if (trades.isRestUnsettled(marketId))
    return restPaper === updater.subLotBalances.get(marketId) ? equalBut(0) : undefined;
  if (takeovers.liquidations.isWaiting(marketId))
    return known === undefined ? undefined : (equalBut(known) ?? apart(known));
  for (const unsettled of trades.unsettledLots(marketId)) {
    const equal = equalBut(unsettled);
    if (equal !== undefined) return equal;
  }
  return trail.length === 1 ? apart(known ?? 0) : undefined;
}

/**
 * Records evidence for the counting mode from a position that includes, or lacks, the unsettled
 * trades.
 */
export function updateCountingMode(run: ReconcileRun, marketId: MarketId, nowMs: Ms): void {
  const { trades, takeovers, countingMode, subLotBalances } = run.updater;
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
  const lacking =
    trades.positionLots(marketId) - subLotBalances.splitByLots(marketId, counted).lots;
  if (lacking === 0) countingMode.addEvidence("match");
  else if (lacking === open.lots) countingMode.addEvidence("settlement");
}

/**
 * The lots of our trades that the counted position lacks, with nothing in between, by the counting
 * mode; undefined if that is unknown. A liquidation that has waited too long for trades that never
 * settle is treated as if the position included them.
 */
function lackingLots(run: ReconcileRun, marketId: MarketId, nowMs: Ms): Lots | undefined {
  const { countingMode, trades, takeovers } = run.updater;
  if (countingMode.from === "match") return 0;
  const open = trades.open(marketId);
  if (open === undefined || open.lots === 0) return open?.lots;
  if (countingMode.from === "settlement" && open.sinceMs >= run.settlingSinceMs(nowMs))
    return open.lots;
  return takeovers.liquidations.isOverdue(marketId, nowMs) ? 0 : undefined;
}

/**
 * Required number of counts. Amid trades reported out of order, a wrong opening position may remain
 * by chance.
 */
const CONFIRMING_COUNTS = 4;

/**
 * Infers the opening position of a market that has none: the counted position less the trades
 * before it. Trades in between and unsettled trades (see `comparePosition`) give several candidates
 * per count. Two counts or more leave the one that is common to all.
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
  // A stalled chain must not keep a bot from starting. Trades that it has not settled by then are
  // taken as part of the position.
  const lacking = trades.unsettledLots(marketId, run.settlingSinceMs(nowMs));
  const possible = new Set(
    lacking.flatMap((lots) => trail.map((traded) => theirs - traded + lots)),
  );
  const before = run.bases.get(marketId);
  const common = new Set(
    [...possible].filter((base) => before === undefined || before.possible.has(base)),
  );
  // No common candidate: the moments were not reported in their true order. Counting starts again.
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
