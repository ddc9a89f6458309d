import type { Metrics } from "../../../monitoring/metrics.js";
import type { Bot } from "../../engine/bot.js";
import { listMarkouts } from "../../status/markout-status.js";
import { readQuotingTime } from "../../status/quoting-time-status.js";

/** Sets the gauges of each market's markouts, quoted time and distance, as `status` has them. */
export function setStatisticsGauges(bot: Bot, metrics: Metrics): void {
  for (const { marketId, hasStrategy } of bot.context.traderList) {
    for (const { side, level, horizonMs, fills, quote, bps } of listMarkouts(bot, marketId)) {
      metrics.setMarkout(
        {
          market: marketId,
          side: side === "both" ? "BOTH" : side,
          level: level === "all" ? "ALL" : String(level),
          horizon: String(horizonMs / 1000),
        },
        { fills, quote: Number(quote), bps },
      );
    }
    if (!hasStrategy) continue;
    const quoting = readQuotingTime(bot, marketId);
    metrics.setQuotedFraction(marketId, "BUY", quoting.bidFraction);
    metrics.setQuotedFraction(marketId, "SELL", quoting.askFraction);
    metrics.setQuotedFraction(marketId, "BOTH", quoting.bothSidesFraction);
    if (quoting.bidDistanceBps !== undefined)
      metrics.setQuoteDistance(marketId, "BUY", quoting.bidDistanceBps);
    if (quoting.askDistanceBps !== undefined)
      metrics.setQuoteDistance(marketId, "SELL", quoting.askDistanceBps);
  }
}
