import { type Metrics, PNL_PARTS } from "../../monitoring/metrics.js";
import type { Bot } from "../bot.js";
import { isQuoting } from "../market-standing.js";
import { positionUnknownSeconds } from "./bot-status.js";
import { earningsOf } from "./earnings.js";

/** Sets every gauge that is read off the bot as it is now: orders, positions, profit, tokens, ages. */
export function setBotGauges(bot: Bot, metrics: Metrics): void {
  const { context } = bot;
  const { account, desks, budget, clock, exchangeTime } = context;
  for (const desk of desks.values()) {
    const working = account.orders.mayStillFill(desk.marketId);
    for (const side of ["BUY", "SELL"] as const) {
      metrics.setOpenOrders(
        desk.marketId,
        side,
        working.filter((order) => order.side === side).length,
      );
    }
    metrics.setUnknownOrders(
      desk.marketId,
      working.filter(({ phase }) => phase === "unknown").length,
    );
    metrics.setManualOrders(desk.marketId, account.orders.foreign(desk.marketId).length);
    if (desk.hasStrategy) metrics.setQuoting(desk.marketId, isQuoting(bot.context, desk.marketId));
    if (account.confirmed)
      metrics.setPosition(desk.marketId, Number(account.positionBase(desk.marketId)));
    metrics.setPositionUnknown(desk.marketId, positionUnknownSeconds(bot, desk.marketId) ?? 0);
    const bookAgeMs = clock.monotonicMs() - desk.lag.rightAtMs(desk.book.lastReceivedMs);
    if (desk.book.synchronised) metrics.setBookAge(desk.marketId, bookAgeMs / 1000);
    const parts = account.profit(desk.marketId);
    for (const part of PNL_PARTS) {
      metrics.setPnl(desk.marketId, part, Number(parts[part]) / 10 ** parts.decimals);
    }
  }
  const unit = 10 ** context.rules.creditDecimals;
  const { underWay, parts } = earningsOf(bot);
  if (underWay !== undefined) metrics.setUnderWay(Number(underWay) / 10 ** parts.decimals);
  if (account.equity !== undefined)
    metrics.setEquity(
      Number(account.equity) / unit,
      Number(bot.safety.peak ?? account.equity) / unit,
    );
  if (bot.safety.losses !== undefined)
    metrics.setDailyLoss(Number(bot.safety.losses.dailyLoss) / unit);
  for (const { measure, marketId, severity } of bot.safety.ladder.measures)
    metrics.setRiskRung(measure, marketId ?? "", severity);
  for (const bucket of ["ORDER", "COMMON"] as const)
    metrics.setRateTokens(bucket, budget.available(bucket));
  metrics.setLoopLag(context.loopLag.lagMs / 1000, context.loopLag.isShedding);
  metrics.setClockOffset(exchangeTime.offsetMs / 1000);
  if (bot.safety.accountAtMs !== undefined)
    metrics.setAccountAge((clock.monotonicMs() - bot.safety.accountAtMs) / 1000);
  if (bot.heartbeatAtMs !== undefined) metrics.heartbeat(bot.heartbeatAtMs);
}
