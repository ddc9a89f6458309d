import type { Hex, Int64Id, Lots, Ms, Side, Ticks } from "../core/units.js";

/** What the executor must know of an order that may still fill. The account's own order satisfies it. */
export interface WorkingOrder {
  /** The order hash: what the order is recognised by (docs/ideas/design.md#order-identity). */
  readonly hash: Hex;
  readonly side: Side;
  /** The slot that it lives in; -1 for an order of an earlier run whose slot nobody remembers. */
  readonly level: number;
  /** Fractional only for an order that was placed on another tick grid. */
  readonly ticks: Ticks;
  /** Full size as placed. */
  readonly lots: Lots;
  /** What may still fill in the worst case: the full size until the exchange has told otherwise. */
  readonly mayFillLots: Lots;
  /**
   * What may already have matched without our having been told: the rest of an order whose cancel
   * was accepted. It is no longer in the book, so that its slot is open again, but it may yet turn
   * out to be position.
   */
  readonly unreportedLots?: Lots;
  /**
   * In the order of its life: `intended` has not left this machine, `sent` has no answer yet,
   * `unknown` may or may not be at the exchange (docs/ideas/design.md#unknown-outcomes), then
   * `open`, `partly-filled`, and `cancelling` with a cancel under way.
   */
  readonly phase: string;
  /** Absent until the exchange has answered: without it the order cannot be cancelled one by one. */
  readonly orderId?: Int64Id | undefined;
  /**
   * What is known of its cancel: of a cancel that is `unknown` the answer did not come, and it may
   * never have arrived.
   */
  readonly cancel?: string;
  /** When it dies by itself, in exchange time; 0 when it does not. */
  readonly expirationMs: Ms;
  readonly timeInForce: string;
  /** Of an immediate order, exchange time: shown as open before then, its end is still on its way, for it never rests. */
  readonly endDueMs?: Ms;
}

/**
 * Whether the exchange can be asked to cancel this order by its id: it is open there, and no cancel is under way. One that got no answer
 * is asked for again: it may have been lost, and the order would rest for ever.
 */
export function isCancellable(
  order: WorkingOrder,
): order is WorkingOrder & { readonly orderId: Int64Id } {
  const mayBeLost = order.phase === "cancelling" && order.cancel === "unknown";
  return (
    (order.phase === "open" || order.phase === "partly-filled" || mayBeLost) &&
    order.orderId !== undefined
  );
}

/** Whether a cancel of it is worth a token now: it can be cancelled, and will not be over by itself before the cancel arrives. */
export function needsCancel(
  order: WorkingOrder,
  nowMs: Ms,
): order is WorkingOrder & { readonly orderId: Int64Id } {
  return isCancellable(order) && nowMs >= (order.endDueMs ?? nowMs);
}

/** Whether the order keeps its slot closed: it has not left yet, or may still fill. */
export function isSlotClosedBy(order: WorkingOrder): boolean {
  return order.mayFillLots > 0 || order.phase === "intended";
}

/** How much of the order may yet become position, in the worst case. */
export function maxNewPositionLots(order: WorkingOrder): Lots {
  return order.mayFillLots + (order.unreportedLots ?? 0);
}
