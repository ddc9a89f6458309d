import { MARKOUT_SECONDS } from "../../account/markouts/markouts.js";
import type { QuoteTimes } from "../../account/quoting/quote-clock.js";
import type { Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";
import type { DayFill, DayMarkout, DayRow } from "../../ledger/days/day-row.js";
import type { Bot } from "../engine/bot.js";
import type { MarketTrader } from "../market/market-trader.js";
import { quotingCause } from "../market/quoting-cause.js";

/** A fill is forgotten this long after it: its longest markout is known by then, or never. */
const KEPT_MS: Ms = 1000 * Math.max(...MARKOUT_SECONDS) + 60_000;

/** Columns of a market's row that are sums over the interval. */
const NO_COUNTS = {
  placed: 0,
  ordersFilled: 0,
  cancels: 0,
  cancelAlls: 0,
  throttled: 0,
  fundingPayments: 0,
  fundingPaid: 0n,
  fundingReceived: 0n,
};

/** Columns of the quotes' time. */
const QUOTED = [
  "bothUs",
  "bidUs",
  "askUs",
  "bidTouchUs",
  "askTouchUs",
  "bidMeasuredUs",
  "askMeasuredUs",
  "bidTickUs",
  "askTickUs",
] as const;
type QuotedTimes = Record<(typeof QUOTED)[number], number>;

/** Gathers one market of a bot between two rows of a day file. It reads the bot only. */
export class MarketInterval {
  readonly #bot: Bot;
  readonly #trader: MarketTrader;
  readonly #exchangeNowMs: () => Ms;
  readonly #counts = { ...NO_COUNTS };
  readonly #known = new Map<string, DayFill>();
  readonly #causes = new Map<string, number>();
  #fills: DayFill[] = [];
  #markouts: DayMarkout[] = [];
  /** Totals since the start, whole, as of the last row. */
  #written: QuotedTimes = toQuoted(undefined);
  /** Time that was not on both sides, as of the last look, µs. */
  #missedUs = 0;
  /** The part of it that earlier rows have. */
  #missedWritten = 0;

  constructor(bot: Bot, trader: MarketTrader, exchangeNowMs: () => Ms) {
    this.#bot = bot;
    this.#trader = trader;
    this.#exchangeNowMs = exchangeNowMs;
    const { marketId } = trader;
    bot.context.statistics.market(marketId)?.listen({
      onFill: (trade, level) => {
        const { id, side, timeMs: matchedMs, ticks, lots, isMaker, quote, commission } = trade;
        const { lastTouch } = trader;
        const midHalfTicks =
          bot.context.account.midAtMatch(trade) ??
          (lastTouch === null ? undefined : lastTouch.bidTicks + lastTouch.askTicks);
        const fill: DayFill = {
          id,
          matchedMs,
          heardMs: exchangeNowMs(),
          side,
          level,
          ticks,
          lots,
          isMaker,
          quote,
          fee: commission,
          ...(midHalfTicks === undefined ? {} : { midHalfTicks }),
          positionLots: bot.context.account.positionLots(marketId),
        };
        this.#fills.push(fill);
        this.#known.set(`${side} ${id}`, fill);
      },
      onMarkout: ({ id, horizon, midHalfTicks }) => {
        const fill = this.#known.get(id);
        if (fill !== undefined) this.#markouts.push(toDayMarkout(fill, horizon, midHalfTicks));
      },
    });
  }

  add(count: "placed" | "ordersFilled" | "cancels" | "cancelAlls" | "throttled"): void {
    this.#counts[count] += 1;
  }

  funding({ amount }: VenueIncome): void {
    this.#counts.fundingPayments += 1;
    if (amount < 0n) this.#counts.fundingPaid -= amount;
    else this.#counts.fundingReceived += amount;
  }

  /** Assigns the time since the last look that was not on both sides to its present cause. */
  look(monotonicMs: Ms): void {
    const times = this.#times(monotonicMs);
    if (times === undefined) return;
    const missedUs = Math.round(times.totalUs) - Math.round(times.bothUs);
    const addedUs = missedUs - this.#missedUs;
    if (addedUs <= 0) return;
    this.#missedUs = missedUs;
    const { context, tradingGuards } = this.#bot;
    const cause = quotingCause(context, tradingGuards, this.#trader);
    this.#causes.set(cause, (this.#causes.get(cause) ?? 0) + addedUs);
  }

  /** The row of the interval; the next one begins. */
  take(monotonicMs: Ms, interval: Pick<DayRow, "session" | "fromMs" | "atMs">): DayRow {
    this.look(monotonicMs);
    const { account, hedges, statistics } = this.#bot.context;
    const { marketId, lastTouch, state, book } = this.#trader;
    const times = this.#times(monotonicMs);
    const quoted = toQuoted(times);
    const between = Object.fromEntries(
      QUOTED.map((name) => [name, quoted[name] - this.#written[name]]),
    ) as QuotedTimes;
    this.#written = quoted;
    const missed = this.#missedUs - this.#missedWritten;
    this.#missedWritten = this.#missedUs;
    const { spread, inventory, fees, funding, basis, failed, liquidation, other } =
      account.profit(marketId);
    const own = statistics.market(marketId)?.ownTouch;
    const hedged = hedges.get(marketId);
    const hedgeProfit = hedged === undefined ? undefined : hedges.profitOf(hedged);
    const row: DayRow = {
      ...interval,
      // Exactly what is assigned to sides and causes.
      elapsedUs: between.bothUs + missed,
      marketId,
      ...(hedgeProfit === undefined ? {} : { hedgeProfit }),
      ...{ spread, inventory, fees, funding, basis, failed, liquidation, other },
      ...(account.confirmed ? { positionLots: account.positionLots(marketId) } : {}),
      ...(lastTouch === null || !book.isSynchronised
        ? {}
        : { midHalfTicks: lastTouch.bidTicks + lastTouch.askTicks }),
      ...(state.mark === undefined ? {} : { mark: state.mark }),
      ...(own === undefined || Number.isNaN(own.bidTicks) ? {} : { ownBidTicks: own.bidTicks }),
      ...(own === undefined || Number.isNaN(own.askTicks) ? {} : { ownAskTicks: own.askTicks }),
      ...between,
      ...(this.#causes.size === 0
        ? {}
        : { causes: [...this.#causes].map(([cause, us]) => ({ cause, us })) }),
      ...this.#counts,
      ...(this.#fills.length === 0 ? {} : { fills: this.#fills }),
      ...(this.#markouts.length === 0 ? {} : { markouts: this.#markouts }),
    };
    Object.assign(this.#counts, NO_COUNTS);
    this.#causes.clear();
    this.#fills = [];
    this.#markouts = [];
    this.#forget();
    return row;
  }

  #times(monotonicMs: Ms): QuoteTimes | undefined {
    return this.#bot.context.statistics.market(this.#trader.marketId)?.quoting(monotonicMs);
  }

  #forget(): void {
    const before = this.#exchangeNowMs() - KEPT_MS;
    for (const [key, { matchedMs, heardMs }] of this.#known) {
      if (Math.max(matchedMs, heardMs) >= before) break;
      this.#known.delete(key);
    }
  }
}

/** Whole microseconds: the sum of the rows is then the total to the last one. */
function toQuoted(times: QuoteTimes | undefined): QuotedTimes {
  const of = (value: number | undefined): number => Math.round(value ?? 0);
  return {
    bothUs: of(times?.bothUs),
    bidUs: of(times?.bid.restingUs),
    askUs: of(times?.ask.restingUs),
    bidTouchUs: of(times?.bid.atTouchUs),
    askTouchUs: of(times?.ask.atTouchUs),
    bidMeasuredUs: of(times?.bid.measuredUs),
    askMeasuredUs: of(times?.ask.measuredUs),
    bidTickUs: of(times?.bid.distanceTickUs),
    askTickUs: of(times?.ask.distanceTickUs),
  };
}

function toDayMarkout(fill: DayFill, horizon: number, midHalfTicks: number): DayMarkout {
  const { id, matchedMs, side, level, ticks, lots, isMaker } = fill;
  return {
    id,
    matchedUs: matchedMs * 1000,
    side,
    level,
    ticks,
    lots,
    horizonMs: 1000 * (MARKOUT_SECONDS[horizon] as number),
    midHalfTicks,
    ...(fill.midHalfTicks === undefined ? {} : { fillMidHalfTicks: fill.midHalfTicks }),
    isMaker,
  };
}
