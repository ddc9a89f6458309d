import { basename } from "node:path";
import { signedRates } from "../../bot/execution/signed-rates.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { AmbiguousFillRule } from "../venue/ambiguous-fill-rule.js";
import type { PlayedHistory } from "./played-history.js";

/** A model or a setting for display in a report. */
export interface DescribedModel {
  readonly name: string;
  readonly value: string;
}

/** The main facts about how orders travelled, were filled and were charged. */
export function describeModels(config: BacktestConfig, history: PlayedHistory): DescribedModel[] {
  const { rules, account, asset, liquidation, warmupMs, history: requested } = config;
  const markets = Object.keys(requested.markets);
  const rates = markets.map((marketId) => {
    const { makerFeeRate, takerFeeRate } = signedRates(config.bot, rules.markets[marketId]);
    return {
      name: `Fees in ${marketId}`,
      value: `maker ${bpsText(makerFeeRate)} bps, taker ${bpsText(takerFeeRate)} bps`,
    };
  });
  const budgets = rules.rateLimits.map(
    ({ name, limit, intervalMs }) => `${name} ${limit} in ${intervalMs / 1000} s`,
  );
  return [
    ...fillModels(config, history),
    { name: "Latency of orders", value: latencyText(config) },
    ...marketModels(config),
    ...(history.grade === "klines"
      ? []
      : [
          {
            name: "Latency of market data",
            value: `as recorded; at least ${requested.baseLatencyMs} ms where it was not recorded`,
          },
        ]),
    ...carryModels(history),
    ...rates,
    { name: "Gas of small orders", value: gasText(config) },
    { name: "Token budgets", value: budgets.join(", ") },
    {
      name: "Account",
      value: `${account.creditQuote} ${asset} at the start; ${warmupMs / 1000} s of warm-up`,
    },
    {
      name: "Own liquidation",
      value: `${percentText(liquidation.priceOff)} worse than the mark, ${percentText(liquidation.insuranceFeeRate)} on top`,
    },
  ];
}

/** Markets with a queue model and latencies of their own. */
function marketModels({ fills: { markets = {} } }: BacktestConfig): DescribedModel[] {
  return Object.entries(markets).map(([id, { queue, orderLatencyMs, responseLatencyMs }]) => ({
    name: `Queue and latency in ${id}`,
    value: `${queue}, ${orderLatencyMs} ms to the exchange, ${responseLatencyMs} ms back`,
  }));
}

/** The sources of marks and funding. A history without either has none, and its report says so. */
function carryModels({ markets, grade }: PlayedHistory): DescribedModel[] {
  return markets.map(({ marketId, marks, hasFundingSchedule, funding }) => {
    const made =
      grade === "klines"
        ? "the price at each bar's open, high and low"
        : "the middle of the best prices";
    const mark = marks === undefined ? made : "as recorded";
    const paid =
      funding !== undefined
        ? "as paid by the exchange"
        : hasFundingSchedule
          ? "the rates recorded with the mark prices"
          : "none, since none was recorded";
    return { name: `Mark and funding in ${marketId}`, value: `mark: ${mark}; funding: ${paid}` };
  });
}

const DOUBTFUL: Readonly<Record<AmbiguousFillRule, string>> = {
  conservative:
    "where history does not show that an order rested, the higher of taker and maker fee, and no rebate for POST_ONLY",
  "by-book": "the maker fee where the recorded book lets an order rest, which is too optimistic",
};

function fillModels(
  { fills }: BacktestConfig,
  { grade, interval }: PlayedHistory,
): DescribedModel[] {
  const taker = { name: "Takers", value: `${fills.slippageTicks} ticks worse than the last price` };
  const ambiguous = { name: "Ambiguous fills", value: DOUBTFUL[fills.doubtful] };
  if (grade === "books") {
    return [
      { name: "Queue", value: `${fills.queue}${fills.partialFills ? "" : ", whole fills only"}` },
      ambiguous,
    ];
  }
  if (grade === "trades") {
    const value =
      fills.queueAheadBase === undefined
        ? "only by a trade beyond the price"
        : `behind ${fills.queueAheadBase} at the price`;
    return [{ name: "Fills", value }, taker, ambiguous];
  }
  return [
    {
      name: "Fills",
      value: `candles of ${interval}, at most ${percentText(fills.volumeShare)} of a candle's volume`,
    },
    taker,
    ambiguous,
  ];
}

function latencyText({
  fills: { latencyFile, feedLatency, orderLatencyMs, responseLatencyMs },
}: BacktestConfig): string {
  if (latencyFile !== undefined) return `recorded round trips of ${basename(latencyFile)}`;
  if (feedLatency === undefined)
    return `${orderLatencyMs} ms to the exchange, ${responseLatencyMs} ms back`;
  const { order, response } = feedLatency;
  return `from the latency of market data: orders ${order.factor} times + ${order.addMs} ms, responses ${response.factor} times + ${response.addMs} ms`;
}

function gasText({
  rules: { orderGasCredit = 0n, waiveGasFeeMinimumQuote, creditDecimals },
  asset,
  bot,
}: BacktestConfig): string {
  if (orderGasCredit === 0n || waiveGasFeeMinimumQuote === 0n) return "none: the rules have none";
  const credit = (units: bigint): string => scaledToDecimal(units, creditDecimals);
  const unit = bot.exchange.waiverUnit === "quote" ? asset : "of the base asset";
  return `${credit(orderGasCredit)} ${asset} on top of the fee of an order below ${credit(waiveGasFeeMinimumQuote)} ${unit}`;
}

function bpsText(rateE18: bigint): string {
  return scaledToDecimal(rateE18, 14);
}

function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(12))} %`;
}
