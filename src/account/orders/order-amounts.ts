import type { Lots } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { OrderAmounts } from "./order.js";

/**
 * The exchange's statuses after which nothing of an order is available
 * (docs/reference/protocol.md#order-statuses).
 */
export const FINAL_STATUSES: ReadonlySet<string> = new Set([
  "FILLED",
  "CANCELED",
  "EXPIRED",
  "FAILED",
]);

/** The lots of an order as told; of one that was placed in other steps, a part of a lot counts as a whole one. */
export function toWholeLots({ lots }: Pick<VenueOrder, "lots">): Lots {
  return Math.ceil(lots);
}

/**
 * The amounts that a report means, summing to the order's lots; undefined when they cannot be true of any order.
 * What the parts leave over is still available, or, under a final status, went where that status says: an order
 * cannot be both final and open, and the status is the statement that a maker may act on.
 */
export function readReportedAmounts(report: VenueOrder): OrderAmounts | undefined {
  const { lots, pendingLots, filledLots, failedLots, canceledLots, expiredLots } = report;
  if (!isAmount(lots) || lots === 0) return amountsBetweenSteps(report);
  if (
    !(
      isAmount(pendingLots) &&
      isAmount(filledLots) &&
      isAmount(failedLots) &&
      isAmount(canceledLots) &&
      isAmount(expiredLots)
    )
  )
    return amountsBetweenSteps(report);
  const rest = lots - pendingLots - filledLots - failedLots - canceledLots - expiredLots;
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

/** Sums of parts of lots are off by far less, and a lot has no smaller part that anybody trades. */
const ROUNDING = 1e-6;

/**
 * The same of an order that was placed in other steps, in whole lots: what may still fill is rounded up, so that the order is neither unseen nor
 * too small in the worst case, and each other part down, so that it only grows. Its trades tell to the unit what it filled.
 */
function amountsBetweenSteps(report: VenueOrder): OrderAmounts | undefined {
  const { lots, pendingLots, filledLots, failedLots, canceledLots, expiredLots } = report;
  const parts = [pendingLots, filledLots, failedLots, canceledLots, expiredLots];
  const available = parts.reduce((left, part) => left - part, lots);
  const areAmounts = [lots, ...parts].every(
    (amount) => amount >= 0 && amount <= Number.MAX_SAFE_INTEGER,
  );
  if (
    !areAmounts ||
    lots === 0 ||
    available < -ROUNDING ||
    [lots, ...parts].every(Number.isInteger)
  )
    return undefined;
  const [pending, filled, failed, canceled, expired] = parts.map(Math.floor) as [
    Lots,
    Lots,
    Lots,
    Lots,
    Lots,
  ];
  const rest = toWholeLots(report) - pending - filled - failed - canceled - expired;
  const isOpen = !FINAL_STATUSES.has(report.status);
  const availableLots = isOpen ? Math.max(0, Math.ceil(available - ROUNDING)) : 0;
  const isMatched = isOpen || report.status === "FILLED";
  return {
    availableLots,
    pendingLots: pending + (isMatched && (isOpen || pendingLots > 0) ? rest - availableLots : 0),
    filledLots: filled + (isMatched && !isOpen && pendingLots === 0 ? rest : 0),
    failedLots: failed + (report.status === "FAILED" ? rest : 0),
    canceledLots: canceled + (report.status === "CANCELED" ? rest : 0),
    expiredLots: expired + (report.status === "EXPIRED" ? rest : 0),
  };
}

function isAmount(lots: Lots): boolean {
  return Number.isSafeInteger(lots) && lots >= 0;
}

/**
 * The later of two states of one order, whichever was told first. Lots only ever move from available to pending,
 * cancelled or expired, and from pending to filled or failed; so every part but pending moves one way, the later
 * state is the larger in each, and pending is what is left. Applied to all reports in any order, any number of
 * times, it gives the last one. Where two reports contradict each other, what has filled wins.
 */
export function joinAmounts(lots: Lots, a: OrderAmounts, b: OrderAmounts): OrderAmounts {
  const filledLots = Math.min(Math.max(a.filledLots, b.filledLots), lots);
  let left = lots - filledLots;
  const failedLots = Math.min(Math.max(a.failedLots, b.failedLots), left);
  left -= failedLots;
  const canceledLots = Math.min(Math.max(a.canceledLots, b.canceledLots), left);
  left -= canceledLots;
  const expiredLots = Math.min(Math.max(a.expiredLots, b.expiredLots), left);
  left -= expiredLots;
  const availableLots = Math.min(a.availableLots, b.availableLots, left);
  return {
    availableLots,
    pendingLots: left - availableLots,
    filledLots,
    failedLots,
    canceledLots,
    expiredLots,
  };
}

/** Whether two amounts are the same in every part. */
export function areSameAmounts(a: OrderAmounts, b: OrderAmounts): boolean {
  return (
    a.availableLots === b.availableLots &&
    a.pendingLots === b.pendingLots &&
    a.filledLots === b.filledLots &&
    a.failedLots === b.failedLots &&
    a.canceledLots === b.canceledLots &&
    a.expiredLots === b.expiredLots
  );
}

/** Whether a report says of an order's amounts just what is known of them, part by part and without a rest that its status would have to explain. */
export function hasKnownAmounts(report: VenueOrder, lots: Lots, known: OrderAmounts): boolean {
  const { pendingLots, filledLots, failedLots, canceledLots, expiredLots } = report;
  return (
    report.lots === lots &&
    pendingLots === known.pendingLots &&
    filledLots === known.filledLots &&
    failedLots === known.failedLots &&
    canceledLots === known.canceledLots &&
    expiredLots === known.expiredLots &&
    (known.availableLots === 0 || !FINAL_STATUSES.has(report.status))
  );
}
