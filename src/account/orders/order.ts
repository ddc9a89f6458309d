import type { Hex, Int64Id, Lots, MarketId, Ms, Side, Ticks } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { ActionId } from "../../exchange/venue.js";

/**
 * The phase of an own order (docs/ideas/orders.md). From `filled` on, phases are final: nothing may
 * fill any more.
 */
export type OrderPhase =
  /** In the bot's queue, not sent. */
  | "intended"
  /** Handed to the transport, no response yet. */
  | "sent"
  /**
   * The response to the place did not arrive or proves nothing: the exchange may have the order.
   */
  | "unknown"
  /** The exchange has it; nothing has matched. */
  | "open"
  /** Partly matched, the remainder is available. */
  | "partly-filled"
  /** Still available, and a cancel was sent and not rejected. */
  | "cancelling"
  /** Fully matched. */
  | "filled"
  /** Nothing is available: a cancel ended the larger part of the unmatched amount. */
  | "cancelled"
  /** Nothing is available: the expiry ended the larger part of the unmatched amount. */
  | "expired"
  /** Matched, and a settlement failed. */
  | "failed"
  /** The exchange refused the place, or the order was never sent. */
  | "rejected"
  /** A reconciliation has proven that the exchange does not have it. */
  | "lost";

/** The state of an order's last cancel, apart from the exchange's reports of the order. */
export type CancelState =
  /** Never sent, or rejected: the order is unchanged. */
  | "none"
  /** Sent, no response yet. */
  | "asked"
  /**
   * The response did not arrive or proves nothing: the cancel may be lost, and may be sent again.
   */
  | "unknown"
  /**
   * The exchange says that the order is over (204, or 2011). Its stream or lists have yet to show
   * the end.
   */
  | "accepted";

/** The state of the place request, apart from the exchange's reports of the order. */
export type PlaceState =
  | Extract<OrderPhase, "intended" | "sent" | "unknown" | "rejected" | "lost">
  /** The exchange has reported the order: the phase follows from its amounts and its cancel. */
  | "seen";

/**
 * The parts of an order's amount; they always sum to its lots
 * (docs/reference/protocol.md#order-statuses).
 */
export interface OrderAmounts {
  /** Not yet matched, cancelled or expired, as far as reported. */
  readonly availableLots: Lots;
  /** Matched, not yet settled. */
  readonly pendingLots: Lots;
  /** Matched and settled. */
  readonly filledLots: Lots;
  /** Matched, and the settlement failed. */
  readonly failedLots: Lots;
  readonly canceledLots: Lots;
  readonly expiredLots: Lots;
}

/** One order of the bot, immutable. */
export interface OwnOrder extends OrderAmounts {
  /** The order hash: its identity, known before it is sent. */
  readonly hash: Hex;
  readonly info: Hex;
  readonly marketId: MarketId;
  readonly side: Side;
  /** The slot's level, 0 innermost; -1 if unknown (adopted from an earlier run). */
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly type: string;
  readonly timeInForce: string;
  /** 0 unless GTT. */
  readonly expirationMs: Ms;
  /** The signed timestamp of the place request: the start of its signature window. */
  readonly requestTimestampMs: Ms;
  /** Time at which it was handed to the transport; undefined before. */
  readonly sentAtMs: Ms | undefined;
  /** Time at which the exchange first reported it; undefined before. */
  readonly seenAtMs: Ms | undefined;
  /** The exchange's own time of creation; undefined before the first report. */
  readonly createdAtMs: Ms | undefined;
  readonly orderId: Int64Id | undefined;
  readonly place: PlaceState;
  readonly phase: OrderPhase;
  readonly cancel: CancelState;
  /** The action that the cancel state belongs to. */
  readonly cancelActionId: ActionId | undefined;
  readonly cancelSentAtMs: Ms | undefined;
  readonly cancelAnsweredAtMs: Ms | undefined;
  /** Number of cancels sent for it. */
  readonly cancelTries: number;
  /**
   * Pending plus filled: the amount that position and risk count
   * (docs/ideas/design.md#matched-is-not-filled).
   */
  readonly matchedLots: Lots;
  /**
   * The lots that may still fill in the worst case: 0 if final, the whole order if unknown. A
   * response to a cancel does not change it.
   */
  readonly mayFillLots: Lots;
  /**
   * The exchange's code of the rejection or of the unknown outcome (429 and 418 for the rate
   * limit); undefined without a code.
   */
  readonly refusalCode: number | undefined;
  readonly refusalText: string | undefined;
  /**
   * Built by the exchange, so that its nonce lacks our tag. Its hash must be stored on disk before
   * it is sent.
   */
  readonly built: boolean;
  /** Adopted from an earlier run. */
  readonly adopted: boolean;
  readonly finalAtMs: Ms | undefined;
}

