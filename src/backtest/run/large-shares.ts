import { Decimal } from "decimal.js";
import type { ReplayMarket } from "../venue/replay-market.js";

/** Our fills are told from this share on of all that traded: as much as candles give by default. */
const TOLD_FROM = 0.1;

/**
 * What no recording bounds: a trade beyond a quote's price fills all of the quote, however small the trade, and of trades alone nobody knows what there is to take. So a
 * profit grows with the size of its orders, past anything that the market had. Says so, in words, of each market whose fills were much of what traded there.
 * @param grade of candles nothing is said: their fills are bounded by a share of the volume.
 */
export function largeSharesOf(grade: "books" | "trades" | "klines", markets: Iterable<ReplayMarket>): string[] {
  if (grade === "klines") return [];
  return [...markets].flatMap(({ marketId, terms, volume: { tradedLots, restedLots, takenLots } }) => {
    // What takers have of a book is shown there.
    const lots = grade === "trades" ? restedLots + takenLots : restedLots;
    if (lots <= TOLD_FROM * tradedLots) return [];
    const base = (count: number): string => new Decimal(count).times(terms.instrument.stepSize).toFixed();
    const share = lots / tradedLots;
    const times = share < 1 ? `${Math.round(100 * share)} % of` : `${share.toFixed(1)} times`;
    const whose = grade === "trades" ? "its orders" : "its resting orders";
    const of = tradedLots === 0 ? "where nothing traded" : `${times} the ${base(tradedLots)} that traded`;
    return [
      `${marketId}: ${whose} had ${base(lots)} base, ${of}: a trade beyond a price fills all that rests there, however small it is, which flatters large orders`,
    ];
  });
}
