import { z } from "zod";
import { scaledToDecimal } from "../../../../core/instrument.js";
import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { Market } from "../../../markets/market.js";
import { quotePrice } from "../../../rest/records/market-records.js";
import { usdmPrice } from "../records/usdm-decimals.js";
import {
  usdmAggregateTrade,
  usdmBookTicker,
  usdmDayTicker,
  usdmKline,
  usdmLastPrice,
  usdmLevels,
  usdmPremiumIndex,
  usdmRate,
  usdmTrade,
} from "../records/usdm-market-records.js";
import type { UsdmDepth, UsdmKline } from "../records/usdm-market-wire.js";
import type { UsdmConfig } from "../usdm-config.js";
import { UsdmError } from "../usdm-error.js";
import type { UsdmIds } from "../usdm-ids.js";
import { symbolOf, type UsdmSymbols } from "../usdm-symbols.js";
import { usdmExchangeInfo } from "./usdm-exchange-info.js";
import { usdmInterval } from "./usdm-intervals.js";
import {
  limitUpTo,
  readUsdmParameters,
  symbolText,
  timeSpan,
  type UsdmParameters,
  wholeNumber,
} from "./usdm-parameters.js";

const DEPTH_LIMITS = [5, 10, 20, 50, 100, 500, 1000];

const oneSymbol = z.object({ symbol: symbolText });
const maybeSymbol = z.object({ symbol: symbolText.optional() });
const depthShape = z.object({ symbol: symbolText, limit: wholeNumber.optional() });
const tradesShape = z.object({ symbol: symbolText, limit: limitUpTo(1000, 500) });
const oldTradesShape = z.object({ ...tradesShape.shape, fromId: wholeNumber.optional() });
const aggregateShape = z.object({ ...oldTradesShape.shape, ...timeSpan });
const klinesShape = z.object({
  symbol: symbolText,
  interval: z.string(),
  limit: limitUpTo(1500, 500),
  ...timeSpan,
});
const fundingShape = z.object({
  symbol: symbolText.optional(),
  limit: limitUpTo(1000, 100),
  ...timeSpan,
});

/** The endpoints of public market data. */
export class UsdmMarketEndpoints {
  readonly #state: ExchangeState;
  readonly #symbols: UsdmSymbols;
  readonly #ids: UsdmIds;
  readonly #config: UsdmConfig;

  constructor(state: ExchangeState, symbols: UsdmSymbols, ids: UsdmIds, config: UsdmConfig) {
    this.#state = state;
    this.#symbols = symbols;
    this.#ids = ids;
    this.#config = config;
  }

