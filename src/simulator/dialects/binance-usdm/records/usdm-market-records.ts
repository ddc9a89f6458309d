import { scaledToDecimal } from "../../../../core/instrument.js";
import { DAY_MS, type Ms, type Side } from "../../../../core/units.js";
import { barEnd, type CandleInterval } from "../../../markets/candle-interval.js";
import type { Candle } from "../../../markets/candles.js";
import type { Market, Trade } from "../../../markets/market.js";
import { quotePrice } from "../../../rest/records/market-records.js";
import type { UsdmIds } from "../usdm-ids.js";
import { symbolOf } from "../usdm-symbols.js";
import { usdmPrice, usdmQuantity } from "./usdm-decimals.js";
import type {
  UsdmAggregateTrade,
  UsdmBookTicker,
  UsdmDayTicker,
  UsdmKline,
  UsdmLevel,
  UsdmPremiumIndex,
  UsdmTrade,
} from "./usdm-market-wire.js";

/** Decimals of funding rates. */
const RATE_DECIMALS = 8;

/** The nearest levels of a side, best first. */
export function usdmLevels(market: Market, side: Side, count: number): UsdmLevel[] {
  const { instrument } = market;
  return market
    .levels(side, count)
    .map(({ ticks, lots }) => [usdmPrice(instrument, ticks), usdmQuantity(instrument, lots)]);
}

/** A trade. */
export function usdmTrade(trade: Trade, ids: UsdmIds): UsdmTrade {
  const { instrument } = trade.market;
  return {
    id: ids.toNumber(trade.id),
    price: usdmPrice(instrument, trade.ticks),
    qty: usdmQuantity(instrument, trade.lots),
    quoteQty: instrument.creditToDecimal(trade.quote),
    time: trade.timeMs,
    isBuyerMaker: trade.isBuyerMaker,
  };
}

/** A trade as an aggregate of itself alone. */
export function usdmAggregateTrade(trade: Trade, ids: UsdmIds): UsdmAggregateTrade {
  const { instrument } = trade.market;
  const id = ids.toNumber(trade.id);
  return {
    a: id,
    p: usdmPrice(instrument, trade.ticks),
    q: usdmQuantity(instrument, trade.lots),
    f: id,
    l: id,
    T: trade.timeMs,
    m: trade.isBuyerMaker,
  };
}

/**
 * A bar. The exchange counts neither its trades nor the takers' part of them, so both are 0.
 * @param price formats a price in the unit of the series
 */
export function usdmKline(
  { instrument }: Market,
  interval: CandleInterval,
  { timeMs, open, high, low, close, volumeLots, volumeQuote }: Candle,
  price: (value: bigint) => string,
): UsdmKline {
  return [
    timeMs,
    price(open),
    price(high),
    price(low),
    price(close),
    usdmQuantity(instrument, volumeLots),
    barEnd(interval, timeMs) - 1,
    instrument.creditToDecimal(volumeQuote),
    0,
    "0",
    "0",
    "0",
  ];
}

/** Mark, index and funding. */
export function usdmPremiumIndex(market: Market, nowMs: Ms): UsdmPremiumIndex {
  const { prices } = market;
  return {
    symbol: symbolOf(market),
    markPrice: quotePrice(market, prices.mark),
    indexPrice: quotePrice(market, prices.index),
    estimatedSettlePrice: quotePrice(market, prices.index),
    lastFundingRate: usdmRate(market.nextFundingRate),
    interestRate: "0",
    nextFundingTime: market.nextFundingMs,
    time: nowMs,
  };
}

/** A rate scaled by 10^18, truncated to eight decimals. */
export function usdmRate(rate: bigint): string {
  return scaledToDecimal(rate / 10n ** BigInt(18 - RATE_DECIMALS), RATE_DECIMALS);
}

/** The last trade's price; "0" before the first trade. */
export function usdmLastPrice({ instrument, lastTradeTicks }: Market): string {
  return lastTradeTicks === undefined ? "0" : usdmPrice(instrument, lastTradeTicks);
}

/** The figures of the last 24 hours. The exchange does not count the trades: `count` is 0. */
export function usdmDayTicker(market: Market, ids: UsdmIds, nowMs: Ms): UsdmDayTicker {
  const { instrument, day, trades, lastTradeTicks } = market;
  const { lots, quote } = day.volume(nowMs);
  const extremes = day.extremes(nowMs);
  const last = trades.last();
  const open = Number(day.priceAgo(nowMs) ?? lastTradeTicks ?? 0);
  const change = (lastTradeTicks ?? 0) - open;
  const price = (ticks: bigint | undefined) =>
    ticks === undefined ? usdmLastPrice(market) : usdmPrice(instrument, Number(ticks));
  const [firstId] = trades.page({ startMs: nowMs - DAY_MS, limit: 1 });
  return {
    symbol: symbolOf(market),
    priceChange: signedPrice(market, change),
    priceChangePercent: open === 0 ? "0" : ((change / open) * 100).toFixed(3),
    weightedAvgPrice: lots === 0 ? "0" : averageOf(market, quote, lots),
    lastPrice: usdmLastPrice(market),
    lastQty: last === undefined ? "0" : usdmQuantity(instrument, last.lots),
    openPrice: open === 0 ? "0" : usdmPrice(instrument, open),
    highPrice: price(extremes?.high),
    lowPrice: price(extremes?.low),
    volume: usdmQuantity(instrument, lots),
    quoteVolume: instrument.creditToDecimal(quote),
    openTime: nowMs - DAY_MS,
    closeTime: nowMs,
    firstId: firstId === undefined ? -1 : ids.toNumber(firstId.id),
    lastId: last === undefined ? -1 : ids.toNumber(last.id),
    count: 0,
  };
}

/** The touch; an empty side has price and quantity 0. */
export function usdmBookTicker(market: Market, nowMs: Ms): UsdmBookTicker {
  const [bid] = usdmLevels(market, "BUY", 1);
  const [ask] = usdmLevels(market, "SELL", 1);
  return {
    symbol: symbolOf(market),
    bidPrice: bid?.[0] ?? "0",
    bidQty: bid?.[1] ?? "0",
    askPrice: ask?.[0] ?? "0",
    askQty: ask?.[1] ?? "0",
    time: nowMs,
    lastUpdateId: market.depth.sequence,
  };
}

function signedPrice({ instrument }: Market, ticks: number): string {
  return ticks === 0 ? "0" : `${ticks < 0 ? "-" : ""}${usdmPrice(instrument, Math.abs(ticks))}`;
}

function averageOf({ instrument }: Market, quote: bigint, lots: number): string {
  return instrument.creditToDecimal((quote * instrument.paperUnit) / instrument.lotsToPaper(lots));
}
