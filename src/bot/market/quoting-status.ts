import type { MarketId, Side } from "../../core/units.js";
import type { BotContext } from "../engine/context.js";
import { slotSubject } from "../execution/dispatcher.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import type { MarketTrader } from "./market-trader.js";
import { referenceInstant } from "./used-reference.js";

/** Activity of one market of a bot. */
export type MarketActivity = "quoting" | "waiting" | "reduce-only" | "halted";

/** Activity of a market, with human-readable reasons why it does not do more. */
export interface QuotingStatus {
  /**
   * `reduce-only`: halted, while its position is closed or an acquired position is unwound; or the
   * risk ladder lets only reducing orders rest.
   */
  readonly state: MarketActivity;
  /** Halts first, then obstacles of the market, then each desired order that is not sent. */
  readonly reasons: readonly string[];
}

/** Status of one market for `status`, `/readyz` and the screen. */
export function quotingStatusFor(
  context: BotContext,
  safety: TradingGuards,
  trader: MarketTrader,
): QuotingStatus {
  const { marketId } = trader;
  const blocks = findQuotingObstacles(context, safety, trader);
  if (!safety.areQuotesAllowed(marketId)) {
    const isWorked =
      (trader.target !== undefined || trader.unwind !== undefined) &&
      safety.allowedPlaces(marketId) === "reduce-only";
    return isWorked
      ? { state: "reduce-only", reasons: [...blocks, ...heldPlaces(context, trader)] }
      : { state: "halted", reasons: blocks };
  }
  const rungs = safety.ladder.reasonsFor(marketId);
  const restriction = context.hedges.restrictionOn(marketId);
  const held = [
    ...rungs,
    ...(restriction === undefined ? [] : [`${restriction.name}: ${restriction.why}`]),
    ...describeFallback(context, trader),
    ...heldQuotes(context, trader),
  ];
  if (restriction !== undefined || safety.allowedPlaces(marketId) === "reduce-only")
    return { state: "reduce-only", reasons: [...blocks, ...held] };
  if (isQuoting(context, marketId))
    return {
      state: "quoting",
      reasons: [...throttle(context), ...describeShedLoad(context), ...held],
    };
  const reasons = [...blocks, ...held];
  return {
    state: "waiting",
    reasons: reasons.length > 0 ? reasons : ["its quotes are in flight"],
  };
}

/**
 * Why a market as a whole does not quote: its halts, or else the first thing that quotes wait for.
 * Empty if there is no obstacle.
 */
export function findQuotingObstacles(
  context: BotContext,
  safety: TradingGuards,
  trader: MarketTrader,
): readonly string[] {
  const halts = safety.haltsFor(trader.marketId).map(({ name, why }) => `${name}: ${why}`);
  if (halts.length > 0) return halts;
  const wait = waitOf(context, trader);
  return [...(wait === undefined ? [] : [wait]), ...throttle(context)];
}

/** True if both sides of a market rest on the exchange. */
export function isQuoting({ account }: BotContext, marketId: MarketId): boolean {
  const sides = new Set<Side>();
  for (const { side, phase } of account.orders.mayStillFill(marketId))
    if (phase === "open" || phase === "partly-filled") sides.add(side);
  return sides.size === 2;
}

function waitOf({ phase, account }: BotContext, trader: MarketTrader): string | undefined {
  if (phase !== "running") return `the bot is ${phase}`;
  if (trader.refusal !== undefined) return `the strategy's intent was refused, ${trader.refusal}`;
  if (!trader.book.isSynchronised) return "the book is not in sync";
  if ((trader.isAwaitingView || trader.netMidTicks === undefined) && trader.hasStrategy)
    return "a side of the book is empty";
  if (trader.target !== undefined)
    return `the bot works a target position of ${trader.instrument.formatAmount(trader.target.intent.targetLots)} base`;
  if (trader.unwind !== undefined) {
    const left = trader.unwind.targetLots - account.positionLots(trader.marketId);
    return `the bot unwinds an acquired position: ${trader.instrument.formatAmount(Math.abs(left))} base to ${left > 0 ? "buy" : "sell"}`;
  }
  if (!trader.hasStrategy)
    return "this market has no strategy: the bot only sells acquired positions";
  if (trader.quotes === undefined) return "the strategy has not sent an intent yet";
  return trader.quotes.quotes.length === 0 ? "the strategy wants no quotes" : undefined;
}

function throttle({ budget, clock }: BotContext): readonly string[] {
  const leftMs = budget.blockedUntilMonotonicMs - clock.monotonicMs();
  return leftMs > 0
    ? [
        `the exchange's rate limit was exceeded: nothing is sent for another ${(leftMs / 1000).toFixed(1)} s`,
      ]
    : [];
}

/** Effects of a lagging event loop on a bot that quotes all the same; empty while it keeps up. */
export function describeShedLoad({ loopLag }: BotContext): readonly string[] {
  if (!loopLag.isShedding) return [];
  return [
    `load is shed: the event loop is ${Math.round(loopLag.lagMs)} ms late, strategies are called every ${loopLag.roundMs} ms`,
  ];
}

/** Quotes of a market that has no good reference price and does not halt. */
function describeFallback(context: BotContext, { reference }: MarketTrader): readonly string[] {
  if (reference === undefined || reference.onStale === "halt") return [];
  const { state, why } = reference.price.reading(referenceInstant(context));
  if (state === "good") return [];
  const effect =
    reference.onStale === "widen"
      ? `quotes are ${reference.widenFactor} times as far from the mid`
      : "quotes are around the mid";
  return [`no good reference price (${why}): ${effect}`];
}

/**
 * Orders of the newest plan that are not sent, grouped by cause: quotes, or a slice of a position.
 */
function heldPlaces(
  { backoff, clock }: BotContext,
  { marketId, instrument, plan }: MarketTrader,
): string[] {
  const nowMs = clock.monotonicMs();
  const causes = new Map<string, string[]>();
  const hold = (
    why: string,
    { side, ticks, lots }: { readonly side: Side; readonly ticks: number; readonly lots: number },
  ): void => {
    const name = `${side} ${instrument.formatAmount(lots)} at ${instrument.formatPrice(ticks)}`;
    causes.set(why, [...(causes.get(why) ?? []), name]);
  };
  for (const place of plan?.places ?? []) {
    const why = backoff.reasonFor(slotSubject(marketId, place.side, place.level), nowMs);
    if (why !== undefined) hold(why, place);
  }
  for (const one of plan?.withheld ?? []) hold(one.why, one);
  return [...causes].map(([why, names]) => `${names.join(", ")} not sent: ${why}`);
}

/**
 * Desired quotes that do not rest; causes that clipped the desired sizes; and a side without
 * desired quotes.
 */
function heldQuotes(context: BotContext, trader: MarketTrader): readonly string[] {
  const { plan, quotes } = trader;
  if (quotes === undefined || trader.target !== undefined) return [];
  const { account } = context;
  const held = heldPlaces(context, trader);
  for (const { hash, why } of plan?.waits ?? [])
    held.push(`${account.orders.get(hash)?.side ?? "an order"} ${hash} stays for now: ${why}`);
  const unwanted = (["BUY", "SELL"] as const).filter(
    (side) => !quotes.quotes.some((quote) => quote.side === side),
  );
  if (unwanted.length === 1) held.push(`the strategy wants no ${unwanted[0]} quotes`);
  return [...held, ...quotes.reason.clamps];
}
