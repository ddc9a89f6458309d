import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { namedSignatures, ReferenceClient } from "./reference-client.js";

const LEVELS = 400;
const MOST_BUFFERED = 200_000;

let server: ExchangeServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/**
 * An exchange on a port with a snapshot of about 10 kB, which lets a reader request it without
 * limit.
 */
async function wordyExchange() {
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({
      port: 0,
      markets: { btcusdc: { maxOpenOrders: LEVELS } },
      rateLimits: { common: 0, order: 0 },
      streams: {
        maxBufferedBytes: MOST_BUFFERED,
        messagesPerSecond: 1_000_000,
        maxConnectionsPerIp: 3,
      },
    }),
    createLiveRuntime(),
    { scheme: namedSignatures },
  );
  server = await serveExchange(exchange);
  const maker = new ReferenceClient(exchange, Date.now, undefined, "10.0.0.1", true).register();
  for (let level = 0; level < LEVELS; level += 1) {
    expect(maker.place("BUY", `2${String(level).padStart(4, "0")}.1`, "0.001").status).toBe(200);
  }
  return { exchange, url: `${server.streamUrl}/multiple` };
}

const MORE = '{"id":1,"method":"SUBSCRIBE","params":["btcusdc@orderbook"]}';
const LESS = '{"id":2,"method":"UNSUBSCRIBE","params":["btcusdc@orderbook"]}';

it("a reader that does not read is cut off at the bound of its buffer, and those that do go on", async () => {
  const { exchange, url } = await wordyExchange();
  const reading = new WebSocket(`${url}?streams=btcusdc@orderbook`);
  await once(reading, "message");
  const deaf = new WebSocket(url);
  await once(deaf, "open");
  deaf.pause();
  expect(exchange.connections).toBe(2);
  let asked = 0;
  while (exchange.connections === 2 && asked < 20_000) {
    for (let burst = 0; burst < 50; burst += 1) {
      deaf.send(MORE);
      deaf.send(LESS);
      asked += 1;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(exchange.connections, `after ${asked} snapshots`).toBe(1);
  const gone = once(deaf, "close");
  deaf.resume();
  await gone;
  reading.send("ping");
  const [answer] = await once(reading, "message");
  expect(String(answer)).toBe("pong");
  reading.terminate();
});

it("an address has so many connections at once, the one after is refused in HTTP, and one that ends makes room", async () => {
  const { exchange, url } = await wordyExchange();
  const open = async () => {
    const socket = new WebSocket(url);
    const outcome = await new Promise<number>((resolve) => {
      socket.on("open", () => resolve(101));
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
      socket.on("error", () => {});
    });
    return { socket, outcome };
  };
  const opened = [await open(), await open(), await open()];
  expect(opened.map(({ outcome }) => outcome)).toEqual([101, 101, 101]);
  expect((await open()).outcome).toBe(429);
  const [first] = opened;
  const gone = once(first?.socket as WebSocket, "close");
  first?.socket.close();
  await gone;
  expect(exchange.connections).toBe(2);
  const last = await open();
  expect(last.outcome).toBe(101);
  for (const { socket } of [...opened, last]) {
    socket.terminate();
  }
});
