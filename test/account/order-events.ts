import type { OrderEvent, OrderPhase, OwnOrder } from "#account/order.js";
import { advance, createIntendedOrder } from "#account/order-machine.js";
import type { VenueOrder } from "#exchange/records.js";
import { placeAction, T0, venueOrder } from "./exchange-story.js";

export const AT = T0 + 100;
export const LOTS = 10;

const intended = createIntendedOrder(placeAction(1), 0, false);
export const run = (order: OwnOrder, ...events: OrderEvent[]): OwnOrder =>
  events.reduce((o, event) => advance(o, event).order, order);
export const report = (
  part: Partial<VenueOrder> = {},
  source: "answer" | "stream" | "open-orders" | "history" = "stream",
): OrderEvent => ({
  kind: "report",
  atMs: AT,
  source,
  order: venueOrder(1, part),
});

export const SENT: OrderEvent = { kind: "sent", atMs: AT, requestTimestampMs: T0 };
export const UNKNOWN: OrderEvent = { kind: "unknown", atMs: AT, text: "timeout" };
export const CANCEL_SENT: OrderEvent = { kind: "cancel-sent", atMs: AT, actionId: 7 };
export const rejected = (code: number): OrderEvent => ({
  kind: "rejected",
  atMs: AT,
  code,
  text: "",
});

/** Every phase, with the shortest sequence of events to it. */
export const PHASES: Record<OrderPhase, OwnOrder> = {
  intended,
  sent: run(intended, SENT),
  unknown: run(intended, SENT, UNKNOWN),
  open: run(intended, SENT, report()),
  "partly-filled": run(intended, SENT, report({ pendingLots: 4 })),
  cancelling: run(intended, SENT, report({ pendingLots: 4 }), CANCEL_SENT),
  filled: run(intended, SENT, report({ pendingLots: 10, status: "FILLED" })),
  cancelled: run(intended, SENT, report({ canceledLots: 10, status: "CANCELED" })),
  expired: run(intended, SENT, report({ expiredLots: 10, status: "EXPIRED" })),
  failed: run(intended, SENT, report({ failedLots: 10, status: "FAILED" })),
  rejected: run(intended, SENT, rejected(2012)),
  lost: run(intended, SENT, UNKNOWN, { kind: "lost", atMs: AT }),
};
