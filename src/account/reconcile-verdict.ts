import type { Hex, Int64Id, Lots, MarketId, Ms } from "../core/units.js";
import type { AccountChange, Difference, ReconcileResult } from "./changes.js";
import { type ComparedPosition, comparedPosition, noteCounting } from "./compared-position.js";
import type { Intake } from "./intake.js";
import type { OwnOrder } from "./order.js";
import { agreed, liquidatedLots } from "./reconcile-liquidations.js";
import { countedPosition, type ReconcileRun } from "./reconcile-run.js";

/** What the verdicts of one reconciliation leave for the next one. */
export class ReconcileMemory {
  /** How many reconciliations in a row have found an order neither open nor in the history. */
  readonly nowhere = new Map<Hex | Int64Id, number>();
  /** Position differences as last seen, and how often in a row. */
  readonly positions = new Map<MarketId, { readonly off: Lots; readonly version: number; readonly times: number }>();

  /**
   * Whether a position difference that was seen now is real: it has stood twice with no change of ours in between, or several times amid trades,
   * each time with those known that the position has.
   */
  isReal(marketId: MarketId, { ours, theirs, isExact }: ComparedPosition, version: number): boolean {
    const off = theirs - ours;
    const before = this.positions.get(marketId);
    const stood = before?.off === off ? before : undefined;
    const times = isExact ? (stood?.times ?? 0) + 1 : 0;
    this.positions.set(marketId, { off, version, times });
    return stood?.version === version || times >= CONFIRMING_LOOKS;
  }
}

/** Amid trades, a difference may stand twice by chance. */
const CONFIRMING_LOOKS = 4;

/** The result of a reconciliation, the changes it makes, and whether a position must be looked at again soon. */
export interface Verdict {
  readonly result: ReconcileResult;
  readonly changes: readonly AccountChange[];
  readonly recheck: boolean;
}

/** Judges what a finished run has collected (design, rule 6). */
export function judge(run: ReconcileRun, intake: Intake, memory: ReconcileMemory, markets: readonly MarketId[], nowMs: Ms): Verdict {
  const changes: AccountChange[] = [];
  const differences: Difference[] = [...run.differences];
  const explained = new Set<MarketId>();
  let recheck = false;
  for (const marketId of markets) {
    if (!intake.trades.isBased(marketId)) {
      const [base] = run.bases.get(marketId)?.possible ?? [];
      const traded = intake.trades.tradedLots(marketId, "BUY") - intake.trades.tradedLots(marketId, "SELL");
      if (base !== undefined) {
        changes.push(...intake.base(marketId, base + traded, run.exchangeTimeMs, countedPosition(run, marketId)?.restPaper));
      }
      explained.add(marketId);
      continue;
    }
    noteCounting(run, intake, marketId, nowMs);
    const compared = comparedPosition(run, intake, marketId, nowMs);
    if (compared === undefined) {
      recheck = true;
    } else if (compared.ours === compared.theirs) {
      memory.positions.delete(marketId);
      if (!compared.isUnsettled) explained.add(marketId);
      changes.push(...agreed(run, intake, marketId, compared, nowMs));
      if (compared.isLagging) recheck = true;
    } else if (intake.takeovers.isHeardSince(marketId, run.count?.liquidationsHeard ?? 0)) {
      recheck = true;
    } else {
      const liquidated = liquidatedLots(intake, marketId, compared, nowMs);
      if (liquidated === "open") {
        recheck = true;
        continue;
      }
      if (liquidated !== undefined) {
        memory.positions.delete(marketId);
        changes.push(intake.liquidated(marketId, liquidated, nowMs));
        intake.rest(marketId, compared.restPaper);
        recheck = true;
        continue;
      }
      if (memory.isReal(marketId, compared, intake.trades.version(marketId))) {
        memory.positions.delete(marketId);
        changes.push(intake.correct(marketId, compared.theirs, nowMs));
        intake.rest(marketId, compared.restPaper);
      } else {
        const { ours, theirs } = compared;
        differences.push({ kind: "position", marketId, subject: marketId, ours: `${ours} lots`, theirs: `${theirs} lots` });
        recheck = true;
      }
    }
  }

  const mayBeDead = (order: OwnOrder): boolean =>
    explained.has(order.marketId) &&
    !run.incompleteHistory.has(order.marketId) &&
    intake.unexplained.orphanLots(order.marketId, order.side) === 0;
  for (const hash of run.deadlines) {
    const order = intake.orders.get(hash);
    if (order === undefined || (order.place !== "unknown" && order.place !== "sent")) continue;
    if (mayBeDead(order)) changes.push(...intake.orders.apply(hash, { kind: "lost", atMs: nowMs }));
  }
  const nowhere = new Set<Hex | Int64Id>();
  for (const hash of run.missing) {
    const order = intake.orders.get(hash);
    if (order === undefined || order.place !== "seen" || order.finalAtMs !== undefined) continue;
    nowhere.add(hash);
    const times = (memory.nowhere.get(hash) ?? 0) + 1;
    memory.nowhere.set(hash, times);
    if (times === 1) {
      // Its last match may still be on its way by the stream.
      const ours = `${order.phase}, ${order.availableLots} lots available`;
      const theirs = "neither open nor in the history";
      intake.suspect(hash, nowMs, { kind: "order-missing", marketId: order.marketId, subject: hash, ours, theirs });
    } else if (mayBeDead(order)) {
      changes.push(...intake.orders.apply(hash, { kind: "lost", atMs: nowMs }));
    }
  }
  for (const id of run.foreignMissing) {
    const order = intake.orders.foreignById(id);
    if (order === undefined || order.availableLots === 0) continue;
    nowhere.add(id);
    const times = (memory.nowhere.get(id) ?? 0) + 1;
    memory.nowhere.set(id, times);
    if (times > 1) intake.orders.foreignVanished(id, nowMs);
  }
  for (const key of memory.nowhere.keys()) if (!nowhere.has(key)) memory.nowhere.delete(key);
  if (nowhere.size > 0) recheck = true;
  for (const marketId of markets) if (intake.unexplained.review(marketId)) recheck = true;

  const resolved = run.unknownAtStart.flatMap((hash) => {
    const order = intake.orders.get(hash);
    return order === undefined || order.place === "unknown" ? [] : [{ hash, to: order.phase }];
  });
  const stillUnknown = intake.orders
    .unresolved()
    .filter((order) => order.place === "unknown")
    .map((order) => order.hash);
  const result: ReconcileResult = {
    cause: run.cause,
    startedAtMs: run.startedAtMs,
    finishedAtMs: nowMs,
    exchangeTimeMs: run.exchangeTimeMs,
    differences,
    adopted: run.adopted,
    resolved,
    stillUnknown,
  };
  for (const difference of differences) changes.push({ kind: "difference", difference });
  changes.push({ kind: "reconciled", result });
  return { result, changes, recheck };
}
