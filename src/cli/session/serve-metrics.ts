import type { BotConfig } from "../../bot/config/config.js";
import type { RunningBot } from "../../bot/run/running-bot.js";
import { buildReadiness } from "../../bot/status/bot-status.js";
import { packageVersion } from "../../core/package-version.js";
import type { OpenLog } from "../../monitoring/log.js";
import type { Metrics } from "../../monitoring/metrics.js";
import { startMetricsServer } from "../../monitoring/metrics-server.js";

/** Serves the metrics if the file enables them. @returns a function that stops it */
export async function serveMetrics(
  config: BotConfig,
  metrics: Metrics,
  running: () => RunningBot | undefined,
  log: OpenLog,
): Promise<() => void | Promise<void>> {
  metrics.setBuild(packageVersion(), process.version);
  if (config.metrics === undefined) return () => {};
  const server = await startMetricsServer({
    ...config.metrics,
    metrics,
    readiness: () => {
      const bot = running();
      if (bot !== undefined && !bot.hasFailed()) return buildReadiness(bot.bot, bot.liquidator);
      return {
        ready: false,
        reasons: [bot === undefined ? "the bot is starting" : "the bot failed"],
      };
    },
    sample: () => running()?.monitor.refresh(),
  });
  log.info({ host: server.host, port: server.port }, "metrics are served");
  return () => server.close();
}
