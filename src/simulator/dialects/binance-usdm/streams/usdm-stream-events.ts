import type { Ms } from "../../../../core/units.js";
import type { Market, Trade } from "../../../markets/market.js";
import {
  usdmAggregateTrade,
  usdmBookTicker,
  usdmDayTicker,
  usdmPremiumIndex,
} from "../records/usdm-market-records.js";
import type { UsdmIds } from "../usdm-ids.js";
import { symbolOf } from "../usdm-symbols.js";

/** The message of `@aggTrade`. */
export function aggregateTradeEvent(trade: Trade, ids: UsdmIds, nowMs: Ms) {
  return {
    e: "aggTrade",
    E: nowMs,
    s: symbolOf(trade.market),
    ...usdmAggregateTrade(trade, ids),
  };
}

/** The message of `@trade`. */
export function tradeEvent(trade: Trade, ids: UsdmIds, nowMs: Ms) {
  const { a, p, q, T, m } = usdmAggregateTrade(trade, ids);
  return { e: "trade", E: nowMs, T, s: symbolOf(trade.market), t: a, p, q, X: "MARKET", m };
}

/** The message of `@bookTicker`. */
export function bookTickerEvent(market: Market, nowMs: Ms) {
  const touch = usdmBookTicker(market, nowMs);
  return {
    e: "bookTicker",
    u: touch.lastUpdateId,
    s: touch.symbol,
    b: touch.bidPrice,
    B: touch.bidQty,
    a: touch.askPrice,
    A: touch.askQty,
    T: nowMs,
    E: nowMs,
  };
}

/** The message of `@markPrice`. */
export function markPriceEvent(market: Market, nowMs: Ms) {
  const { symbol, markPrice, indexPrice, estimatedSettlePrice, lastFundingRate, nextFundingTime } =
    usdmPremiumIndex(market, nowMs);
  return {
    e: "markPriceUpdate",
    E: nowMs,
    s: symbol,
    p: markPrice,
    i: indexPrice,
    P: estimatedSettlePrice,
    r: lastFundingRate,
    T: nextFundingTime,
  };
}

/** The message of `@ticker`. */
export function tickerEvent(market: Market, ids: UsdmIds, nowMs: Ms) {
  const day = usdmDayTicker(market, ids, nowMs);
  return {
    e: "24hrTicker",
    E: nowMs,
    s: day.symbol,
    p: day.priceChange,
    P: day.priceChangePercent,
    w: day.weightedAvgPrice,
    c: day.lastPrice,
    Q: day.lastQty,
    o: day.openPrice,
    h: day.highPrice,
    l: day.lowPrice,
    v: day.volume,
    q: day.quoteVolume,
    O: day.openTime,
    C: day.closeTime,
    F: day.firstId,
    L: day.lastId,
    n: day.count,
  };
}

/** The message of `@miniTicker`. */
export function miniTickerEvent(market: Market, ids: UsdmIds, nowMs: Ms) {
  const { E, s, c, o, h, l, v, q } = tickerEvent(market, ids, nowMs);
  return { e: "24hrMiniTicker", E, s, c, o, h, l, v, q };
}
