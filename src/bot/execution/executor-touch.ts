import type { OwnOrders } from "../../account/orders/own-orders.js";
import type { BestPrices } from "../../executor/crossing.js";
import type { OwnRestingOrder } from "../../market/book/own-order-overlay.js";
import type { MarketTrader } from "../market/market-trader.js";

/**
 * The newest touch of the exchange's book without our own orders, for the executor: an order only
 * needs the side that it may trade against.
 */
export function executorTouch(trader: MarketTrader, own: readonly OwnRestingOrder[]): BestPrices {
  return { bestBidTicks: trader.best("BUY", own), bestAskTicks: trader.best("SELL", own) };
}

/**
 * Our own orders as a trader's book may contain them: a replayed book contains none, so they need
 * not be listed.
 */
export function restingIn(
  { book, marketId }: MarketTrader,
  orders: Pick<OwnOrders, "resting">,
): readonly OwnRestingOrder[] {
  return book.holdsOwnOrders ? orders.resting(marketId) : NO_RESTING;
}

const NO_RESTING: readonly OwnRestingOrder[] = [];
