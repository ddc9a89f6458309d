import type { CreditUnits, Hex, Lots, Side } from "../../../core/units.js";
import type { WireOrder, WireOrderStruct } from "../../../exchange/protocol/order.js";
import type { ExchangeAccount, Order } from "../../accounts/account.js";
import type { Market } from "../../markets/market.js";
import { averagePrice } from "./account-records.js";

const NO_SENDER = "0x0000000000000000000000000000000000000000";

/** An order's signed structure as the API shows it; `sender` is a leftover outside the hash. */
export function orderStructRecord({
  market,
  account,
  paper,
  credit,
  info,
}: SignedTerms): WireOrderStruct {
  return {
    perp: market.rules.perp,
    signer: account.address,
    sender: NO_SENDER,
    paperAmount: paper.toString(),
    creditAmount: credit.toString(),
    info,
  };
}

/** The signed fields of an order; `paper` and `credit` carry their signs, in smallest units. */
export interface SignedTerms {
  readonly market: Market;
  readonly account: ExchangeAccount;
  readonly paper: bigint;
  readonly credit: CreditUnits;
  readonly info: Hex;
}

/** The signed amounts of an order of one side: a buyer receives paper and gives credit. */
export function signedAmounts(
  market: Market,
  side: Side,
  lots: Lots,
  credit: CreditUnits,
): { paper: bigint; credit: CreditUnits } {
  const paper = market.instrument.lotsToPaper(lots);
  return side === "BUY" ? { paper, credit: -credit } : { paper: -paper, credit };
}

/** The current state of an order (docs/reference/exchange-interface.md#order-fields). */
export function orderRecord(order: Order, expirationUnit: "ms" | "s"): WireOrder {
  const { terms } = order;
  const { market } = terms;
  const { instrument } = market;
  const { lots: pricedLots, quote: pricedQuote } = order.priced;
  return {
    id: terms.id,
    account: terms.account.address,
    marketId: market.id,
    side: terms.side,
    price: instrument.formatPrice(order.ticks),
    tif: terms.timeInForce,
    type: terms.type,
    amount: instrument.formatAmount(order.lots),
    availableAmount: instrument.formatAmount(order.openLots),
    filledAmount: instrument.formatAmount(order.filledLots),
    canceledAmount: instrument.formatAmount(order.canceledLots),
    pendingAmount: instrument.formatAmount(order.pendingLots),
    expiredAmount: instrument.formatAmount(order.expiredLots),
    failedAmount: instrument.formatAmount(order.failedLots),
    ...(pricedLots === 0
      ? {}
      : {
          averagePrice: averagePrice(
            market,
            pricedQuote,
            market.instrument.lotsToPaper(pricedLots),
          ),
        }),
    json: orderStructRecord({
      ...terms,
      ...signedAmounts(market, terms.side, terms.lots, terms.signedCredit),
    }),
    hash: terms.hash,
    createdAt: terms.createdAtMs,
    status: order.status,
    trades: null,
    expiration:
      expirationUnit === "ms" ? terms.expirationMs : Math.floor(terms.expirationMs / 1000),
  };
}
