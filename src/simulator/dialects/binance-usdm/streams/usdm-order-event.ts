import type { Ms } from "../../../../core/units.js";
import type { Order, UserTrade } from "../../../accounts/account.js";
import { usdmPrice, usdmQuantity } from "../records/usdm-decimals.js";
import {
  clientIdOf,
  executedLots,
  usdmAveragePrice,
  usdmStatus,
  usdmTerms,
} from "../records/usdm-order-record.js";
import type { UsdmIds } from "../usdm-ids.js";
import { symbolOf } from "../usdm-symbols.js";

/** Why an order is reported. */
export type UsdmExecution =
  | { readonly type: "NEW" | "CANCELED" | "EXPIRED" }
  | { readonly type: "TRADE"; readonly trade: UserTrade };

/** The parts of an event that its order does not have. */
export interface UsdmOrderEventOptions {
  readonly ids: UsdmIds;
  /** Of the commission. */
  readonly asset: string;
  readonly nowMs: Ms;
  readonly selfTradePreventionMode: string;
}

/** The message ORDER_TRADE_UPDATE. */
export function usdmOrderEvent(
  order: Order,
  execution: UsdmExecution,
  { ids, asset, nowMs, selfTradePreventionMode }: UsdmOrderEventOptions,
) {
  const { terms } = order;
  const { market } = terms;
  const { instrument } = market;
  const { type, timeInForce, price, reduceOnly, goodTillDate } = usdmTerms(order);
  const trade = execution.type === "TRADE" ? execution.trade : null;
  const isNew = execution.type === "NEW";
  return {
    e: "ORDER_TRADE_UPDATE",
    E: nowMs,
    T: nowMs,
    o: {
      s: symbolOf(market),
      c: clientIdOf(order, ids),
      S: terms.side,
      o: type,
      f: timeInForce,
      q: usdmQuantity(instrument, order.lots),
      p: price,
      ap: usdmAveragePrice(order),
      sp: "0",
      x: execution.type,
      X: isNew ? "NEW" : usdmStatus(order),
      i: ids.toNumber(terms.id),
      l: trade === null ? "0" : usdmQuantity(instrument, trade.trade.lots),
      z: usdmQuantity(instrument, executedLots(order)),
      L: trade === null ? "0" : usdmPrice(instrument, trade.trade.ticks),
      ...(trade === null ? {} : { N: asset, n: instrument.creditToDecimal(trade.commission) }),
      T: trade === null ? nowMs : trade.trade.timeMs,
      t: trade === null ? 0 : ids.toNumber(trade.trade.id),
      b: terms.side === "BUY" ? notionalOf(order) : "0",
      a: terms.side === "SELL" ? notionalOf(order) : "0",
      m: trade?.isMaker ?? false,
      R: reduceOnly,
      wt: "CONTRACT_PRICE",
      ot: type,
      ps: "BOTH",
      cp: false,
      rp: trade === null ? "0" : instrument.creditToDecimal(trade.realizedPnl),
      pP: false,
      si: 0,
      ss: 0,
      V: selfTradePreventionMode,
      pm: "NONE",
      gtd: goodTillDate,
    },
  };
}

/** The notional of an order's open part. */
function notionalOf({ ticks, openLots, terms }: Order): string {
  const { instrument } = terms.market;
  return instrument.creditToDecimal(instrument.creditFloor(ticks, openLots));
}
