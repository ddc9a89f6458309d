import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { encode, ReferenceClient } from "./reference-client.js";

let server: ExchangeServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function served(config: Record<string, unknown> = {}) {
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({ port: 0, markets: { btcusdc: {} }, ...config }),
    createLiveRuntime(),
  );
  server = await serveExchange(exchange);
  const client = new ReferenceClient(exchange, Date.now);
  return { exchange, server, client };
}

/** Frames of a websocket, one at a time. */
function reader(url: string) {
  const socket = new WebSocket(url);
  const arrived: string[] = [];
  let wake = () => {};
  socket.on("message", (data) => {
    arrived.push(data.toString());
    wake();
  });
  const next = async (): Promise<string> => {
    while (arrived.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return arrived.shift() as string;
  };
  return { socket, next };
}

describe("an exchange on a port", () => {
  it("registers an account and takes its order by HTTP, form-encoded and signed", async () => {
    const { server, client } = await served();
    const post = (path: string, parameters: Record<string, string | undefined>) =>
      fetch(`${server.restUrl}${path}`, {
        method: "POST",
        body: encode(client.signed(parameters)),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    expect((await post("/account", {})).status).toBe(200);
    const placed = await post("/order", client.order("BUY", "30000", "0.1"));
    expect(placed.headers.get("content-type")).toContain("application/json");
    const order = (await placed.json()) as { id: number; status: string };
    expect(order.status).toBe("NEW");
    const query = encode(client.signed({ marketId: "btcusdc", orderId: String(order.id) }));
    const cancelled = await fetch(`${server.restUrl}/order?${query}`, { method: "DELETE" });
    expect(cancelled.status).toBe(204);
    expect(await cancelled.text()).toBe("");
    // A client that parses every response as JSON checks its type before it sees that it is empty.
    expect(cancelled.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(cancelled.headers.get("content-length")).toBeNull();
  });

  it("answers unknown requests, and too large ones, with an error body", async () => {
    const { server } = await served();
    const missing = await fetch(`${server.restUrl}/allOrders`);
    expect([missing.status, ((await missing.json()) as { code: number }).code]).toEqual([
      404, 1111,
    ]);
    const large = await fetch(`${server.restUrl}/order`, {
      method: "POST",
      body: "x".repeat(70_000),
    });
    expect([large.status, ((await large.json()) as { code: number }).code]).toEqual([413, 1111]);
  });

  it("returns a Retry-After to a throttled client", async () => {
    const { server } = await served({ rateLimits: { common: 1 } });
    await fetch(`${server.restUrl}/time`);
    const refused = await fetch(`${server.restUrl}/time`);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("streams a book over a websocket, snapshot first", async () => {
    const { server, client } = await served({ streams: { bookIntervalMs: 0 } });
    client.register();
    const { socket, next } = reader(`${server.streamUrl}/multiple?streams=btcusdc@orderbook`);
    expect(JSON.parse(await next())).toMatchObject({
      stream: "btcusdc@orderbook",
      data: { event: "snapshot", bids: [] },
    });
    client.place("BUY", "30000", "0.1");
    expect(JSON.parse(await next())).toMatchObject({
      data: { event: "update", bids: [["30000", "0.1"]] },
    });
    socket.close();
  });

  it("refuses a stream in HTTP, before there is a websocket", async () => {
    const { server } = await served();
    const socket = new WebSocket(
      `${server.streamUrl}/single/account@0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf`,
    );
    const status = await new Promise<number | undefined>((resolve) => {
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode));
      socket.on("error", () => {});
    });
    expect(status).toBe(401);
  });

  it("drops a stream whose client has disconnected", async () => {
    const { server, exchange } = await served();
    const { socket, next } = reader(`${server.streamUrl}/single/btcusdc@orderbook`);
    await next();
    expect(exchange.connections).toBe(1);
    const gone = new Promise((resolve) => socket.once("close", resolve));
    socket.close();
    await gone;
    expect(exchange.connections).toBe(0);
  });

  it("closes its streams and frees its port when it is closed", async () => {
    const { server: first, exchange } = await served();
    const { socket, next } = reader(`${first.streamUrl}/multiple?streams=btcusdc@market`);
    await next();
    const gone = new Promise((resolve) => socket.once("close", resolve));
    await first.close();
    await gone;
    expect(exchange.isRunning).toBe(false);
    await expect(fetch(`${first.restUrl}/time`)).rejects.toThrow();
    server = undefined;
  });

  it("names the port that is in use", async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => {
        const address = taken.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    const exchange = new EmbeddedExchange(
      parseExchangeConfig({ port, markets: { btcusdc: {} } }),
      createLiveRuntime(),
    );
    const failure = await serveExchange(exchange).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RunError);
    expect(failure).toMatchObject({ field: "port", value: port });
    expect(exchange.isRunning).toBe(false);
    taken.close();
  });
});
