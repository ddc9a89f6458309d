import { scaledToDecimal } from "../../../core/instrument.js";
import { type CreditUnits, DAY_MS, type Ms } from "../../../core/units.js";
import type {
  WireContract,
  WireOrderBook,
  WireTradeVolume,
} from "../../../exchange/protocol/market-data.js";
import { KLINE_INTERVALS } from "../../../exchange/protocol/parameters.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { Market } from "../../markets/market.js";
import { ApiError } from "../api-error.js";
import {
  listLimit,
  oneOf,
  optionalId,
  optionalInteger,
  required,
  timeRange,
} from "../parameters.js";
import {
  lastPrice,
  levelRecords,
  markBarRecord,
  publicStatus,
  publicTradeFields,
  quotePrice,
  tradeBarRecord,
} from "../records/market-records.js";
import { writeRecords } from "../records/write-json.js";
import { requireMarket } from "./order-terms.js";
import { riskyAccountRecords } from "./risky-accounts.js";

const BOOK_LIMITS = [10, 20, 50, 100, 500, 1000];

/** The endpoints of public market data. */
export class PublicEndpoints {
  readonly #state: ExchangeState;
  #risky = "[]";
  #riskyReadMs = Number.NEGATIVE_INFINITY;

  constructor(state: ExchangeState) {
    this.#state = state;
  }

  /** GET /v1/time. */
  time(): string {
    return `{"serverTime":${this.#state.runtime.clock.nowMs()}}`;
  }

  /** GET /v1/orderbook. @throws ApiError 1111 for a limit that is not one of the six */
  orderbook(parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    const limit = optionalInteger(parameters, "limit") ?? 500;
    if (!BOOK_LIMITS.includes(limit)) {
      throw new ApiError(1111, `parameter limit is not one of ${BOOK_LIMITS.join(", ")}`);
    }
    const book: WireOrderBook = {
      bids: levelRecords(market, "BUY", limit),
      asks: levelRecords(market, "SELL", limit),
      sequence: market.depth.sequence,
      ticker_id: market.id,
      timestamp: this.#state.nowMs(),
    };
    return JSON.stringify(book);
  }

  /** GET /v1/trades: the newest. */
  trades(parameters: ReadonlyMap<string, string>): string {
    return this.#tradePage(
      requireMarket(this.#state, parameters),
      listLimit(parameters),
      undefined,
    );
  }

  /** GET /v1/historicalTrades: ascending from `fromId`, or the newest. */
  historicalTrades(parameters: ReadonlyMap<string, string>): string {
    return this.#tradePage(
      requireMarket(this.#state, parameters),
      listLimit(parameters),
      optionalId(parameters, "fromId"),
    );
  }

