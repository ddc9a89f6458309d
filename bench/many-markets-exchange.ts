import { createLiveRuntime } from "#core/live-runtime.js";
import { initCrypto } from "#core/signing.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { serveBench } from "./bench-server.js";

/**
 * The exchange with the given number of busy synthetic markets, each with its own seed, and without
 * limits.
 */
async function serve(markets: number): Promise<number[]> {
  await initCrypto();
  const market = {
    tickSize: "0.1",
    stepSize: "0.001",
    flow: { kind: "synthetic", preset: "fitted", startPriceQuote: 60_000 },
  };
  const exchange = configuredExchange(
    parseExchangeConfig({
      port: 0,
      seed: 1,
      creditOnRegistration: "1000000000",
      rateLimits: { common: 0, order: 0 },
      markets: Object.fromEntries(
        Array.from({ length: markets }, (_, place) => [`btc${place}usdc`, market]),
      ),
    }),
    createLiveRuntime(),
  );
  exchange.start();
  return [(await serveExchange(exchange)).port];
}

serveBench(await serve(Number(process.argv[2])));
