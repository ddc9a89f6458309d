import type { Hex, Int64Id, Lots, MarketId, Ms, Side, Ticks } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { ActionId } from "../../exchange/venue.js";

/**
 * The phase of an order of ours (docs/ideas/orders.md). From `filled` on they are final: nothing may
 * fill any more.
 */
export type OrderPhase =
  /** In the bot's queue, not sent. */
  | "intended"
  /** Handed to the transport, not answered yet. */
  | "sent"
  /** The answer to the place did not come, or proves nothing: the exchange may have the order. */
  | "unknown"
  /** The exchange has it; nothing has matched. */
  | "open"
  /** Some of it has matched, the rest is available. */
  | "partly-filled"
  /** Available still, and a cancel was sent that was not rejected. */
  | "cancelling"
  /** All of it has matched. */
  | "filled"
  /** Nothing is available: a cancel has ended the larger part of what did not match. */
  | "cancelled"
  /** Nothing is available: the expiry has ended the larger part of what did not match. */
  | "expired"
  /** It has matched, and a settlement failed. */
  | "failed"
  /** The exchange refused the place, or it never left this machine. */
  | "rejected"
  /** A reconciliation has proven that the exchange does not have it. */
  | "lost";

/**
 * What is known of the last cancel of an order, apart from what the exchange reports of the order.
 */
export type CancelState =
  /** Never sent, or rejected: the order is as it was. */
  | "none"
  /** Sent, not answered yet. */
  | "asked"
  /**
   * The answer did not come, or proves nothing: the cancel may have been lost, and may be sent
   * again.
   */
  | "unknown"
  /**
   * The exchange calls the order over (204, or 2011): its stream or its lists have yet to show the
   * end.
   */
  | "accepted";

/** What is known of the place itself, apart from what the exchange reports of the order. */
export type PlaceState =
  | Extract<OrderPhase, "intended" | "sent" | "unknown" | "rejected" | "lost">
  /** The exchange has shown the order: the phase follows from its amounts and its cancel. */
  | "seen";

/**
 * The parts of an order's amount; they always sum to its lots
 * (docs/reference/protocol.md#order-statuses).
 */
export interface OrderAmounts {
  /** Not yet matched, cancelled or expired, as far as the exchange has told. */
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
  /** The slot's level, 0 innermost; -1 when it is not known (taken over from an earlier run). */
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly type: string;
  readonly timeInForce: string;
  /** 0 unless GTT. */
  readonly expirationMs: Ms;
  /** The signed timestamp of the place request: what the signature window is counted from. */
  readonly requestTimestampMs: Ms;
  /** When it was handed to the transport; undefined before. */
  readonly sentAtMs: Ms | undefined;
  /** When the exchange first showed it to us; undefined before. */
  readonly seenAtMs: Ms | undefined;
  /** The exchange's own time of creation; undefined before it is seen. */
  readonly createdAtMs: Ms | undefined;
  readonly orderId: Int64Id | undefined;
  readonly place: PlaceState;
  readonly phase: OrderPhase;
  readonly cancel: CancelState;
  /** The action that the cancel state belongs to. */
  readonly cancelActionId: ActionId | undefined;
  readonly cancelSentAtMs: Ms | undefined;
  readonly cancelAnsweredAtMs: Ms | undefined;
  /** How often a cancel of it was sent. */
  readonly cancelTries: number;
  /**
   * Pending plus filled: what position and risk count (docs/ideas/design.md#matched-is-not-filled).
   */
  readonly matchedLots: Lots;
  /** The lots that may still fill in the worst case: 0 when final, the whole order when unknown. An answered cancel leaves it as it was. */
  readonly mayFillLots: Lots;
  /**
   * Why it was rejected, or is unknown: the exchange's code (429 and 418 for the rate limit),
   * undefined when there was none.
   */
  readonly refusalCode: number | undefined;
  readonly refusalText: string | undefined;
  /** Built by the exchange (its nonce has not our tag): its hash must be on disk before it is sent. */
  readonly built: boolean;
  /** Taken over from an earlier run. */
  readonly adopted: boolean;
  readonly finalAtMs: Ms | undefined;
}

/** How a report reached us. `open-orders` alone may contradict a cancel that was accepted. */
export type ReportSource = "answer" | "stream" | "open-orders" | "history";

/** Everything that can happen to an order. */
export type OrderEvent =
  | { readonly kind: "sent"; readonly atMs: Ms; readonly requestTimestampMs: Ms }
  /** It never left this machine. */
  | { readonly kind: "withdrawn"; readonly atMs: Ms; readonly text: string }
  /** The exchange shows the order. `askedAtMs`: when the question was asked whose answer this is. */
  | {
      readonly kind: "report";
      readonly atMs: Ms;
      readonly source: ReportSource;
      readonly order: VenueOrder;
      readonly askedAtMs?: Ms | undefined;
    }
  /**
   * The answer to the place proves that the exchange has not taken it, or proves nothing. `code`:
   * its refusal, where it is one.
   */
  | {
      readonly kind: "rejected" | "unknown";
      readonly atMs: Ms;
      readonly code?: number;
      readonly text: string;
    }
  /**
   * Reconciliation has shown that the exchange never had it, or has it no more
   * (docs/ideas/design.md#unknown-outcomes).
   */
  | { readonly kind: "lost"; readonly atMs: Ms }
  | { readonly kind: "cancel-sent"; readonly atMs: Ms; readonly actionId: ActionId }
  /** The answer to a cancel, or to a cancel-all that certainly covered this order. */
  | { readonly kind: "cancel-accepted"; readonly atMs: Ms }
  | {
      readonly kind: "cancel-rejected" | "cancel-unknown";
      readonly atMs: Ms;
      readonly actionId: ActionId;
    };

/** What an event changed, for journal, metrics and log. */
export type OrderChange =
  | { readonly change: "phase"; readonly from: OrderPhase; readonly to: OrderPhase }
  | { readonly change: "matched"; readonly lots: Lots }
  | { readonly change: "settled"; readonly lots: Lots }
  | { readonly change: "settlement-failed"; readonly lots: Lots }
  /** The exchange shows an order that was taken for rejected, lost or cancelled. */
  | { readonly change: "revived"; readonly from: OrderPhase }
  /** A report that cannot be true of this order; its amounts were not taken. */
  | { readonly change: "contradiction"; readonly text: string };

/** An order that nobody but its step has seen yet. */
export type OrderDraft = { -readonly [K in keyof OwnOrder]: OwnOrder[K] };

/** A copy to be changed, written out whole: of so many fields a spread costs far more. */
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

/** True for the phases that nothing may fill in any more. */
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
