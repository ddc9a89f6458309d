import type { Side } from "#core/units.js";
import type { QuotesInput } from "#executor/plan-quotes.js";
import type { WorkingOrder } from "#executor/working-order.js";
import type { Quote } from "#strategies/intent.js";

/** An order in the book by default. Its hash names it: `BUY-0@100`. */
export function order(
  side: Side,
  level: number,
  ticks: number,
  over: Partial<WorkingOrder> = {},
): WorkingOrder {
  const hash = over.hash ?? (`${side}-${level}@${ticks}` as `0x${string}`);
  return {
    hash,
    side,
    level,
    ticks,
    lots: 10,
    mayFillLots: over.lots ?? 10,
    phase: "open",
    orderId: `id of ${hash}`,
    expirationMs: 0,
    timeInForce: "POST_ONLY",
    ...over,
  };
}

/** An order without a response: it has no id yet. */
export function unanswered(
  side: Side,
  level: number,
  ticks: number,
  phase: "intended" | "sent" | "unknown",
): WorkingOrder {
  return order(side, level, ticks, { phase, orderId: undefined });
}

export function bid(level: number, ticks: number, lots = 10): Quote {
  return { side: "BUY", level, ticks, lots };
}

export function ask(level: number, ticks: number, lots = 10): Quote {
  return { side: "SELL", level, ticks, lots };
}

/** A market with a touch of 100 and 110, exact tolerances, POST_ONLY. */
export function quotesInput(
  over: Partial<QuotesInput> & { settings?: QuotesInput["settings"] } = {},
): QuotesInput {
  return {
    marketId: "btcusdc",
    quotes: [],
    working: [],
    rules: { minTicks: 1, maxTicks: 1_000_000, minLots: 1, maxLots: 1_000, maxOpenOrders: 100 },
    touch: { bestBidTicks: 100, bestAskTicks: 110 },
    foreign: { touch: { bestBidTicks: undefined, bestAskTicks: undefined }, openOrders: 0 },
    settings: quoteSettings(),
    nowMs: 1_000_000,
    ...over,
  };
}

export function quoteSettings(
  over: Partial<QuotesInput["settings"]> = {},
): QuotesInput["settings"] {
  return {
    tolerance: { priceTicks: 0, sizeFraction: 0 },
    timeInForce: "POST_ONLY",
    gtt: { quoteLifeMs: 300_000, renewLeadMs: 10_000, renewStaggerMs: 5_000 },
    onCross: "withhold",
    ...over,
  };
}
