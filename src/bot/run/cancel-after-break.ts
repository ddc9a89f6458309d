import type { Clock } from "../../core/seam.js";
import type { MarketId } from "../../core/units.js";
import type { RestClient } from "../../exchange/rest-client.js";
import type { Log } from "../../monitoring/log.js";
import type { BotConfig } from "../config/config.js";

/** Between two looks at what a broken bot left. */
const BREAK_PAUSE_MS = 500;

/**
 * The last resort of a bot that broke: its own table can no longer be believed, so all of its markets are swept, again and again until
 * nothing that it signed can still arrive.
 */
export async function cancelAfterBreak(client: RestClient, config: BotConfig, clock: Clock, log: Log): Promise<void> {
  const markets = Object.keys(config.markets);
  const untilMs = clock.monotonicMs() + config.exchange.signatureWindowMs + BREAK_PAUSE_MS;
  for (let first = true; ; first = false) {
    const isLast = clock.monotonicMs() >= untilMs;
    for (const marketId of markets) await sweepAfterBreak(client, marketId, first, isLast, log);
    if (isLast) return;
    await new Promise<void>((resolve) => {
      clock.setTimer(BREAK_PAUSE_MS, resolve);
    });
  }
}

async function sweepAfterBreak(client: RestClient, marketId: MarketId, first: boolean, isLast: boolean, log: Log): Promise<void> {
  try {
    if (first || (await client.openOrders(marketId)).some(({ availableLots }) => availableLots > 0)) {
      await client.cancelAllOpenOrders(marketId);
    }
  } catch (error) {
    const fields = { marketId, error: String(error) };
    if (isLast) log.fatal(fields, "could not cancel: run `marketwright cancel-all`");
    else log.error(fields, "could not cancel yet");
  }
}
