import { Order } from "#simulator/account.js";
import { userTradeRecord } from "#simulator/account-records.js";
import type { Market } from "#simulator/market.js";
import { OrderEndpoints } from "#simulator/order-endpoints.js";
import { OrderEntry } from "#simulator/order-entry.js";
import { VenueOrderHasher } from "#simulator/order-hash.js";
import type { SignedOrderInfo } from "#simulator/order-info.js";
import { OrderManager } from "#simulator/order-manager.js";
import { orderRecord, orderStructRecord } from "#simulator/order-record.js";
import { type RequestedOrder, requestedOrder } from "#simulator/order-terms.js";
import { breaksOf, broken, hidden } from "../break.js";
import { unrefused, without } from "./kit.js";

/** The embedded exchange without one rule: orders and their life. */
export const EXCHANGE_ORDER_BREAKS = breaksOf("exchange", import.meta.url, [
  broken(
    "O1",
    "an order's json has no sender",
    () => orderStructRecord,
    (record) => (terms) => without(record(terms), "sender"),
  ),
  broken(
    "O2",
    "what settles stays pending",
    () => Order.prototype.resolve,
    (resolve, order: Order) => (lots, quote, settled) => {
      if (settled) order.pendingLots += lots;
      resolve(lots, quote, settled);
    },
  ),
  broken(
    "O3",
    "an order without a match has the average price 0",
    () => orderRecord,
    (record) => (order, unit) => ({ averagePrice: "0", ...record(order, unit) }),
  ),
  broken(
    "O4",
    "trades is an empty list",
    () => orderRecord,
    (record) => (order, unit) => ({ ...record(order, unit), trades: [] as never }),
  ),
  broken(
    "O5",
    "an order without expiration has that of its info",
    hidden<(requested: RequestedOrder, info: SignedOrderInfo) => number>(
      () => OrderEntry,
      "#checkExpiration",
    ),
    (check) => (requested, info) => {
      check(requested, info);
      return Number(info.expirationSeconds) * 1000;
    },
  ),
  broken(
    "BO1",
    "a build has no packed order",
    () => VenueOrderHasher.pack,
    () => () => "0x",
  ),
  broken(
    "S1",
    "a partly filled order is NEW",
    hidden<() => void>(() => Order, "#refresh"),
    (refresh, order: Order) => () => {
      refresh();
      if (order.status === "PARTIAL_FILLED") order.status = "NEW";
    },
  ),
  broken(
    "S2",
    "orders whose status is not final are history",
    () => Order.prototype.isFinal,
    (_isFinal, order: Order) => order.openLots === 0,
  ),
  broken(
    "S3",
    "GET openOrder knows history orders",
    () => OrderEndpoints.prototype.openOrder,
    (openOrder, endpoints: OrderEndpoints) => (account, parameters) =>
      unrefused(
        2011,
        () => openOrder(account, parameters),
        () => endpoints.historyOrder(account, parameters),
      ),
  ),
  broken(
    "S4",
    "a cancelled order stays open",
    () => OrderManager.prototype.cancel,
    () => (order) => {
      if (order.openLots === 0 || !order.active) return false;
      order.terms.market.engine.remove(order);
      return true;
    },
  ),
  broken(
    "S5",
    "trades stay CREATED",
    () => userTradeRecord,
    (record) => (trade) => {
      const { status, ...rest } = record(trade);
      return { ...rest, status: status === "SETTLED" ? "CREATED" : status };
    },
  ),
  broken(
    "S6",
    "a failed match counts as filled",
    () => Order.prototype.resolve,
    (resolve) => (lots, quote) => resolve(lots, quote, true),
  ),
  broken(
    "S7",
    "a suspended market takes orders",
    hidden<(market: Market) => void>(() => requestedOrder, "requireTrading"),
    (requireTrading) => (market) => {
      if (market.status !== "SUSPENDED") requireTrading(market);
    },
  ),
]);
