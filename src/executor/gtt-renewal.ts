import type { Ms } from "../core/units.js";
import type { WorkingOrder } from "./working-order.js";

/** Lifetime and renewal of GTT quotes (docs/ideas/design.md#time-in-force). */
export interface GttSettings {
  /** Lifetime of a new quote. */
  readonly quoteLifeMs: Ms;
  /** A quote with at most this remaining life is renewed, whatever else is due. */
  readonly renewLeadMs: Ms;
  /**
   * Each further slot may be renewed this much earlier, so that not all of them leave the book at
   * once. 0 disables the stagger.
   */
  readonly renewStaggerMs: Ms;
}

/**
 * The kept GTT orders to renew in this plan, the shortest remaining life first. They are all orders
 * within the lead. If there are none, and no other action is planned, it is the one order whose
 * staggered time has come. An ordinary requote renews its quote as well, and so comes first.
 */
export function selectDueRenewals(
  kept: readonly WorkingOrder[],
  settings: GttSettings,
  hasOrdinaryActions: boolean,
  nowMs: Ms,
): readonly WorkingOrder[] {
  const lifeLeft = (order: WorkingOrder) => order.expirationMs - nowMs;
  const due = kept
    .filter(
      (order) =>
        order.expirationMs > 0 &&
        lifeLeft(order) <= settings.renewLeadMs + staggerOf(order, settings),
    )
    .sort((a, b) => lifeLeft(a) - lifeLeft(b));
  const urgent = due.filter((order) => lifeLeft(order) <= settings.renewLeadMs);
  return urgent.length > 0 || hasOrdinaryActions ? urgent : due.slice(0, 1);
}

/**
 * How much earlier than the lead an order may be renewed. At most half of the life beyond the lead,
 * or it would be renewed forever.
 */
function staggerOf(
  order: WorkingOrder,
  { quoteLifeMs, renewLeadMs, renewStaggerMs }: GttSettings,
): Ms {
  const turn = 2 * Math.max(0, order.level) + (order.side === "SELL" ? 1 : 0);
  return Math.min(turn * renewStaggerMs, Math.max(0, (quoteLifeMs - renewLeadMs) / 2));
}
