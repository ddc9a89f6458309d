import type { Lots } from "../core/units.js";
import type { VenueOrder } from "../exchange/records.js";
import type { OrderAmounts } from "./order.js";

/** The exchange's statuses after which nothing of an order is available (protocol, section 5). */
export const FINAL_STATUSES: ReadonlySet<string> = new Set(["FILLED", "CANCELED", "EXPIRED", "FAILED"]);

/**
 * The amounts that a report means, summing to the order's lots; undefined when they cannot be true of any order.
 * What the parts leave over is still available, or, under a final status, went where that status says: an order
 * cannot be both final and open, and the status is the statement that a maker may act on.
 */
export function amountsOfReport(report: VenueOrder): OrderAmounts | undefined {
  const { lots, pendingLots, filledLots, failedLots, canceledLots, expiredLots } = report;
  const parts = [pendingLots, filledLots, failedLots, canceledLots, expiredLots];
  if (!Number.isSafeInteger(lots) || lots <= 0 || parts.some((part) => !Number.isSafeInteger(part) || part < 0)) return undefined;
  const rest = lots - parts.reduce((sum, part) => sum + part, 0);
  if (rest < 0) return undefined;
  const status = FINAL_STATUSES.has(report.status) ? report.status : undefined;
  return {
    availableLots: status === undefined ? rest : 0,
    pendingLots: pendingLots + (status === "FILLED" ? rest : 0),
    filledLots,
    failedLots: failedLots + (status === "FAILED" ? rest : 0),
    canceledLots: canceledLots + (status === "CANCELED" ? rest : 0),
    expiredLots: expiredLots + (status === "EXPIRED" ? rest : 0),
  };
}

/**
 * The later of two states of one order, whichever was told first. Lots only ever move from available to pending,
 * cancelled or expired, and from pending to filled or failed; so every part but pending moves one way, the later
 * state is the larger in each, and pending is what is left. Applied to all reports in any order, any number of
 * times, it gives the last one. Where two reports contradict each other, what has filled wins.
 */
export function joinAmounts(lots: Lots, a: OrderAmounts, b: OrderAmounts): OrderAmounts {
  let left = lots;
  const take = (wanted: Lots): Lots => {
    const taken = Math.min(wanted, left);
    left -= taken;
    return taken;
  };
  const filledLots = take(Math.max(a.filledLots, b.filledLots));
  const failedLots = take(Math.max(a.failedLots, b.failedLots));
  const canceledLots = take(Math.max(a.canceledLots, b.canceledLots));
  const expiredLots = take(Math.max(a.expiredLots, b.expiredLots));
  const availableLots = take(Math.min(a.availableLots, b.availableLots));
  return { availableLots, pendingLots: left, filledLots, failedLots, canceledLots, expiredLots };
}

/** Whether two amounts are the same in every part. */
export function sameAmounts(a: OrderAmounts, b: OrderAmounts): boolean {
  return (
    a.availableLots === b.availableLots &&
    a.pendingLots === b.pendingLots &&
    a.filledLots === b.filledLots &&
    a.failedLots === b.failedLots &&
    a.canceledLots === b.canceledLots &&
    a.expiredLots === b.expiredLots
  );
}
