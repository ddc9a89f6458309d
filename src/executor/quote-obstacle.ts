import type { Side, Ticks } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type { Quote } from "../strategies/intent.js";
import { type BestPrices, crosses, findCrossedOrder, opposingPrice } from "./crossing.js";
import type { PlannedPlace } from "./plan.js";
import type { WorkingOrder } from "./working-order.js";

/**
 * Manual orders of the account in this market. They are counted and never changed
 * (docs/ideas/design.md#order-identity).
 */
export interface ManualOrders {
  readonly touch: BestPrices;
  readonly openOrders: number;
}

/** The market and the orders around a quote. */
export interface QuoteSurroundings {
  /** All desired quotes. */
  readonly quotes: readonly Quote[];
  /** The own orders of this market that may still fill. */
  readonly working: readonly WorkingOrder[];
  readonly rules: Pick<MarketRules, "minTicks" | "maxTicks" | "minLots" | "maxLots">;
  /** The newest touch of the exchange's book, without our own orders. */
  readonly touch: BestPrices;
  readonly foreign: ManualOrders;
}

/**
 * The reason why a quote may not be placed at `ticks` now: the filters of its market, the touch or
 * another order of the account. Undefined if it may.
 * @param places orders that the same plan already places
 */
export function quoteObstacle(
  input: QuoteSurroundings,
  quote: Quote,
  ticks: Ticks,
  places: readonly PlannedPlace[],
): string | undefined {
  const { rules, touch, foreign, working } = input;
  const { side, lots } = quote;
  if (!Number.isSafeInteger(ticks) || ticks < rules.minTicks || ticks > rules.maxTicks) {
    return `price ${ticks} is outside the market's ${rules.minTicks} to ${rules.maxTicks} ticks`;
  }
  if (!Number.isSafeInteger(lots) || lots < rules.minLots || lots > rules.maxLots) {
    return `size ${lots} is outside the market's ${rules.minLots} to ${rules.maxLots} lots`;
  }
  if (crosses(side, ticks, opposingPrice(side, touch)))
    return `would cross the touch at ${opposingPrice(side, touch)}`;
  if (crosses(side, ticks, opposingPrice(side, foreign.touch))) {
    return `would cross the account's manual order at ${opposingPrice(side, foreign.touch)}`;
  }
  const own = findCrossedOrder(side, ticks, working);
  if (own !== undefined)
    return `would cross the account's own ${own.side} ${own.hash} at ${own.ticks} (${own.phase})`;
  for (const place of places) {
    if (place.side !== side && crosses(side, ticks, place.ticks))
      return "would cross a quote of this plan";
  }
  if (ticks !== quote.ticks && isPriceTaken(input, side, ticks, places))
    return `behind the touch, but another quote is already at ${ticks}`;
  return undefined;
}

/**
 * Prevents levels behind the touch from accumulating at one price, with more size than the intent
 * has there.
 */
function isPriceTaken(
  input: QuoteSurroundings,
  side: Side,
  ticks: Ticks,
  places: readonly PlannedPlace[],
): boolean {
  return (
    places.some((place) => place.side === side && place.ticks === ticks) ||
    input.working.some((order) => order.side === side && order.ticks === ticks) ||
    input.quotes.some((quote) => quote.side === side && quote.ticks === ticks)
  );
}
