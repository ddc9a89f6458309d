import { Decimal } from "decimal.js";
import type { ReplayMarket } from "../venue/replay-market.js";

/** Share of the traded volume from which our fills are reported: the default share for candles. */
const TOLD_FROM = 0.1;

const BEYOND = "a trade beyond a price fills all that rests there, however small it is";
const WHY = {
  books: BEYOND,
  trades: BEYOND,
  klines: "so much of a bar's volume had a price of its own, not the bar's (fills.volumeShare)",
} as const;

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
    if (lots <= TOLD_FROM * tradedLots) {
      // A candle shows no single trade.
      if (grade === "klines" || large.lots <= TOLD_FROM * restedLots) return [];
      const [fills, were] =
        large.fills === 1 ? ["1 fill", "was"] : [`${large.fills} fills`, "were"];
      const whose = `${fills} of its resting orders, ${base(large.lots)} base of ${base(restedLots)}`;
      return [
        `${marketId}: ${whose}, ${were} larger than anything that traded at once (at most ${base(largestBurstLots)}): ${BEYOND}, which flatters large orders`,
      ];
    }
    const share = lots / tradedLots;
    const times = share < 1 ? `${Math.round(100 * share)} % of` : `${share.toFixed(1)} times`;
    const whose = grade === "books" ? "its resting orders" : "its orders";
    const of =
      tradedLots === 0 ? "where nothing traded" : `${times} the ${base(tradedLots)} that traded`;
    return [
      `${marketId}: ${whose} had ${base(lots)} base, ${of}: ${WHY[grade]}, which flatters large orders`,
    ];
  });
}
