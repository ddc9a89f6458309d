import type { Lots, Ms } from "../../../../core/units.js";
import type { TimeInForce } from "../../../../exchange/records.js";
import type { Order, UserTrade } from "../../../accounts/account.js";
import type { SelfMatchPolicy } from "../../../matching/matching-engine.js";
import { averagePrice } from "../../../rest/records/account-records.js";
import type { UsdmIds } from "../usdm-ids.js";
import { symbolOf } from "../usdm-symbols.js";
import { usdmPrice, usdmQuantity } from "./usdm-decimals.js";
import type { UsdmOrder, UsdmOrderStatus, UsdmUserTrade } from "./usdm-order-wire.js";

/** The prefix of a client id that the dialect gives to an order without one. */
const OWN_PREFIX = "mw_";

const TIMES_IN_FORCE: Readonly<Record<TimeInForce, string>> = {
  GTC: "GTC",
  GTT: "GTD",
  IOC: "IOC",
  FOK: "FOK",
  POST_ONLY: "GTX",
};

const SELF_TRADE_MODES: Readonly<Record<SelfMatchPolicy, string>> = {
  "cancel-resting": "EXPIRE_MAKER",
  "cancel-incoming": "EXPIRE_TAKER",
  "cancel-both": "EXPIRE_BOTH",
};

/** The mode of self-trade prevention that is the exchange's rule. */
export function usdmSelfTradeMode(policy: SelfMatchPolicy): string {
  return SELF_TRADE_MODES[policy];
}

/** The client's id of an order, or one made of its own id. */
export function clientIdOf({ terms }: Order, ids: UsdmIds): string {
  return terms.clientOrderId ?? `${OWN_PREFIX}${ids.toNumber(terms.id)}`;
}

/** The order id in a client id that the dialect made; null for any other. */
export function orderIdIn(clientId: string): number | null {
  const digits = clientId.startsWith(OWN_PREFIX) ? clientId.slice(OWN_PREFIX.length) : "";
  return /^\d{1,16}$/.test(digits) ? Number(digits) : null;
}

/**
 * The lots that have traded. A fill is a fill at the match, and a failed settlement does not take
 * it from the order: it appears at the account.
 */
export function executedLots({ pendingLots, filledLots, failedLots }: Order): Lots {
  return pendingLots + filledLots + failedLots;
}

/** The status of an order. */
export function usdmStatus(order: Order): UsdmOrderStatus {
  if (order.openLots > 0) return executedLots(order) > 0 ? "PARTIALLY_FILLED" : "NEW";
  if (order.canceledLots > 0) return "CANCELED";
  return order.expiredLots > 0 ? "EXPIRED" : "FILLED";
}

/** The average price of an order's fills, "0" without any. */
export function usdmAveragePrice(order: Order): string {
  const { market } = order.terms;
  const lots = executedLots(order);
  const quote = order.pendingQuote + order.filledQuote + order.failedQuote;
  return lots === 0 ? "0" : averagePrice(market, quote, market.instrument.lotsToPaper(lots));
}

/** The terms of an order in the names of the wire. */
export function usdmTerms({ terms }: Order) {
  const isMarket = terms.type === "MARKET";
  return {
    type: terms.type,
    timeInForce: isMarket ? "GTC" : TIMES_IN_FORCE[terms.timeInForce],
    price: isMarket ? "0" : usdmPrice(terms.market.instrument, terms.ticks),
    reduceOnly: terms.isReduceOnly === true,
    goodTillDate: terms.expirationMs,
  };
}

/**
 * An order.
 * @param updatedMs the time of its last change
 */
export function usdmOrder(
  order: Order,
  ids: UsdmIds,
  updatedMs: Ms,
  selfTradePreventionMode: string,
): UsdmOrder {
  const { terms } = order;
  const { instrument } = terms.market;
  const { type, timeInForce, price, reduceOnly, goodTillDate } = usdmTerms(order);
  const executed = usdmQuantity(instrument, executedLots(order));
  return {
    orderId: ids.toNumber(terms.id),
    symbol: symbolOf(terms.market),
    status: usdmStatus(order),
    clientOrderId: clientIdOf(order, ids),
    price,
    avgPrice: usdmAveragePrice(order),
    origQty: usdmQuantity(instrument, order.lots),
    executedQty: executed,
    cumQty: executed,
    cumQuote: instrument.creditToDecimal(
      order.pendingQuote + order.filledQuote + order.failedQuote,
    ),
    timeInForce,
    type,
    reduceOnly,
    closePosition: false,
    side: terms.side,
    positionSide: "BOTH",
    stopPrice: "0",
    workingType: "CONTRACT_PRICE",
    priceProtect: false,
    origType: type,
    priceMatch: "NONE",
    selfTradePreventionMode,
    goodTillDate,
    time: terms.createdAtMs,
    updateTime: updatedMs,
  };
}

/** An account's side of a trade. */
export function usdmUserTrade(
  { trade, isMaker, isBuyer, commission, realizedPnl, orderId }: UserTrade,
  ids: UsdmIds,
  asset: string,
): UsdmUserTrade {
  const { instrument } = trade.market;
  return {
    symbol: symbolOf(trade.market),
    id: ids.toNumber(trade.id),
    orderId: orderId === undefined ? 0 : ids.toNumber(orderId),
    side: isBuyer ? "BUY" : "SELL",
    price: usdmPrice(instrument, trade.ticks),
    qty: usdmQuantity(instrument, trade.lots),
    realizedPnl: instrument.creditToDecimal(realizedPnl),
    quoteQty: instrument.creditToDecimal(trade.quote),
    commission: instrument.creditToDecimal(commission),
    commissionAsset: asset,
    time: trade.timeMs,
    positionSide: "BOTH",
    buyer: isBuyer,
    maker: isMaker,
  };
}
