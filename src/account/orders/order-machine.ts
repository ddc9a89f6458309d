import { append } from "../../core/append.js";
import type { Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { ActionId, PlaceAction } from "../../exchange/venue.js";
import {
  type CancelState,
  copyToDraft,
  isFinalPhase,
  type OrderChange,
  type OrderDraft,
  type OrderEvent,
  type OrderPhase,
  type OwnOrder,
  type ReportSource,
} from "./order.js";
import {
  areSameAmounts,
  hasKnownAmounts,
  joinAmounts,
  readReportedAmounts,
  toWholeLots,
} from "./order-amounts.js";

/** An order after an event, and the changes that the event made. */
export interface Advance {
  readonly order: OwnOrder;
  readonly changes: readonly OrderChange[];
}

/** Creates a new order, before it may be sent. */
export function createIntendedOrder(action: PlaceAction, level: number, built: boolean): OwnOrder {
  // Written out in full: spreading an object with so many fields costs more than signing the order.
  return {
    availableLots: action.lots,
    pendingLots: 0,
    filledLots: 0,
    failedLots: 0,
    canceledLots: 0,
    expiredLots: 0,
    sentAtMs: undefined,
    seenAtMs: undefined,
    createdAtMs: undefined,
    orderId: undefined,
    cancel: "none",
    cancelActionId: undefined,
    cancelSentAtMs: undefined,
    cancelAnsweredAtMs: undefined,
    cancelTries: 0,
    matchedLots: 0,
    mayFillLots: action.lots,
    refusalCode: undefined,
    refusalText: undefined,
    finalAtMs: undefined,
    hash: action.hash,
    info: action.order.info,
    marketId: action.marketId,
    side: action.side,
    level,
    ticks: action.ticks,
    lots: action.lots,
    type: action.type,
    timeInForce: action.timeInForce,
    expirationMs: action.expirationMs,
    requestTimestampMs: action.timestampMs,
    place: "intended",
    phase: "intended",
    built,
    adopted: false,
  };
}

/**
 * Creates an order of an earlier run from the exchange's first report of it. Its level is not
 * known. Returns undefined if the report has impossible amounts.
 */
export function createAdoptedOrder(
  report: VenueOrder,
  atMs: Ms,
  built: boolean,
): OwnOrder | undefined {
  const amounts = readReportedAmounts(report);
  if (amounts === undefined) return undefined;
  const order: OrderDraft = {
    ...amounts,
    ...UNREPORTED_FIELDS,
    hash: report.hash,
    info: report.info,
    marketId: report.marketId,
    side: report.side,
    level: -1,
    ticks: report.ticks,
    lots: toWholeLots(report),
    type: report.type,
    timeInForce: report.timeInForce,
    expirationMs: report.expirationMs,
    requestTimestampMs: report.createdAtMs,
    seenAtMs: atMs,
    createdAtMs: report.createdAtMs,
    orderId: report.id,
    place: "seen",
    phase: "open",
    built,
    adopted: true,
  };
  derive(order);
  if (isFinalPhase(order.phase)) order.finalAtMs = atMs;
  return order;
}

/**
 * Applies an event to an order, for every phase and every event in docs/ideas/orders.md. Pure and
 * total. Reports may be late, repeated and in any order. A final order never becomes open again,
 * with one exception: an order that was only presumed dead (rejected, lost or cancel accepted) is
 * revived when the exchange reports it.
 */
export function advance(order: OwnOrder, event: OrderEvent): Advance {
  const found: OrderChange[] = [];
  const next = apply(order, event, found);
  // Fields that the event does not mention stay, derived ones included: they were derived when the
  // order was stored.
  if (next === order) return { order, changes: found };
  derive(next);
  const nowFinal = isFinalPhase(next.phase);
  if (nowFinal !== isFinalPhase(order.phase)) next.finalAtMs = nowFinal ? event.atMs : undefined;
  const notes =
    next.phase === order.phase
      ? found
      : append(found, { change: "phase", from: order.phase, to: next.phase });
  const matched = next.matchedLots + next.failedLots - order.matchedLots - order.failedLots;
  if (matched > 0) notes.push({ change: "matched", lots: matched });
  if (next.filledLots > order.filledLots)
    notes.push({ change: "settled", lots: next.filledLots - order.filledLots });
  if (next.failedLots > order.failedLots)
    notes.push({ change: "settlement-failed", lots: next.failedLots - order.failedLots });
  return { order: next, changes: notes };
}

const UNREPORTED_FIELDS = {
  sentAtMs: undefined,
  seenAtMs: undefined,
  createdAtMs: undefined,
  orderId: undefined,
  cancel: "none",
  cancelActionId: undefined,
  cancelSentAtMs: undefined,
  cancelAnsweredAtMs: undefined,
  cancelTries: 0,
  matchedLots: 0,
  mayFillLots: 0,
  refusalCode: undefined,
  refusalText: undefined,
  finalAtMs: undefined,
} as const;

/** Returns the order itself if the event changes nothing, otherwise a changed copy. */
function apply(order: OwnOrder, event: OrderEvent, notes: OrderChange[]): OrderDraft {
  const undecided =
    order.place === "intended" || order.place === "sent" || order.place === "unknown";
  switch (event.kind) {
    case "sent":
      return order.place === "intended" ? sent(order, event) : order;
    case "withdrawn":
      return undecided
        ? { ...order, place: "rejected", refusalCode: undefined, refusalText: event.text }
        : order;
    case "rejected":
    case "unknown":
      return undecided
        ? {
            ...order,
            place: event.kind,
            refusalCode: event.code ?? order.refusalCode,
            refusalText: event.text,
          }
        : order;
    case "lost":
      return order.place === "intended" || isFinalPhase(order.phase)
        ? order
        : { ...order, place: "lost" };
    case "report":
      return reported(order, event, notes);
    default:
      return isFinalPhase(order.phase) || order.place === "intended"
        ? order
        : cancelStep(order, event);
  }
}

function sent(
  order: OwnOrder,
  { atMs, requestTimestampMs }: Extract<OrderEvent, { kind: "sent" }>,
): OwnOrder {
  const next = copyToDraft(order);
  next.place = "sent";
  next.sentAtMs = atMs;
  next.requestTimestampMs = requestTimestampMs;
  return next;
}

/**
 * Returns true if a report contains nothing new, as most do: the response to a place repeats the
 * stream, and each reconciliation lists finished orders again. Always false for the list of open
 * orders, which may contradict a cancel.
 */
export function isKnownReport(order: OwnOrder, report: VenueOrder, source: ReportSource): boolean {
  return (
    source !== "open-orders" &&
    order.place === "seen" &&
    report.side === order.side &&
    report.marketId === order.marketId &&
    hasKnownAmounts(report, order.lots, order)
  );
}

type CancelEvent = Exclude<
  OrderEvent,
  { kind: "sent" | "withdrawn" | "rejected" | "unknown" | "lost" | "report" }
>;

function cancelStep(order: OwnOrder, event: CancelEvent): OwnOrder {
  switch (event.kind) {
    case "cancel-sent": {
      // Sending the cancel again does not undo a response that the exchange has given.
      const next = withCancel(order, order.cancel === "accepted" ? "accepted" : "asked");
      next.cancelActionId = event.actionId;
      next.cancelSentAtMs = event.atMs;
      next.cancelTries += 1;
      return next;
    }
    case "cancel-accepted":
      return withCancel(order, "accepted", event.atMs);
    case "cancel-rejected":
      return isCancelRequestedBy(order, event.actionId)
        ? withCancel(order, "none", event.atMs)
        : order;
    case "cancel-unknown":
      return isCancelRequestedBy(order, event.actionId) ? withCancel(order, "unknown") : order;
  }
}

/** @param answeredAtMs time of the exchange's response; undefined without one */
function withCancel(order: OwnOrder, cancel: CancelState, answeredAtMs?: Ms): OrderDraft {
  const next = copyToDraft(order);
  next.cancel = cancel;
  if (answeredAtMs !== undefined) next.cancelAnsweredAtMs = answeredAtMs;
  return next;
}

function isCancelRequestedBy(order: OwnOrder, actionId: ActionId): boolean {
  return order.cancel === "asked" && order.cancelActionId === actionId;
}

function reported(
  order: OwnOrder,
  event: Extract<OrderEvent, { kind: "report" }>,
  notes: OrderChange[],
): OwnOrder {
  const report = event.order;
  const amounts = readReportedAmounts(report);
  const wrong = contradiction(order, report, amounts === undefined);
  if (wrong !== undefined) notes.push({ change: "contradiction", text: wrong });
  const known =
    wrong !== undefined || amounts === undefined ? order : joinAmounts(order.lots, order, amounts);
  // Every reconciliation reports known orders again.
  if (order.place === "seen" && areSameAmounts(order, known) && !cancelDisproved(order, event))
    return order;
  if (order.place === "rejected" || order.place === "lost")
    notes.push({ change: "revived", from: order.phase });
  const seen = copyToDraft(order);
  seen.availableLots = known.availableLots;
  seen.pendingLots = known.pendingLots;
  seen.filledLots = known.filledLots;
  seen.failedLots = known.failedLots;
  seen.canceledLots = known.canceledLots;
  seen.expiredLots = known.expiredLots;
  seen.place = "seen";
  seen.seenAtMs ??= event.atMs;
  seen.createdAtMs ??= report.createdAtMs;
  seen.orderId ??= report.id;
  seen.refusalCode = undefined;
  seen.refusalText = undefined;
  if (cancelDisproved(seen, event)) {
    notes.push({ change: "revived", from: order.phase });
    seen.cancel = "none";
  }
  return seen;
}

/**
 * Returns true if a query that was sent after the cancel was accepted still shows the order as
 * open.
 */
function cancelDisproved(order: OwnOrder, event: Extract<OrderEvent, { kind: "report" }>): boolean {
  return (
    event.source === "open-orders" &&
    order.cancel === "accepted" &&
    order.availableLots > 0 &&
    event.queriedAtMs !== undefined &&
    order.cancelAnsweredAtMs !== undefined &&
    event.queriedAtMs > order.cancelAnsweredAtMs
  );
}

function contradiction(
  order: OwnOrder,
  report: VenueOrder,
  impossible: boolean,
): string | undefined {
  if (impossible) return `amounts that do not sum: ${report.lots} lots reported`;
  if (toWholeLots(report) !== order.lots)
    return `${report.lots} lots reported for an order of ${order.lots}`;
  if (report.side !== order.side) return `${report.side} reported for a ${order.side} order`;
  if (report.marketId !== order.marketId)
    return `market ${report.marketId} reported for an order in ${order.marketId}`;
  return undefined;
}

/** Derives the fields that follow from the place, the cancel and the amounts. */
function derive(order: OrderDraft): void {
  order.phase = phaseOf(order);
  order.matchedLots = order.pendingLots + order.filledLots;
  // A response to a cancel is no proof, since a proxy may have sent it. The order counts until the
  // exchange itself reports its end.
  order.mayFillLots = isFinalPhase(order.phase) ? 0 : order.availableLots;
}

function phaseOf(order: OwnOrder): OrderPhase {
  if (order.place !== "seen") return order.place;
  if (order.availableLots > 0) {
    if (order.cancel !== "none") return "cancelling";
    return order.availableLots < order.lots ? "partly-filled" : "open";
  }
  const matched = order.pendingLots + order.filledLots;
  if (matched === order.lots) return "filled";
  if (order.expiredLots > 0 && order.expiredLots >= order.canceledLots) return "expired";
  return order.canceledLots > 0 ? "cancelled" : "failed";
}
