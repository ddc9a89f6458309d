import { halfTickLotIn } from "../../account/markouts/half-tick-lot.js";
import { MARKOUT_SECONDS } from "../../account/markouts/markouts.js";
import type { SideTimes } from "../../account/quoting/quote-clock.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { FillCause } from "../matching/matcher.js";
import type { AmbiguousFillSum } from "../record/ambiguous-fills.js";
import type { FillSum } from "../record/fill-totals.js";
import type { ActionCounts, MarketRecorder } from "../record/market-recorder.js";
import type { QuotedStretch } from "../record/quotes/quote-series.js";
import type { Charted, TimeColumn } from "../record/quotes/time-grid.js";
import { REPORT_PARTS, type SplitProfit } from "../record/split-profit.js";
import { formatAmount, midPrice, quotedPrice } from "./market-decimals.js";
import type { Report } from "./report-schema.js";
import { signalReport } from "./signal-report.js";

type MarketReport = Report["markets"][number];

/**
 * Builds one market's part of a report.
 * @param decimals of the profit's units.
 */
export function marketReport(
  marketId: string,
  strategy: string,
  market: MarketRecorder,
  span: { readonly endUs: number; readonly buckets: number; readonly decimals: number },
): MarketReport {
  const { instrument, fills, profit } = market;
  const signal = signalReport(market.signal);
  const sum = ({ fills: number, lots, quote, fees }: FillSum) => ({
    fills: number,
    turnover: instrument.creditToDecimal(quote),
    fees: instrument.creditToDecimal(fees),
    amount: formatAmount(instrument, lots),
  });
  const ambiguousSum = (of: AmbiguousFillSum) => ({
    ...sum(of),
    feesOtherwise: instrument.creditToDecimal(of.feesOtherwise),
    spread: scaledToDecimal(of.spread * halfTickLotIn(instrument, span.decimals), span.decimals),
  });
  const byCause = Object.fromEntries(
    [...fills.byCause].map(([cause, of]) => [cause, sum(of)]),
  ) as Record<FillCause, ReturnType<typeof sum>>;
  const position = market.position.times(span.endUs);
  const quotes = market.quotes.times(span.endUs);
  const shareOf = (us: number): number => (quotes.totalUs > 0 ? us / quotes.totalUs : 0);
  const side = (times: SideTimes) => ({
    resting: shareOf(times.restingUs),
    atTouch: shareOf(times.atTouchUs),
    meanDistanceTicks: numberOrNull(times.meanDistanceTicks),
  });
  return {
    marketId,
    strategy,
    tickSize: instrument.tickSize,
    stepSize: instrument.stepSize,
    profit: profitText(profit, span.decimals),
    profitPerTurnoverBps: profitToBps(
      profit.total,
      fills.all.quote,
      span.decimals - instrument.creditDecimals,
    ),
    fills: {
      all: sum(fills.all),
      maker: sum(fills.maker),
      taker: sum(fills.taker),
      buys: sum(fills.buys),
      sells: sum(fills.sells),
      byCause,
      doubtful: {
        asTakers: ambiguousSum(fills.doubtful.asTakers),
        asMakers: ambiguousSum(fills.doubtful.asMakers),
        postOnly: ambiguousSum(fills.doubtful.postOnly),
      },
    },
    orders: ordersReport(market.actions, fills.ordersFilled),
    position: {
      min: formatAmount(instrument, position.minLots),
      max: formatAmount(instrument, position.maxLots),
      last: formatAmount(instrument, position.lastLots),
      meanAbs: position.meanAbsLots * instrument.lotBase,
    },
    quotes: { both: shareOf(quotes.bothUs), bid: side(quotes.bid), ask: side(quotes.ask) },
    funding: {
      payments: market.funding.payments,
      paid: instrument.creditToDecimal(market.funding.paid),
      received: instrument.creditToDecimal(market.funding.received),
    },
    markouts: market.markouts.result().map(({ side, level, fills, horizons }) => ({
      side,
      level,
      fills,
      horizons: MARKOUT_SECONDS.map((_, index) => {
        const band = horizons[index];
        return band === undefined
          ? null
          : {
              fills: band.count,
              meanTicks: band.mean / 2,
              halfBandTicks: band.halfBand === undefined ? null : band.halfBand / 2,
              blocks: band.blocks,
            };
      }),
    })),
    ...(signal === undefined ? {} : { signal }),
    series: {
      mid: seriesText(market.midColumn, span.buckets, (mid) => midPrice(instrument, mid)),
      position: seriesText(market.positionColumn, span.buckets, (lots) =>
        formatAmount(instrument, lots),
      ),
      ownBid: seriesText(market.ownBidColumn, span.buckets, (ticks) =>
        quotedPrice(instrument, ticks),
      ),
      ownAsk: seriesText(market.ownAskColumn, span.buckets, (ticks) =>
        quotedPrice(instrument, ticks),
      ),
      quoting: quotingText(market.quoting.stretches(span.buckets)),
    },
  };
}

/** For charts: shares to a ten-thousandth, distances to five digits. */
function quotingText(
  stretches: readonly (QuotedStretch | undefined)[],
): MarketReport["series"]["quoting"] {
  const of = (name: keyof QuotedStretch, round: (value: number) => number): (number | null)[] =>
    stretches.map((stretch) =>
      stretch === undefined || Number.isNaN(stretch[name]) ? null : round(stretch[name]),
    );
  const share = (value: number): number => Number(value.toFixed(4));
  const ticks = (value: number): number => Number(value.toPrecision(5));
  return {
    both: of("both", share),
    bid: of("bid", share),
    ask: of("ask", share),
    bidTicks: of("bidTicks", ticks),
    askTicks: of("askTicks", ticks),
  };
}

/** Profit by its parts as exact decimals. */
export function profitText(profit: SplitProfit, decimals: number): Report["profit"] {
  return Object.fromEntries(
    [...REPORT_PARTS, "total" as const].map((name) => [
      name,
      scaledToDecimal(profit[name], decimals),
    ]),
  ) as Report["profit"];
}

/** A series over a number of buckets, whatever it received last. */
export function seriesText<T extends Charted, Text>(
  column: TimeColumn<T>,
  buckets: number,
  text: (value: T) => Text,
): { min: (Text | null)[]; max: (Text | null)[]; last: (Text | null)[] } {
  const texts = (values: readonly (T | undefined)[]) =>
    Array.from({ length: buckets }, (_, bucket) => {
      const value = values[bucket];
      return value === undefined ? null : text(value);
    });
  return { min: texts(column.min), max: texts(column.max), last: texts(column.last) };
}

/** Counts of the orders and their outcome. */
export function ordersReport(actions: Readonly<ActionCounts>, filled: number): Report["orders"] {
  return {
    placed: actions.place,
    filled,
    fillRatio: actions.place === 0 ? null : filled / actions.place,
    cancels: actions.cancel,
    cancelAlls: actions["cancel-all"],
    throttled: actions.throttled,
  };
}

/**
 * Profit in basis points of the turnover; null without any.
 * @param finer decimals that the profit has beyond credit units.
 */
export function profitToBps(profit: bigint, turnover: bigint, finer: number): number | null {
  return turnover === 0n ? null : (Number(profit) / Number(turnover) / 10 ** finer) * 10_000;
}

/** JSON has no NaN. */
export function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
