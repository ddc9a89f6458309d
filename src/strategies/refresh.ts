import type { MarketView } from "../market/view.js";
import type { Quote, QuotesIntent } from "./intent.js";

/**
 * Whether the quotes of the last intent may stand in place of the new ones, so that nothing need be emitted: the same slots
 * and sizes, every price within the tolerance, and none that would cross the view's touch.
 */
export function standsFor(last: QuotesIntent | undefined, next: QuotesIntent, view: MarketView, toleranceTicks: number): boolean {
  if (last === undefined || last.quotes.length !== next.quotes.length) return false;
  return next.quotes.every((wanted, at) => {
    const standing = last.quotes[at];
    return (
      standing.side === wanted.side &&
      standing.level === wanted.level &&
      standing.lots === wanted.lots &&
      Math.abs(standing.ticks - wanted.ticks) <= toleranceTicks &&
      !crosses(standing, view)
    );
  });
}

function crosses({ side, ticks }: Quote, view: MarketView): boolean {
  return side === "BUY" ? ticks >= view.asks[0].ticks : ticks <= view.bids[0].ticks;
}
