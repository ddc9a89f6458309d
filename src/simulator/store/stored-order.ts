import type { MarketId } from "../../core/units.js";
import {
  type ExchangeAccount,
  Order,
  type OrderRules,
  type OrderTerms,
} from "../accounts/account.js";
import type { Market } from "../markets/market.js";
import { readFields, type WrittenFields, writeFields } from "./plain-fields.js";
import type { AccountKey } from "./record-keys.js";

/** A stored order. */
export interface OrderRecord {
  readonly account: AccountKey;
  readonly market: MarketId;
  readonly terms: WrittenFields;
  readonly order: WrittenFields;
}

/** Writes an order without its open lots and its queue position, which the book computes again. */
export function writeOrder(order: Order, account: AccountKey): OrderRecord {
  const {
    isResting: _isResting,
    previous: _previous,
    next: _next,
    queue: _queue,
    ...fields
  } = order;
  return {
    account,
    market: order.terms.market.id,
    terms: writeFields(order.terms),
    order: writeFields(fields),
  };
}

/** Reads the order of a record, outside of any book or list. */
export function readOrder(
  record: OrderRecord,
  account: ExchangeAccount,
  market: Market,
  rules: OrderRules,
): Order {
  const terms: OrderTerms = {
    ...readFields<Omit<OrderTerms, "account" | "market">>(record.terms),
    account,
    market,
  };
  const order = new Order(terms, "NEW", rules);
  return Object.assign(order, readFields<Partial<Order>>(record.order));
}
