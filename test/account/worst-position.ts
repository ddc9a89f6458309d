import type { OwnOrders } from "#account/own-orders.js";
import type { TradingAccount } from "#account/trading-account.js";
import type { Lots, MarketId, Side } from "#core/units.js";

/**
 * Amounts that may still trade in a market, at full size, by the lists that risk uses: own orders,
 * foreign orders, and matched amounts without a report.
 */
export function mayTrade(orders: OwnOrders, marketId: MarketId): Record<Side, Lots> {
  const lots = {
    BUY: orders.unmatchedLots(marketId, "BUY"),
    SELL: orders.unmatchedLots(marketId, "SELL"),
  };
  for (const { side, mayFillLots } of orders.mayStillFill(marketId)) lots[side] += mayFillLots;
  for (const { side, availableLots } of orders.foreign(marketId)) lots[side] += availableLots;
  return lots;
}

/**
 * The position in the worst case, both ends signed: if everything that may still buy fills and
 * nothing sells, and the reverse.
 */
export function worstPosition(
  account: TradingAccount,
  marketId: MarketId,
): { readonly maxLongLots: Lots; readonly maxShortLots: Lots } {
  const lots = account.positionLots(marketId);
  const { BUY, SELL } = mayTrade(account.orders, marketId);
  return { maxLongLots: lots + BUY, maxShortLots: lots - SELL };
}
