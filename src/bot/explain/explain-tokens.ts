import { MINUTE_MS } from "../../core/units.js";
import { requiredAfter } from "../../executor/dispatch-budget.js";
import { decideConfigFor } from "../config/config.js";
import type { BotContext } from "../engine/context.js";
import { renewLeadMs } from "../execution/execution-planner.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { ExplainedTokens, Explanation } from "./explanation.js";

/**
 * ORDER tokens per minute of one market with this many orders (docs/ideas/design.md#executor and
 * docs/ideas/design.md#time-in-force).
 */
export function marketTokens(
  { config, budget: { costs } }: BotContext,
  trader: MarketTrader,
  orders: number,
): ExplainedTokens {
  const decide = decideConfigFor(config, trader.marketId);
  const isServerBuilt = config.exchange.placement === "server";
  const tokensARequote =
    costs.cancel.ORDER + costs.place.ORDER + (isServerBuilt ? costs.build.ORDER : 0);
  const perMinute = (everyMs: number): number =>
    round((MINUTE_MS / everyMs) * tokensARequote * orders);
  const isWoken = decide.onTouchChange || decide.onFill;
  const gapMs = isWoken ? decide.minGapMs : Math.max(decide.everyMs, decide.minGapMs);
  const { timeInForce, quoteLifeMs } = config.quotes;
  return {
    orders,
    tokensARequote,
    byTimerPerMinute: perMinute(Math.max(decide.everyMs, decide.minGapMs)),
    worstPerMinute: gapMs > 0 ? perMinute(gapMs) : orders === 0 ? 0 : undefined,
    renewalsPerMinute:
      timeInForce === "GTT" ? perMinute(quoteLifeMs - renewLeadMs(quoteLifeMs)) : 0,
  };
}

/** The account's tokens against its ORDER bucket. */
export function accountTokens(
  { budget, traders, rules }: BotContext,
  markets: readonly ExplainedTokens[],
): Explanation["tokens"] {
  const orders = markets.reduce((sum, market) => sum + market.orders, 0);
  const intervalMs = rules.rateLimits.find(({ name }) => name === "ORDER")?.intervalMs ?? MINUTE_MS;
  const perMinute = MINUTE_MS / intervalMs;
  const reserves = {
    guard: budget.guardReserve,
    markets: traders.size,
    ordersThatMayFill: orders,
    queryReserve: 0,
  };
  const reserved = requiredAfter("place", "ORDER", reserves, budget.costs);
  const limitPerMinute = round(budget.limit("ORDER") * perMinute);
  const reservedPerMinute = round(reserved * perMinute);
  const sum = (of: (market: ExplainedTokens) => number): number =>
    round(markets.reduce((total, market) => total + of(market), 0));
  const isBounded = markets.every(({ worstPerMinute }) => worstPerMinute !== undefined);
  const worstPerMinute = isBounded ? sum((market) => market.worstPerMinute ?? 0) : undefined;
  return {
    limitPerMinute,
    reservedPerMinute,
    byTimerPerMinute: sum((market) => market.byTimerPerMinute),
    worstPerMinute,
    renewalsPerMinute: sum((market) => market.renewalsPerMinute),
    worstFits: worstPerMinute !== undefined && worstPerMinute <= limitPerMinute - reservedPerMinute,
  };
}

function round(tokens: number): number {
  return Math.round(tokens * 10) / 10;
}
