import type { Metrics } from "../../../monitoring/metrics.js";
import { PNL_PARTS } from "../../../monitoring/pnl-parts.js";
import type { Bot } from "../../engine/bot.js";
import { isQuoting } from "../../market/quoting-status.js";
import { referenceInstant } from "../../market/used-reference.js";
import { totalEquity } from "../../safety/equity-monitor.js";
import { computeEarnings } from "../../status/earnings.js";
import { readGuardStatus } from "../../status/guard-status.js";
import { readHedge } from "../../status/hedge-status.js";
import { bookAgeMs, positionUnknownSeconds } from "../../status/market-status.js";
import { setStatisticsGauges } from "./statistics-gauges.js";

/**
 * Sets every gauge that is read from the bot's present state: orders, positions, profit, tokens,
 * ages.
 */
export function setBotGauges(bot: Bot, metrics: Metrics): void {
  const { context } = bot;
  const { account, traders, budget, clock, exchangeTime } = context;
  for (const trader of traders.values()) {
    const working = account.orders.mayStillFill(trader.marketId);
    for (const side of ["BUY", "SELL"] as const) {
      metrics.setOpenOrders(
        trader.marketId,
        side,
        working.filter((order) => order.side === side).length,
      );
    }
    metrics.setUnknownOrders(
      trader.marketId,
      working.filter(({ phase }) => phase === "unknown").length,
    );
    metrics.setManualOrders(trader.marketId, account.orders.foreign(trader.marketId).length);
    if (trader.hasStrategy)
      metrics.setQuoting(trader.marketId, isQuoting(bot.context, trader.marketId));
    if (account.confirmed)
      metrics.setPosition(trader.marketId, Number(account.positionBase(trader.marketId)));
    metrics.setPositionUnknown(trader.marketId, positionUnknownSeconds(bot, trader.marketId) ?? 0);
    const ageMs = bookAgeMs(bot, trader.marketId);
    if (ageMs !== undefined) metrics.setBookAge(trader.marketId, ageMs / 1000);
    const reading = trader.reference?.price.reading(referenceInstant(context));
    if (reading !== undefined)
      metrics.setReference(trader.marketId, reading, trader.instrument.tickQuote);
    const hedge = readHedge(bot, trader.marketId);
    if (hedge !== undefined)
      metrics.setHedge(trader.marketId, hedge.venue, {
        isReachable: hedge.isReachable,
        positionBase: Number(hedge.positionBase),
        unhedgedBase: Number(hedge.unhedgedBase ?? Number.NaN),
        profitQuote: Number(hedge.profitQuote ?? Number.NaN),
      });
    const parts = account.profit(trader.marketId);
    for (const part of PNL_PARTS) {
      metrics.setPnl(trader.marketId, part, Number(parts[part]) / 10 ** parts.decimals);
    }
  }
  setStatisticsGauges(bot, metrics);
  const unit = 10 ** context.rules.creditDecimals;
  const { inTransit, parts } = computeEarnings(bot);
  if (inTransit !== undefined) metrics.setInTransit(Number(inTransit) / 10 ** parts.decimals);
  const equity = totalEquity(context);
  if (equity !== undefined)
    metrics.setEquity(Number(equity) / unit, Number(bot.tradingGuards.peak ?? equity) / unit);
  if (bot.tradingGuards.losses !== undefined)
    metrics.setDailyLoss(Number(bot.tradingGuards.losses.dailyLoss) / unit);
  for (const { measure, marketId, severity } of bot.tradingGuards.ladder.measures)
    metrics.setRiskRung(measure, marketId ?? "", severity);
  for (const bucket of ["ORDER", "COMMON"] as const)
    metrics.setRateTokens(bucket, budget.available(bucket));
  metrics.setLoopLag(context.loopLag.lagMs / 1000, context.loopLag.isShedding);
  metrics.setClockOffset(exchangeTime.offsetMs / 1000);
  if (bot.tradingGuards.accountAtMs !== undefined)
    metrics.setAccountAge((clock.monotonicMs() - bot.tradingGuards.accountAtMs) / 1000);
  if (bot.heartbeatAtMs !== undefined) metrics.heartbeat(bot.heartbeatAtMs);
  const guard = readGuardStatus(bot).state;
  if (guard !== "not-needed") metrics.setGuarded(guard === "alive");
}
