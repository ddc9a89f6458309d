import { seededRandom } from "#core/seeded-random.js";
import type { VirtualClock } from "#core/virtual-clock.js";
import type { ExchangeConfigInput } from "#simulator/config.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { orderFlowFactory } from "#simulator/flow-config.js";
import { serveExchange } from "#simulator/http-server.js";

/**
 * An exchange in virtual time whose one market, btcusdc, has traded until an instant, served over
 * real HTTP.
 */
export interface TradingExchange {
  readonly restUrl: string;
  close(): Promise<void>;
}

export async function tradingExchange(
  clock: VirtualClock,
  untilMs: number,
  seed: string,
  settings: Partial<ExchangeConfigInput> = {},
): Promise<TradingExchange> {
  const config = parseExchangeConfig({
    port: 0,
    markets: {
      btcusdc: {
        tickSize: "0.1",
        stepSize: "0.001",
        flow: { kind: "synthetic", startPriceQuote: 60_000 },
      },
    },
    rateLimits: { common: 0, order: 0 },
    ...settings,
  });
  const exchange = new EmbeddedExchange(
    config,
    { clock, random: seededRandom(seed) },
    { createFlow: orderFlowFactory(config, { baseFolder: ".", onReplayEnd: () => {} }) },
  );
  exchange.start();
  await clock.runUntil(untilMs);
  const server = await serveExchange(exchange);
  return {
    restUrl: server.restUrl,
    close: async () => {
      exchange.stop();
      await server.close();
    },
  };
}
