import type { Lots } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type { Quote } from "../strategies/intent.js";
import { keepReducing, reducingSide, widenedTicks } from "../strategies/restrict-quotes.js";
import { type LadderEffect, NO_EFFECT } from "./risk-ladder.js";

/** The market state that quotes are checked against. */
interface LadderQuotesInput {
  readonly effect: LadderEffect;
  /** Mid that the strategy quoted around, without own orders, in fractional ticks. */
  readonly midTicks: number;
  /** Signed: pending and filled. */
  readonly positionLots: Lots;
  readonly rules: Pick<MarketRules, "minTicks" | "maxTicks">;
}

/**
 * Applies the effect of the risk ladder to a strategy's quotes. Widened quotes are moved away from
 * the mid by the factor, at least by one tick, and rounded away from the touch. A quote beyond the
 * market's prices is dropped. Under `reduce` the side that adds to the position is dropped, and the
 * other side is cut to the position's size, innermost first. No quote moves nearer to the mid or
 * grows. A pure function; it returns the same list if nothing changes.
 */
export function applyLadderEffect(
  quotes: readonly Quote[],
  { effect, midTicks, positionLots, rules }: LadderQuotesInput,
): readonly Quote[] {
  if (effect === NO_EFFECT || quotes.length === 0) return quotes;
  const reducing = reducingSide(positionLots);
  const shaped: Quote[] = [];
  for (const quote of effect.isReduceOnly ? keepReducing(quotes, positionLots) : quotes) {
    const factor =
      quote.side === reducing
        ? effect.widenFactor
        : Math.max(effect.widenFactor, effect.addingWidenFactor);
    const ticks = factor > 1 ? widenedTicks(quote, factor, midTicks) : quote.ticks;
    if (!(ticks >= rules.minTicks && ticks <= rules.maxTicks)) continue;
    shaped.push(ticks === quote.ticks ? quote : { ...quote, ticks });
  }
  return shaped;
}
