import type { MarketView } from "../market/view.js";
import type { Quote, QuotesIntent } from "./intent.js";

/**
 * Whether the quotes of the last intent may stand in place of the new ones, so that nothing need be emitted: the same slots
 * and sizes, every price within the tolerance, and none that would cross the view's touch.
 */
export function standsFor(last: QuotesIntent | undefined, next: QuotesIntent, view: MarketView, toleranceTicks: number): boolean {
  if (last === undefined || last.quotes.length !== next.quotes.length) return false;
  for (let at = 0; at < next.quotes.length; at++) {
    const wanted = next.quotes[at];
    const standing = last.quotes[at];
    if (standing.side !== wanted.side || standing.level !== wanted.level || standing.lots !== wanted.lots) return false;
    if (!(Math.abs(standing.ticks - wanted.ticks) <= toleranceTicks) || crosses(standing, view)) return false;
  }
  return true;
}

function crosses({ side, ticks }: Quote, view: MarketView): boolean {
  return side === "BUY" ? ticks >= view.asks[0].ticks : ticks <= view.bids[0].ticks;
}
