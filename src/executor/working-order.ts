import type { Hex, Int64Id, Lots, Ms, Side, Ticks } from "../core/units.js";

/**
 * The fields of an order that may still fill which the executor needs. The account's `OwnOrder` has
 * them.
 */
export interface WorkingOrder {
  /** The order hash, which identifies the order (docs/ideas/design.md#order-identity). */
  readonly hash: Hex;
  readonly side: Side;
  /** Level of its slot; -1 for an order of an earlier run with an unknown slot. */
  readonly level: number;
  /** Fractional only for an order that was placed on another tick grid. */
  readonly ticks: Ticks;
  /** Full size when placed. */
  readonly lots: Lots;
  /**
   * Lots that may still fill in the worst case: the full size until the exchange reports otherwise.
   */
  readonly mayFillLots: Lots;
  /**
   * Lots that may have matched without a report: the remainder of an order whose cancel was
   * accepted. The order is no longer in the book, so that its slot is free again, but the remainder
   * may still become position.
   */
  readonly unreportedLots?: Lots;
  /**
   * In order: `intended` is not sent yet, `sent` has no response yet, `unknown` may or may not be
   * at the exchange (docs/ideas/design.md#unknown-outcomes), then `open`, `partly-filled`, and
   * `cancelling` with a cancel in flight.
   */
  readonly phase: string;
  /**
   * Absent until the exchange has responded. Without it the order cannot be cancelled individually.
   */
  readonly orderId?: Int64Id | undefined;
  /**
   * State of its cancel. `unknown`: the response did not arrive, and the cancel may not have
   * arrived either.
   */
  readonly cancel?: string;
  /** Expiry in exchange time; 0 if it does not expire. */
  readonly expirationMs: Ms;
  readonly timeInForce: string;
  /**
   * For an immediate order, exchange time. If it is reported as open before then, its end is still
   * in transit, because it never rests.
   */
  readonly endDueMs?: Ms;
}

/**
 * Returns true if the order can be cancelled by its id: it is open at the exchange, and no cancel
 * is in flight. A cancel without a response is sent again. It may be lost, and the order would rest
 * forever.
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

/**
 * Returns true if a cancel is worth a token now: the order can be cancelled, and will not end
 * before the cancel arrives.
 */
export function needsCancel(
  order: WorkingOrder,
  nowMs: Ms,
): order is WorkingOrder & { readonly orderId: Int64Id } {
  return isCancellable(order) && nowMs >= (order.endDueMs ?? nowMs);
}

/** Returns true if the order keeps its slot closed: it is not sent yet, or may still fill. */
export function isSlotClosedBy(order: WorkingOrder): boolean {
  return order.mayFillLots > 0 || order.phase === "intended";
}

/** Largest part of the order that may still become position. */
export function maxNewPositionLots(order: WorkingOrder): Lots {
  return order.mayFillLots + (order.unreportedLots ?? 0);
}
