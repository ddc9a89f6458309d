import { Decimal } from "decimal.js";
import { signedRates } from "../../bot/execution/signed-rates.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { ReplayMarket } from "../venue/replay-market.js";

/**
 * Fractions scaled by 10^18. A rate beyond them is probably in another unit: 10 bps of rebate, 2 %
 * of fee.
 */
const MOST_REBATE = 10n ** 15n;
const MOST_FEE = 2n * 10n ** 16n;
const PERCENT_DECIMALS = 16;

/** Share of the traded volume from which our fills are reported: the default share for candles. */
const REPORTED_FROM = 0.1;

const BEYOND = "a trade beyond a price fills all resting orders there, however small the trade is";
const WHY = {
  books: BEYOND,
  trades: BEYOND,
  klines: "so large a share of a bar's volume would have moved the price (fills.volumeShare)",
} as const;

/** Names the fee rates that no known exchange has. The profit of a run with them is not real. */
export function describeImplausibleFees({
  bot,
  rules,
  history,
}: Pick<BacktestConfig, "bot" | "rules" | "history">): string[] {
  return Object.keys(history.markets).flatMap((marketId) => {
    const { makerFeeRate, takerFeeRate } = signedRates(bot, rules.markets[marketId]);
    const rates = `makers pay ${percent(makerFeeRate)}, takers ${percent(takerFeeRate)}`;
    const warning = (why: string): string[] => [
      `${marketId}: ${rates}: ${why} (a rate is a fraction: 0.0001 is 0.01 %)`,
    ];
    if (makerFeeRate < -MOST_REBATE || takerFeeRate < -MOST_REBATE)
      return warning("no exchange is known to pay so much");
    if (makerFeeRate > MOST_FEE || takerFeeRate > MOST_FEE)
      return warning("no exchange is known to charge so much");
    if (makerFeeRate + takerFeeRate < 0n)
      return warning("the exchange would pay more for each trade than it charges");
    return [];
  });
}

/**
 * Warns of each market in which our fills were a large share of the traded volume. No recording
 * bounds them: a trade beyond a quote's price fills all of the quote, however small the trade. For
 * trades alone the liquidity for takers is not known either. So profit grows with the order size,
 * beyond anything that the market had. For candles the warning applies where `fills.volumeShare` is
 * above its default. For the others it also applies where single fills are of a size that never
 * traded at once: in a busy market a few fills of a large order are a small share of the volume.
 */
export function describeLargeShares(
  grade: "books" | "trades" | "klines",
  markets: Iterable<Pick<ReplayMarket, "marketId" | "terms" | "volume">>,
): string[] {
  return [...markets].flatMap(({ marketId, terms, volume }) => {
    const { tradedLots, restedLots, takenLots, largestBurstLots, large } = volume;
    const base = (count: number): string =>
      new Decimal(count).times(terms.instrument.stepSize).toFixed();
    // The book shows the liquidity for takers.
    const lots = grade === "books" ? restedLots : restedLots + takenLots;
    if (lots <= REPORTED_FROM * tradedLots) {
      // A candle shows no single trade.
      if (grade === "klines" || large.lots <= REPORTED_FROM * restedLots) return [];
      const [fills, were] =
        large.fills === 1 ? ["1 fill", "was"] : [`${large.fills} fills`, "were"];
      const whose = `${fills} of its resting orders, ${base(large.lots)} base of ${base(restedLots)}`;
      return [
        `${marketId}: ${whose}, ${were} larger than any amount that traded at once (at most ${base(largestBurstLots)}): ${BEYOND}, so large orders look too profitable`,
      ];
    }
    const share = lots / tradedLots;
    const times = share < 1 ? `${Math.round(100 * share)} % of` : `${share.toFixed(1)} times`;
    const whose = grade === "books" ? "its resting orders" : "its orders";
    const of =
      tradedLots === 0 ? "where nothing traded" : `${times} the ${base(tradedLots)} that traded`;
    return [
      `${marketId}: ${whose} had ${base(lots)} base, ${of}: ${WHY[grade]}, so large orders look too profitable`,
    ];
  });
}

function percent(rate: bigint): string {
  return `${scaledToDecimal(rate, PERCENT_DECIMALS)} %`;
}
