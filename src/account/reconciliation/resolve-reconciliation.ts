import type { Hex, Int64Id, Lots, MarketId, Ms } from "../../core/units.js";
import type { AccountChange, ReconcileResult } from "../account-change.js";
import type { OwnOrder } from "../orders/order.js";
import {
  comparePosition,
  type PositionComparison,
  updateCountingMode,
} from "./compare-position.js";
import { confirmAgreedPosition, explainByLiquidations } from "./reconcile-liquidations.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** State that one reconciliation keeps for the next one. */
export class ReconcileMemory {
  /** Number of consecutive reconciliations that found an order neither open nor in the history. */
  readonly missingCounts = new Map<Hex | Int64Id, number>();
  /** The last position differences, and how often each was seen in a row. */
  readonly positions = new Map<
    MarketId,
    { readonly off: Lots; readonly version: number; readonly times: number }
  >();

  /**
   * Returns true if the last report of the exchange's position differed from ours and nothing has
   * explained it since.
   */
  hasMismatch(marketId: MarketId): boolean {
    return this.positions.has(marketId);
  }

  /**
   * Returns true if a position difference is real. It was seen twice with no change of ours in
   * between. Amid trades it was seen several times, each time with known trades in the position.
   */
  isReal(
    marketId: MarketId,
    { ours, theirs, isExact }: PositionComparison,
    version: number,
  ): boolean {
    const off = theirs - ours;
    const before = this.positions.get(marketId);
    const stood = before?.off === off ? before : undefined;
    const times = isExact ? (stood?.times ?? 0) + 1 : 0;
    this.positions.set(marketId, { off, version, times });
    return stood?.version === version || times >= REQUIRED_CONFIRMATIONS;
  }
}

/** Amid trades, the same difference may be seen twice by chance. */
const REQUIRED_CONFIRMATIONS = 4;

/** The changes that a reconciliation makes. `recheck`: another one is needed soon. */
export interface ReconcileDecision {
  readonly changes: readonly AccountChange[];
  readonly recheck: boolean;
}

/** Evaluates the results of a finished run (docs/ideas/reconciliation.md). */
export function resolveReconciliation(
  run: ReconcileRun,
  memory: ReconcileMemory,
  nowMs: Ms,
): ReconcileDecision {
  const { markets, updater } = run.options;
  const changes: AccountChange[] = [];
  const explained = new Set<MarketId>();
  let recheck = false;
  for (const marketId of markets) {
    const found = resolvePosition(run, memory, marketId, nowMs);
    changes.push(...found.changes);
    if (found.isExplained) explained.add(marketId);
    if (found.recheck) recheck = true;
  }
  const missing = resolveMissingOrders(run, memory, explained, nowMs);
  changes.push(...missing.changes);
  if (missing.recheck) recheck = true;
  for (const marketId of markets) if (updater.fillMatcher.reviewGaps(marketId)) recheck = true;
  for (const difference of run.differences) changes.push({ kind: "difference", difference });
  changes.push({ kind: "reconciled", result: resultOf(run, nowMs) });
  return { changes, recheck };
}

interface PositionDecision extends ReconcileDecision {
  /** False if an order with an unknown outcome may be the cause of an open difference. */
  readonly isExplained: boolean;
}

function resolvePosition(
  run: ReconcileRun,
  memory: ReconcileMemory,
  marketId: MarketId,
  nowMs: Ms,
): PositionDecision {
  const { updater } = run;
  const { trades, takeovers } = updater;
  if (!trades.hasBase(marketId))
    return { changes: setOpeningPosition(run, marketId), recheck: false, isExplained: true };
  updateCountingMode(run, marketId, nowMs);
  const compared = comparePosition(run, marketId, nowMs);
  if (compared === undefined) return OPEN;
  const { ours, theirs } = compared;
  if (ours === theirs) {
    memory.positions.delete(marketId);
    const changes = confirmAgreedPosition(run, marketId, compared, nowMs);
    const recheck =
      compared.isLagging ||
      takeovers.liquidations.isWaiting(marketId) ||
      takeovers.isRevertPending(marketId);
    return { changes, recheck, isExplained: !compared.isUnsettled };
  }
  if (takeovers.liquidations.isReportedSince(marketId, run.count?.liquidationReports ?? 0))
    return OPEN;
  const liquidated = explainByLiquidations(updater, marketId, compared, nowMs);
  if (liquidated === "open") return OPEN;
  if (liquidated === undefined && !memory.isReal(marketId, compared, trades.version(marketId))) {
    run.differences.push({
      kind: "position",
      marketId,
      subject: marketId,
      ours: `${ours} lots`,
      theirs: `${theirs} lots`,
    });
    return OPEN;
  }
  memory.positions.delete(marketId);
  const change =
    liquidated === undefined
      ? updater.correctPosition(marketId, theirs, nowMs)
      : updater.applyLiquidation(marketId, liquidated, nowMs);
  updater.setSubLotBalance(marketId, compared.restPaper);
  return { changes: [change], recheck: liquidated !== undefined, isExplained: false };
}