  time() {
    return { serverTime: this.#state.runtime.clock.nowMs() };
  }

  exchangeInfo() {
    return usdmExchangeInfo(this.#state, this.#symbols, this.#config);
  }

  /** @throws UsdmError -4021 for a limit that is not one of the seven */
  depth(parameters: UsdmParameters): UsdmDepth {
    const { symbol, limit = 500 } = readUsdmParameters(depthShape, parameters);
    if (!DEPTH_LIMITS.includes(limit)) {
      throw new UsdmError("-4021", `${limit} is not valid depth limit.`);
    }
    const market = this.#symbols.market(symbol);
    const nowMs = this.#state.nowMs();
    return {
      lastUpdateId: market.depth.sequence,
      E: nowMs,
      T: nowMs,
      bids: usdmLevels(market, "BUY", limit),
      asks: usdmLevels(market, "SELL", limit),
    };
  }

  trades(parameters: UsdmParameters) {
    const { symbol, limit } = readUsdmParameters(tradesShape, parameters);
    const { trades } = this.#symbols.market(symbol);
    return trades.page({ limit }).map((trade) => usdmTrade(trade, this.#ids));
  }

  historicalTrades(parameters: UsdmParameters) {
    const { symbol, limit, fromId } = readUsdmParameters(oldTradesShape, parameters);
    const { trades } = this.#symbols.market(symbol);
    return trades
      .page({ limit, fromId: this.#id(fromId) })
      .map((trade) => usdmTrade(trade, this.#ids));
  }

  aggregateTrades(parameters: UsdmParameters) {
    const { symbol, limit, fromId, startTime, endTime } = readUsdmParameters(
      aggregateShape,
      parameters,
    );
    const { trades } = this.#symbols.market(symbol);
    return trades
      .page({ limit, fromId: this.#id(fromId), startMs: startTime, endMs: after(endTime) })
      .map((trade) => usdmAggregateTrade(trade, this.#ids));
  }

  klines(parameters: UsdmParameters) {
    return this.#bars(parameters, "trades");
  }

  markPriceKlines(parameters: UsdmParameters) {
    return this.#bars(parameters, "marks");
  }

  #bars(parameters: UsdmParameters, of: "trades" | "marks"): UsdmKline[] {
    const given = readUsdmParameters(klinesShape, parameters);
    const interval = usdmInterval(given.interval);
    const market = this.#symbols.market(given.symbol);
    const series = of === "trades" ? market.candles : market.markCandles;
    const price = (value: bigint) =>
      of === "trades" ? usdmPrice(market.instrument, Number(value)) : quotePrice(market, value);
    const page = {
      limit: given.limit,
      startMs: given.startTime,
      endMs: after(given.endTime),
    };
    return series
      .page(interval, page, this.#state.nowMs())
      .map((bar) => usdmKline(market, interval, bar, price));
  }

  premiumIndex(parameters: UsdmParameters) {
    const nowMs = this.#state.nowMs();
    return this.#oneOrAll(parameters, (market) => usdmPremiumIndex(market, nowMs));
  }

  fundingRate(parameters: UsdmParameters) {
    const { symbol, limit, startTime, endTime } = readUsdmParameters(fundingShape, parameters);
    const markets =
      symbol === undefined ? [...this.#symbols.all.values()] : [this.#symbols.market(symbol)];
    return markets
      .flatMap((market) =>
        market.fundings
          .page({ limit, startMs: startTime, endMs: after(endTime) })
          .map(({ rate, timeMs }) => ({
            symbol: symbolOf(market),
            fundingRate: usdmRate(rate),
            fundingTime: timeMs,
            markPrice: quotePrice(market, market.prices.mark),
          })),
      )
      .sort((one, other) => one.fundingTime - other.fundingTime)
      .slice(0, limit);
  }

  fundingInfo() {
    return [...this.#symbols.all].map(([symbol, { rules }]) => {
      const { bound } = rules.premium;
      const cap = bound === null ? "1" : usdmRate(bound);
      return {
        symbol,
        adjustedFundingRateCap: cap,
        adjustedFundingRateFloor: `-${cap}`,
        fundingIntervalHours: rules.config.funding.intervalMs / 3_600_000,
        disclaimer: false,
      };
    });
  }

  dayTicker(parameters: UsdmParameters) {
    const nowMs = this.#state.nowMs();
    return this.#oneOrAll(parameters, (market) => usdmDayTicker(market, this.#ids, nowMs));
  }

  priceTicker(parameters: UsdmParameters) {
    const time = this.#state.nowMs();
    return this.#oneOrAll(parameters, (market) => ({
      symbol: symbolOf(market),
      price: usdmLastPrice(market),
      time,
    }));
  }

  bookTicker(parameters: UsdmParameters) {
    const nowMs = this.#state.nowMs();
    return this.#oneOrAll(parameters, (market) => usdmBookTicker(market, nowMs));
  }

  openInterest(parameters: UsdmParameters) {
    const { symbol } = readUsdmParameters(oneSymbol, parameters);
    const { openInterestPaper, instrument } = this.#symbols.market(symbol);
    return {
      symbol,
      openInterest: scaledToDecimal(openInterestPaper, instrument.paperDecimals),
      time: this.#state.nowMs(),
    };
  }

  /** One record for a named symbol, a list of all without one. */
  #oneOrAll<Record>(parameters: UsdmParameters, record: (market: Market) => Record) {
    const { symbol } = readUsdmParameters(maybeSymbol, parameters);
    return symbol === undefined
      ? [...this.#symbols.all.values()].map(record)
      : record(this.#symbols.market(symbol));
  }

  #id(fromId: number | undefined): string | undefined {
    return fromId === undefined ? undefined : this.#ids.toId(fromId);
  }
}

/** The exclusive end of a span whose given end is inclusive. */
function after(endTime: number | undefined): number | undefined {
  return endTime === undefined ? undefined : endTime + 1;
}
