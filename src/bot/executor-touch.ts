import type { OwnOrders } from "../account/own-orders.js";
import type { Touch } from "../executor/crossing.js";
import type { OwnRestingOrder } from "../market/book/own-order-overlay.js";
import type { Desk } from "./desk.js";

/**
 * The newest touch of the exchange's book without our own orders, as the executor reads it: an order needs nothing but the side that it
 * may trade against.
 */
export function executorTouch(desk: Desk, own: readonly OwnRestingOrder[]): Touch {
  return { bestBidTicks: desk.best("BUY", own), bestAskTicks: desk.best("SELL", own) };
}

/** Our own orders as a desk's book may hold them: a replayed one holds none, and nobody has to list them. */
export function restingIn(
  { book, marketId }: Desk,
  orders: Pick<OwnOrders, "resting">,
): readonly OwnRestingOrder[] {
  return book.holdsOwnOrders ? orders.resting(marketId) : NO_RESTING;
}

const NO_RESTING: readonly OwnRestingOrder[] = [];