  #tradePage(market: Market, limit: number, fromId: string | undefined): string {
    const nowMs = this.#state.nowMs();
    const trades = market.trades.page({ fromId, limit });
    return writeRecords(
      trades.map((trade) => publicTradeFields(trade, publicStatus(trade, nowMs))),
    );
  }

  /** GET /v1/klines, by matching time. */
  klines(parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    return this.#candles(market, parameters, "trades");
  }

  /** GET /v1/markPriceKlines: marks sampled once a second; their volume is 0. */
  markPriceKlines(parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    return this.#candles(market, parameters, "marks");
  }

  /**
   * GET /v1/offchainMarkPriceWithVolKlines: the off-chain mark sampled once a second, with the
   * volume traded in each bar.
   */
  offchainMarkPriceWithVolKlines(parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    return this.#candles(market, parameters, "offchain");
  }

  #candles(
    market: Market,
    parameters: ReadonlyMap<string, string>,
    of: "trades" | "marks" | "offchain",
  ): string {
    const { choices } = this.#state.config;
    const interval = oneOf(required(parameters, "interval"), KLINE_INTERVALS, "interval");
    const page = { ...timeRange(parameters, choices), limit: listLimit(parameters) };
    const series = {
      trades: market.candles,
      marks: market.markCandles,
      offchain: market.offchainCandles,
    }[of];
    const records = series.page(interval, page, this.#state.nowMs()).map((bar) => {
      if (of === "trades") return tradeBarRecord(market, bar, choices);
      return markBarRecord(
        market,
        bar,
        choices,
        of === "marks" ? undefined : market.candles.at(interval, bar.timeMs),
      );
    });
    return JSON.stringify(records);
  }

  /**
   * GET /v1/platform/tradeVolume: of one market, or of all; days of UTC as far back as candles are
   * kept.
   */
  tradeVolume(parameters: ReadonlyMap<string, string>): string {
    const named = parameters.get("marketId")
      ? [requireMarket(this.#state, parameters)]
      : [...this.#state.markets.values()];
    const days = new Map<Ms, CreditUnits>();
    let total = 0n;
    for (const { volumeQuote, candles } of named) {
      total += volumeQuote;
      for (const day of candles.bars("1D"))
        days.set(day.timeMs, (days.get(day.timeMs) ?? 0n) + day.volumeQuote);
    }
    const quote = (units: CreditUnits) => scaledToDecimal(units, this.#state.config.creditDecimals);
    const dailyVolume = [...days]
      .sort(([one], [other]) => one - other)
      .map(([t, units]) => ({ t, v: quote(units) }));
    const answer: WireTradeVolume = { totalVolume: quote(total), dailyVolume };
    return JSON.stringify(answer);
  }

  /** GET /v1/fundingRate: paid fundings. */
  fundingRate(parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    const payments = market.fundings.page({
      ...timeRange(parameters, this.#state.config.choices),
      limit: listLimit(parameters),
    });
    return JSON.stringify(
      payments.map(({ rate, timeMs }) => ({
        marketId: market.id,
        fundingRate: scaledToDecimal(rate, 18),
        fundingTime: timeMs,
      })),
    );
  }

  /** GET /v1/contracts. */
  contracts(): string {
    const { lensAddress, markets } = this.#state;
    const contracts = [...markets.values()].map((market) => this.#contract(market));
    return JSON.stringify({
      contracts,
      ...(lensAddress === "" ? {} : { dealerLens: lensAddress }),
    });
  }

  /**
   * GET /v1/riskyAccounts: those above 80 % of risk, computed at most once in the configured time,
   * so `isSafe` may be stale.
   */
  riskyAccounts(): string {
    const nowMs = this.#state.nowMs();
    if (nowMs - this.#riskyReadMs >= this.#state.config.choices.riskyAccountsCacheMs) {
      this.#riskyReadMs = nowMs;
      this.#risky = JSON.stringify(riskyAccountRecords(this.#state));
    }
    return this.#risky;
  }

  #contract(market: Market): WireContract {
    const { instrument, rules } = market;
    const nowMs = this.#state.nowMs();
    const volume = market.day.volume(nowMs);
    const extremes = market.day.extremes(nowMs);
    const price = (value: bigint | undefined) =>
      value === undefined ? lastPrice(market) : instrument.formatPrice(Number(value));
    const { baseAsset, quoteAsset } = rules.config;
    return {
      ticker_id: market.id,
      base_currency: baseAsset,
      quote_currency: quoteAsset,
      last_price: lastPrice(market),
      base_volume: instrument.formatAmount(volume.lots),
      quote_volume: instrument.creditToDecimal(volume.quote),
      high: price(extremes?.high),
      low: price(extremes?.low),
      product_type: "PERP",
      open_interest: scaledToDecimal(market.openInterestPaper, instrument.paperDecimals),
      index_price: quotePrice(market, market.prices.index),
      index_name: `${baseAsset}/${quoteAsset}`,
      index_currency: quoteAsset,
      start_timestamp: String(nowMs - DAY_MS),
      end_timestamp: String(nowMs),
      funding_rate: scaledToDecimal(market.fundings.last()?.rate ?? 0n, 18),
      next_funding_rate: scaledToDecimal(market.nextFundingRate, 18),
      next_funding_rate_timestamp: String(market.nextFundingMs),
    };
  }
}
