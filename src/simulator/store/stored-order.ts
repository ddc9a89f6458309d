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

/** An order as a record has it. */
export interface OrderRecord {
  readonly account: AccountKey;
  readonly market: MarketId;
  readonly terms: WrittenFields;
  readonly order: WrittenFields;
}

/** What is open of an order, its queue and its place there are the book's, which is made anew. */
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

/** The order of a record, in no book and in no list. */
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
