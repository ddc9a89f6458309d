import type { Lots, Side } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type { Quote } from "../strategies/intent.js";
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
  const reducing: Side | undefined =
    positionLots === 0 ? undefined : positionLots > 0 ? "SELL" : "BUY";
  const shaped: Quote[] = [];
  let roomLots = Math.abs(positionLots);
  for (const quote of effect.isReduceOnly
    ? [...quotes].sort((a, b) => a.level - b.level)
    : quotes) {
    const isReducing = quote.side === reducing;
    if (effect.isReduceOnly && !isReducing) continue;
    const lots = effect.isReduceOnly ? Math.min(quote.lots, roomLots) : quote.lots;
    const factor = isReducing
      ? effect.widenFactor
      : Math.max(effect.widenFactor, effect.addingWidenFactor);
    const ticks = factor > 1 ? widened(quote, factor, midTicks) : quote.ticks;
    if (lots <= 0 || !(ticks >= rules.minTicks && ticks <= rules.maxTicks)) continue;
    if (effect.isReduceOnly) roomLots -= lots;
    shaped.push(lots === quote.lots && ticks === quote.ticks ? quote : { ...quote, lots, ticks });
  }
  return shaped;
}

function widened({ side, ticks }: Quote, factor: number, midTicks: number): number {
  const distance = side === "BUY" ? midTicks - ticks : ticks - midTicks;
  const wider = Math.max(distance * factor, distance + 1);
  return side === "BUY" ? Math.floor(midTicks - wider) : Math.ceil(midTicks + wider);
}
