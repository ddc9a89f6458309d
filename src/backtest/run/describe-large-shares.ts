import { Decimal } from "decimal.js";
import type { ReplayMarket } from "../venue/replay-market.js";

/** Our fills are told from this share on of all that traded: as much as candles give by default. */
const TOLD_FROM = 0.1;

const BEYOND = "a trade beyond a price fills all that rests there, however small it is";
const WHY = {
  books: BEYOND,
  trades: BEYOND,
  klines: "so much of a bar's volume had a price of its own, not the bar's (fills.volumeShare)",
} as const;

/**
 * What no recording bounds: a trade beyond a quote's price fills all of the quote, however small the trade, and of trades alone nobody knows what there is to take. So a
 * profit grows with the size of its orders, past anything that the market had. Says so, in words, of each market whose fills were much of what traded there.
 * Of candles it is where `fills.volumeShare` grants more than it does by default. Of the others it is said too where single fills are of a size that never traded at once: in a
 * market that trades much, a few fills of a large order are a small share of it all.
 */
export function describeLargeShares(
  grade: "books" | "trades" | "klines",
  markets: Iterable<Pick<ReplayMarket, "marketId" | "terms" | "volume">>,
): string[] {
  return [...markets].flatMap(({ marketId, terms, volume }) => {
    const { tradedLots, restedLots, takenLots, largestBurstLots: mostAtOnceLots, large } = volume;
    const base = (count: number): string =>
      new Decimal(count).times(terms.instrument.stepSize).toFixed();
    // What takers have of a book is shown there.
    const lots = grade === "books" ? restedLots : restedLots + takenLots;
    if (lots <= TOLD_FROM * tradedLots) {
      // A candle tells of no single trade.
      if (grade === "klines" || large.lots <= TOLD_FROM * restedLots) return [];
      const [fills, were] =
        large.fills === 1 ? ["1 fill", "was"] : [`${large.fills} fills`, "were"];
      const whose = `${fills} of its resting orders, ${base(large.lots)} base of ${base(restedLots)}`;
      return [
        `${marketId}: ${whose}, ${were} larger than anything that traded at once (at most ${base(mostAtOnceLots)}): ${BEYOND}, which flatters large orders`,
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
