import type { Ms } from "../core/units.js";
import type { WorkingOrder } from "./working-order.js";

/** How GTT quotes live and are renewed (docs/ideas/design.md#time-in-force). */
export interface GttSettings {
  /** The life that a quote is placed with. */
  readonly quoteLifeMs: Ms;
  /** A quote with so little life left is renewed, whatever else is due. */
  readonly renewLeadMs: Ms;
  /** Each further slot may be renewed so much earlier, so that not all of them leave the book at once. 0 staggers nothing. */
  readonly renewStaggerMs: Ms;
}

/**
 * The kept GTT orders to renew in this plan, the shortest life first: all that have no more than the lead left, and otherwise, when no
 * ordinary action is planned, the one whose staggered turn has come. An ordinary requote renews anyway, and so comes first.
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

/** How much earlier than the lead an order may be renewed. Never more than half of what its life leaves, or it would be renewed for ever. */
function staggerOf(
  order: WorkingOrder,
  { quoteLifeMs, renewLeadMs, renewStaggerMs }: GttSettings,
): Ms {
  const turn = 2 * Math.max(0, order.level) + (order.side === "SELL" ? 1 : 0);
  return Math.min(turn * renewStaggerMs, Math.max(0, (quoteLifeMs - renewLeadMs) / 2));
}
