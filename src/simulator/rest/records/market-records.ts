import { scaledToDecimal } from "../../../core/instrument.js";
import type { CreditUnits, Ms, Side } from "../../../core/units.js";
import type {
  WireKline,
  WireLevel,
  WirePublicTrade,
} from "../../../exchange/protocol/market-data.js";
import type { WireMarketState } from "../../../exchange/protocol/stream.js";
import type { VenueChoices } from "../../config/choices.js";
import type { Candle } from "../../markets/candles.js";
import type { Market, Trade } from "../../markets/market.js";

/** The public fields of a trade (docs/reference/exchange-interface.md#public-trade-fields). */
export function publicTradeFields(trade: Trade, status: string): WirePublicTrade {
  const { instrument } = trade.market;
  return {
    id: trade.id,
    price: instrument.formatPrice(trade.ticks),
    amount: instrument.formatAmount(trade.lots),
    quoteAmount: instrument.creditToDecimal(trade.quote),
    time: trade.timeMs,
    isBuyerMaker: trade.isBuyerMaker,
    status,
  };
}

/**
 * A trade's current status. A trade among house agents has no settlement and counts as settled once
 * its time has come.
 */
export function publicStatus(trade: Trade, nowMs: number): string {
  return trade.settlesAtMs !== null && nowMs >= trade.settlesAtMs ? "SETTLED" : trade.status;
}

/** The published levels of a side, best first. */
export function levelRecords(market: Market, side: Side, limit: number): WireLevel[] {
  const levels: WireLevel[] = [];
  market.engine.forEachLevel(side, (ticks, lots) => {
    if (levels.length < limit) {
      levels.push([market.instrument.formatPrice(ticks), market.instrument.formatAmount(lots)]);
    }
    return levels.length < limit;
  });
  return levels;
}

/** The volume of a bar. */
type BarVolume = Pick<Candle, "volumeLots" | "volumeQuote">;

const NO_VOLUME: BarVolume = { volumeLots: 0, volumeQuote: 0n };

/** A bar of trades (docs/reference/exchange-interface.md#candle-fields). */
export function tradeBarRecord(market: Market, bar: Candle, choices: BarChoices): WireKline {
  return barRecord(
    market,
    bar,
    (ticks) => market.instrument.formatPrice(Number(ticks)),
    bar,
    choices,
  );
}

/**
 * A bar of marks.
 * @param traded the traded volume, for bars that show it; marks themselves have no volume
 */
export function markBarRecord(
  market: Market,
  bar: Candle,
  choices: BarChoices,
  traded = NO_VOLUME,
): WireKline {
  return barRecord(market, bar, (credit) => quotePrice(market, credit), traded, choices);
}

type BarChoices = Pick<VenueChoices, "candleQuoteVolume">;

function barRecord(
  { instrument }: Market,
  { timeMs, open, close, high, low }: Candle,
  price: (value: bigint) => string,
  { volumeLots, volumeQuote }: BarVolume,
  { candleQuoteVolume }: BarChoices,
): WireKline {
  return {
    time: timeMs,
    open: price(open),
    close: price(close),
    high: price(high),
    low: price(low),
    volume: instrument.formatAmount(volumeLots),
    ...(candleQuoteVolume && { quote_volume: instrument.creditToDecimal(volumeQuote) }),
  };
}

/** The payload of a market's `@market` stream (docs/reference/protocol.md#market-streams). */
export function marketStateRecord(market: Market, nowMs: Ms): WireMarketState {
  const { instrument, rules, day, offchainDay, prices } = market;
  const volume = day.volume(nowMs);
  const ago = day.priceAgo(nowMs);
  return {
    fundingRate: scaledToDecimal(market.nextFundingRate, 18),
    nextFundingTime: market.nextFundingMs,
    markPrice: quotePrice(market, prices.mark),
    indexPrice: quotePrice(market, prices.index),
    lastTradePrice: lastPrice(market),
    liquidationPriceOff: rules.config.liquidationPriceOff,
    liquidationThreshold: rules.config.liquidationThreshold,
    openInterest: scaledToDecimal(market.openInterestPaper, instrument.paperDecimals),
    "24hVolume": instrument.formatAmount(volume.lots),
    price24HAgo: ago === undefined ? lastPrice(market) : instrument.formatPrice(Number(ago)),
    "24hQuoteVolume": instrument.creditToDecimal(volume.quote),
    offchainMarkPrice: quotePrice(market, market.offchainMark),
    offchainMarkPrice24HAgo: quotePrice(market, offchainDay.priceAgo(nowMs) ?? market.offchainMark),
  };
}

/** The last trade's price; 0 before the first trade. */
export function lastPrice({ instrument, lastTradeTicks }: Market): string {
  return lastTradeTicks === undefined ? "0" : instrument.formatPrice(lastTradeTicks);
}

/** A price in credit units per whole base unit as a decimal. */
export function quotePrice({ instrument }: Market, price: CreditUnits): string {
  return instrument.creditToDecimal(price);
}
