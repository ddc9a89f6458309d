import type { BotContext } from "../engine/context.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import type { MarketTrader } from "./market-trader.js";

/**
 * The name of what keeps a market from quoting both sides: the halt in force, or else the first
 * obstacle in the order of `status` (docs/reference/live-report.md#causes). Stable: files keep it.
 */
export function quotingCause(
  context: BotContext,
  guards: TradingGuards,
  trader: MarketTrader,
): string {
  const { marketId } = trader;
  if (context.phase !== "running") return context.phase;
  const [halt] = guards.haltsFor(marketId);
  if (halt !== undefined) return halt.name;
  if (guards.allowedPlaces(marketId) === "reduce-only") return "reduce-only";
  const restriction = context.hedges.restrictionOn(marketId);
  if (restriction !== undefined) return restriction.name;
  if (!trader.book.isSynchronised) return "no-book";
  if (!trader.hasStrategy) return "no-strategy";
  if (trader.refusal !== undefined) return "intent-refused";
  if (trader.isAwaitingView || trader.netMidTicks === undefined) return "no-view";
  if (trader.target !== undefined) return "target-position";
  if (trader.unwind !== undefined) return "unwinding";
  if (context.budget.blockedUntilMonotonicMs > context.clock.monotonicMs()) return "rate-limit";
  return planCause(context, trader);
}

/** The cause between the strategy's intent and the orders that rest. */
function planCause({ budget }: BotContext, { quotes, plan }: MarketTrader): string {
  if (quotes === undefined) return "no-intent";
  const sides = new Set(quotes.quotes.map(({ side }) => side));
  if (sides.size === 0) return "no-quotes-wanted";
  if ((plan?.withheld.length ?? 0) > 0) return "limit";
  if (sides.size === 1) return "one-side-wanted";
  return budget.available("ORDER") < 1 ? "no-tokens" : "in-flight";
}
