import { ConfigError, MarketwrightError } from "../../../core/errors.js";
import type { ExchangeConfig } from "../../config/config.js";
import { marketRules } from "../../markets/market-rules.js";
import { findMarketCapture } from "../flow-config.js";
import { readCapture } from "./capture.js";

/**
 * Reads the beginning of every capture that a configuration replays. A file of another format or of
 * another market's grid is so refused before the exchange starts.
 * @param baseFolder the folder of the configuration's file.
 * @throws ConfigError naming the market's setting, and the file with the unreadable line.
 */
export async function checkCaptures(config: ExchangeConfig, baseFolder: string): Promise<void> {
  for (const [marketId, { flow }] of Object.entries(config.markets)) {
    if (flow.kind !== "replay") continue;
    const files = findMarketCapture(flow, marketId, baseFolder);
    const events = readCapture(files, marketRules(marketId, config).instrument);
    try {
      await events.next();
    } catch (cause) {
      if (!(cause instanceof MarketwrightError)) throw cause;
      throw new ConfigError("is a capture that cannot be replayed", {
        field: `markets.${marketId}.flow.tag`,
        value: flow.tag,
        expected: `a capture in the format of docs/ideas/order-flow.md, on this market's tickSize and stepSize: ${cause.message}`,
        cause,
      });
    } finally {
      await events.return(undefined);
    }
  }
}
