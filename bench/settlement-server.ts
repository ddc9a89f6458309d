import { createLiveRuntime } from "#core/live-runtime.js";
import { initCrypto } from "#core/signing.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { openConfiguredExchange } from "#simulator/configured-exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { serveBench } from "./bench-server.js";

const MARK_QUOTE = "60000";

/**
 * The exchange with one market, a constant mark and no limits, settling on its chain with the given
 * block time, or in memory at once.
 */
async function serve(blockMs: number | undefined): Promise<number[]> {
  await initCrypto();
  const market = { maxOpenOrders: 10_000_000, maxExposureQuote: "1000000000000" };
  const { exchange } = await openConfiguredExchange(
    parseExchangeConfig({
      port: 0,
      markets: { btcusdc: market },
      creditOnRegistration: "1000000000",
      rateLimits: { common: 0, order: 0 },
      timestampWindowMs: 1_000_000_000,
      ...(blockMs === undefined
        ? { settlement: { delayMs: 0 } }
        : { chain: { rpc: null, accounts: { count: 0 }, blocks: { intervalMs: blockMs } } }),
    }),
    createLiveRuntime(),
    {
      createFlow: () => ({
        start: (flow) => {
          const ticks = flow.instrument.parsePrice(MARK_QUOTE);
          flow.setReference(ticks, ticks);
        },
        stop: () => {},
      }),
    },
  );
  const served = await serveExchange(exchange);
  return [served.port];
}

const [, , blockMs] = process.argv;
serveBench(await serve(blockMs === undefined ? undefined : Number(blockMs)));
