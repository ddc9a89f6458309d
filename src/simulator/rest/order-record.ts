import type { WireOrder, WireOrderStruct } from "../../exchange/wire-types.js";
import type { Order } from "../accounts/order.js";
import { averagePrice } from "./account-records.js";

const NO_SENDER = "0x0000000000000000000000000000000000000000";

/** An order's signed structure as the wire shows it; `sender` is a leftover that nothing hashes. */
export function orderStructRecord({ terms }: Order): WireOrderStruct {
  const buys = terms.side === "BUY";
  const paper = BigInt(terms.lots) * terms.market.instrument.paperPerLot;
  return {
    perp: terms.market.rules.perp,
    signer: terms.account.address,
    sender: NO_SENDER,
    paperAmount: (buys ? paper : -paper).toString(),
    creditAmount: (buys ? -terms.signedCredit : terms.signedCredit).toString(),
    info: terms.info,
  };
}

/** An order as it is now (specification, "Order"). */
export function orderRecord(order: Order, expirationUnit: "ms" | "s"): WireOrder {
  const { terms } = order;
  const { market } = terms;
  const { instrument } = market;
  const tradedLots = order.pendingLots + order.filledLots;
  return {
    id: terms.id,
    account: terms.account.address,
    marketId: market.id,
    side: terms.side,
    price: instrument.priceOf(order.ticks),
    tif: terms.timeInForce,
    type: terms.type,
    amount: instrument.amountOf(order.lots),
    availableAmount: instrument.amountOf(order.openLots),
    filledAmount: instrument.amountOf(order.filledLots),
    canceledAmount: instrument.amountOf(order.canceledLots),
    pendingAmount: instrument.amountOf(order.pendingLots),
    expiredAmount: instrument.amountOf(order.expiredLots),
    failedAmount: instrument.amountOf(order.failedLots),
    ...(tradedLots === 0 ? {} : { averagePrice: averagePrice(market, order.tradedQuote, tradedLots) }),
    json: orderStructRecord(order),
    hash: terms.hash,
    createdAt: terms.createdAtMs,
    status: order.status,
    trades: null,
    expiration: expirationUnit === "ms" ? terms.expirationMs : Math.floor(terms.expirationMs / 1000),
  };
}
