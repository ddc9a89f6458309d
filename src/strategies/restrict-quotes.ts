import type { Lots, Side, Ticks } from "../core/units.js";
import type { Quote } from "./intent.js";

/** The side that reduces a position; undefined without one. */
export function reducingSide(positionLots: Lots): Side | undefined {
  return positionLots === 0 ? undefined : positionLots > 0 ? "SELL" : "BUY";
}

/** The quotes that reduce a position, cut to its size, innermost first. */
export function keepReducing(quotes: readonly Quote[], positionLots: Lots): readonly Quote[] {
  const side = reducingSide(positionLots);
  let roomLots = Math.abs(positionLots);
  const kept: Quote[] = [];
  for (const quote of [...quotes].sort((a, b) => a.level - b.level)) {
    const lots = Math.min(quote.lots, roomLots);
    if (quote.side !== side || lots <= 0) continue;
    roomLots -= lots;
    kept.push(lots === quote.lots ? quote : { ...quote, lots });
  }
  return kept;
}

/**
 * The price of a quote that is so many times as far from a centre, at least by one tick, rounded
 * away from it.
 */
export function widenedTicks(
  { side, ticks }: Pick<Quote, "side" | "ticks">,
  factor: number,
  centreTicks: number,
): Ticks {
  const distance = side === "BUY" ? centreTicks - ticks : ticks - centreTicks;
  const wider = Math.max(distance * factor, distance + 1);
  return side === "BUY" ? Math.floor(centreTicks - wider) : Math.ceil(centreTicks + wider);
}