/** The source of a report. `open-orders` alone may contradict an accepted cancel. */
export type ReportSource = "answer" | "stream" | "open-orders" | "history";

/** Every event of an order. */
export type OrderEvent =
  | { readonly kind: "sent"; readonly atMs: Ms; readonly requestTimestampMs: Ms }
  /** The order was never sent. */
  | { readonly kind: "withdrawn"; readonly atMs: Ms; readonly text: string }
  /** The exchange reports the order. `queriedAtMs`: time of the query that this responds to. */
  | {
      readonly kind: "report";
      readonly atMs: Ms;
      readonly source: ReportSource;
      readonly order: VenueOrder;
      readonly queriedAtMs?: Ms | undefined;
    }
  /**
   * The response to the place proves that the exchange did not accept it, or proves nothing.
   * `code`: the code of a refusal.
   */
  | {
      readonly kind: "rejected" | "unknown";
      readonly atMs: Ms;
      readonly code?: number;
      readonly text: string;
    }
  /**
   * Reconciliation has shown that the exchange never had the order, or no longer has it
   * (docs/ideas/design.md#unknown-outcomes).
   */
  | { readonly kind: "lost"; readonly atMs: Ms }
  | { readonly kind: "cancel-sent"; readonly atMs: Ms; readonly actionId: ActionId }
  /** The response to a cancel, or to a cancel-all that certainly covered this order. */
  | { readonly kind: "cancel-accepted"; readonly atMs: Ms }
  | {
      readonly kind: "cancel-rejected" | "cancel-unknown";
      readonly atMs: Ms;
      readonly actionId: ActionId;
    };

/** Changes made by an event, for journal, metrics and log. */
export type OrderChange =
  | { readonly change: "phase"; readonly from: OrderPhase; readonly to: OrderPhase }
  | { readonly change: "matched"; readonly lots: Lots }
  | { readonly change: "settled"; readonly lots: Lots }
  | { readonly change: "settlement-failed"; readonly lots: Lots }
  /** The exchange reports an order that was presumed rejected, lost or cancelled. */
  | { readonly change: "revived"; readonly from: OrderPhase }
  /** A report that cannot be true of this order; its amounts were ignored. */
  | { readonly change: "contradiction"; readonly text: string };

/** An order under change that is not shared yet. */
export type OrderDraft = { -readonly [K in keyof OwnOrder]: OwnOrder[K] };

/** A mutable copy, written out in full: a spread of so many fields costs far more. */
export function copyToDraft(order: OwnOrder): OrderDraft {
  return {
    availableLots: order.availableLots,
    pendingLots: order.pendingLots,
    filledLots: order.filledLots,
    failedLots: order.failedLots,
    canceledLots: order.canceledLots,
    expiredLots: order.expiredLots,
    sentAtMs: order.sentAtMs,
    seenAtMs: order.seenAtMs,
    createdAtMs: order.createdAtMs,
    orderId: order.orderId,
    cancel: order.cancel,
    cancelActionId: order.cancelActionId,
    cancelSentAtMs: order.cancelSentAtMs,
    cancelAnsweredAtMs: order.cancelAnsweredAtMs,
    cancelTries: order.cancelTries,
    matchedLots: order.matchedLots,
    mayFillLots: order.mayFillLots,
    refusalCode: order.refusalCode,
    refusalText: order.refusalText,
    finalAtMs: order.finalAtMs,
    hash: order.hash,
    info: order.info,
    marketId: order.marketId,
    side: order.side,
    level: order.level,
    ticks: order.ticks,
    lots: order.lots,
    type: order.type,
    timeInForce: order.timeInForce,
    expirationMs: order.expirationMs,
    requestTimestampMs: order.requestTimestampMs,
    place: order.place,
    phase: order.phase,
    built: order.built,
    adopted: order.adopted,
  };
}

/** Returns true for the phases in which nothing may fill any more. */
export function isFinalPhase(phase: OrderPhase): boolean {
  switch (phase) {
    case "filled":
    case "cancelled":
    case "expired":
    case "failed":
    case "rejected":
    case "lost":
      return true;
    default:
      return false;
  }
}
