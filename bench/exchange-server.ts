import fastify from "fastify";
import { RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { initCrypto } from "#core/signing.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { serveBench } from "./bench-server.js";

/**
 * The exchange with the given number of markets and without limits, and an echo of every posted
 * body.
 */
async function serve(markets: number): Promise<number[]> {
  await initCrypto();
  const market = { maxOpenOrders: 10_000_000, maxExposureQuote: "1000000000000" };
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({
      port: 0,
      markets: Object.fromEntries(
        Array.from({ length: markets }, (_, place) => [`btc${place}usdc`, market]),
      ),
      creditOnRegistration: "1000000000",
      rateLimits: { common: 0, order: 0 },
      timestampWindowMs: 1_000_000_000,
    }),
    createLiveRuntime(),
  );
  const served = await serveExchange(exchange);
  const echo = fastify();
  echo.removeAllContentTypeParsers();
  echo.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  echo.post("/v1/order", (request, reply) =>
    reply.type("application/x-www-form-urlencoded").send(request.body),
  );
  await echo.listen({ host: "127.0.0.1", port: 0 });
  const address = echo.server.address();
  if (typeof address !== "object" || address === null) {
    throw new RunError("the echo server has no port");
  }
  return [served.port, address.port];
}

serveBench(await serve(Number(process.argv[2])));
