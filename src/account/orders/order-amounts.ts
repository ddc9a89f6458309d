import type { Lots } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { OrderAmounts } from "./order.js";

/**
 * The exchange's final statuses: nothing of the order is available any more
 * (docs/reference/protocol.md#order-statuses).
 */
export const FINAL_STATUSES: ReadonlySet<string> = new Set([
  "FILLED",
  "CANCELED",
  "EXPIRED",
  "FAILED",
]);

/** The lots of an order as reported, rounded up if the order was placed off the market's step. */
export function toWholeLots({ lots }: Pick<VenueOrder, "lots">): Lots {
  return Math.ceil(lots);
}

/**
 * The amounts of a report, summing to the order's lots; undefined if they are impossible. The part
 * that the report leaves out is still available. Under a final status it went where that status
 * says. An order cannot be both final and open, and a maker may act on the status.
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

/**
 * Rounding errors of summed fractions of lots are far smaller, and no order trades a smaller
 * fraction.
 */
const ROUNDING = 1e-6;

/**
 * The amounts of an order off the market's step, in whole lots. The part that may still fill is
 * rounded up, so that the worst case includes the order and does not understate it. The other parts
 * are rounded down, so that they only grow. The trades show the exact fills.
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
 * The later of two states of one order, in whatever order they were received. Lots move from
 * available to pending, cancelled or expired, and from pending to filled or failed. Every part
 * except pending therefore moves one way: the later state has the larger value in each, and pending
 * is the remainder. All reports, in any order and repeated any number of times, give the last
 * state. If two reports contradict each other, the fill wins.
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

/** Returns true if two amounts are equal in every part. */
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

/**
 * Returns true if a report has exactly the known amounts of an order, with no remainder that its
 * status would have to explain.
 */
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