/** The position, or the cause of its move, is undecided until the next reconciliation. */
const OPEN: PositionDecision = { changes: [], recheck: true, isExplained: false };

/** Sets the opening position of a market from the run's result, if it has one. */
function setOpeningPosition(run: ReconcileRun, marketId: MarketId): readonly AccountChange[] {
  const { updater } = run;
  const [base] = run.bases.get(marketId)?.possible ?? [];
  if (base === undefined) return [];
  const traded =
    updater.trades.tradedLots(marketId, "BUY") - updater.trades.tradedLots(marketId, "SELL");
  return updater.setBase(
    marketId,
    base + traded,
    run.exchangeTimeMs,
    run.countedPosition(marketId)?.restPaper,
  );
}

/**
 * Resolves orders that the exchange should have reported and has not. An order is lost if no known
 * event may belong to it, after one further query.
 */
function resolveMissingOrders(
  run: ReconcileRun,
  memory: ReconcileMemory,
  explained: ReadonlySet<MarketId>,
  nowMs: Ms,
): ReconcileDecision {
  const { updater } = run;
  const changes: AccountChange[] = [];
  const mayBeDead = (order: OwnOrder): boolean =>
    explained.has(order.marketId) &&
    !run.incompleteHistory.has(order.marketId) &&
    updater.fillMatcher.orphanLots(order.marketId, order.side) === 0;
  for (const hash of run.overdueUnknown) {
    const order = updater.orders.get(hash);
    if (order === undefined || (order.place !== "unknown" && order.place !== "sent")) continue;
    if (mayBeDead(order))
      changes.push(...updater.orders.apply(hash, { kind: "lost", atMs: nowMs }));
  }
  const nowhere = new Set<Hex | Int64Id>();
  for (const hash of run.missing) {
    const order = updater.orders.get(hash);
    if (order === undefined || order.place !== "seen" || order.finalAtMs !== undefined) continue;
    nowhere.add(hash);
    const times = (memory.missingCounts.get(hash) ?? 0) + 1;
    memory.missingCounts.set(hash, times);
    if (times === 1) {
      // Its last match may still arrive on the stream.
      const ours = `${order.phase}, ${order.availableLots} lots available`;
      const theirs = "neither open nor in the history";
      updater.addPendingDiscrepancy(hash, nowMs, {
        kind: "order-missing",
        marketId: order.marketId,
        subject: hash,
        ours,
        theirs,
      });
    } else if (mayBeDead(order)) {
      changes.push(...updater.orders.apply(hash, { kind: "lost", atMs: nowMs }));
    }
  }
  for (const id of run.foreignMissing) {
    const order = updater.orders.foreignById(id);
    if (order === undefined || order.availableLots === 0) continue;
    nowhere.add(id);
    const times = (memory.missingCounts.get(id) ?? 0) + 1;
    memory.missingCounts.set(id, times);
    if (times > 1) updater.orders.foreignVanished(id, nowMs);
  }
  for (const key of memory.missingCounts.keys())
    if (!nowhere.has(key)) memory.missingCounts.delete(key);
  return { changes, recheck: nowhere.size > 0 };
}

function resultOf(run: ReconcileRun, nowMs: Ms): ReconcileResult {
  const { updater, differences } = run;
  const resolved = run.unknownAtStart.flatMap((hash) => {
    const order = updater.orders.get(hash);
    return order === undefined || order.place === "unknown" ? [] : [{ hash, to: order.phase }];
  });
  const stillUnknown = updater.orders
    .unresolved()
    .filter((order) => order.place === "unknown")
    .map((order) => order.hash);
  return {
    cause: run.cause,
    startedAtMs: run.startedAtMs,
    finishedAtMs: nowMs,
    exchangeTimeMs: run.exchangeTimeMs,
    differences,
    adopted: run.adopted,
    resolved,
    stillUnknown,
  };
}
