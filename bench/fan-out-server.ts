import fastify from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { initCrypto } from "#core/signing.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { serveBench } from "./bench-server.js";

/** A book update of one level, in the exchange's format. */
const UPDATE = JSON.stringify({
  event: "update",
  beginSequence: 1_000_001,
  endSequence: 1_000_001,
  bids: [["58999.9", "0.001"]],
  asks: [],
});

/** The exchange, publishing its book at the end of every event. */
async function exchangePort(): Promise<number> {
  await initCrypto();
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({
      port: 0,
      markets: { btc0usdc: { maxOpenOrders: 10_000_000, maxExposureQuote: "1000000000000" } },
      creditOnRegistration: "1000000000",
      rateLimits: { common: 0, order: 0 },
      timestampWindowMs: 1_000_000_000,
      streams: { bookIntervalMs: 0 },
    }),
    createLiveRuntime(),
  );
  return (await serveExchange(exchange)).port;
}

/**
 * The least work of any server: read the body, send each subscriber a message of the same size,
 * respond.
 */
async function barePort(): Promise<number> {
  const server = fastify();
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  const subscribers = new Set<WebSocket>();
  new WebSocketServer({ server: server.server, perMessageDeflate: false }).on(
    "connection",
    (socket) => subscribers.add(socket),
  );
  server.post("/v1/order", (request, reply) => {
    for (const socket of subscribers) {
      socket.send(UPDATE);
    }
    return reply.type("application/x-www-form-urlencoded").send(request.body);
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const address = server.server.address();
  if (typeof address !== "object" || address === null) {
    throw new RunError("the bare server has no port");
  }
  return address.port;
}

serveBench([process.argv[2] === "bare" ? await barePort() : await exchangePort()]);
