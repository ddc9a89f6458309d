import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import { VENUE_ERROR_CODES, venueErrorCode } from "#exchange/errors.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { OPERATIONS } from "#exchange/operations.js";
import { RestClient } from "#exchange/rest-client.js";
import { VenueError, VenueRequestError } from "#exchange/venue-errors.js";
import { json, LocalServer } from "./local-server.js";
import {
  wireBalances,
  wireExchangeInfo,
  wireOrder,
  wirePosition,
  wireTrade,
} from "./wire-records.js";

const signer = ecdsaScheme.signer(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
const OTHER = `0x${"12".repeat(20)}`;

let server: LocalServer;
let transport: NetworkTransport;
let client: RestClient;

beforeEach(async () => {
  server = await LocalServer.start();
  transport = new NetworkTransport({
    restUrl: `http://${server.host}/v1`,
    streamUrl: `ws://${server.host}/v1`,
    clock: createLiveRuntime().clock,
  });
  client = new RestClient({ transport, signer, nowMs: () => 1_700_000_000_000, timeoutMs: 2000 });
  serve({});
});

afterEach(async () => {
  transport.close();
  await server.stop();
});

/** Serves bodies by `METHOD /path`; exchangeInfo always. */
function serve(bodies: Readonly<Record<string, unknown>>): void {
  server.onRequest = ({ method, path }, response) => {
    if (path === "/v1/exchangeInfo") json(response, wireExchangeInfo());
    else if (`${method} ${path}` in bodies) json(response, bodies[`${method} ${path}`]);
    else response.writeHead(204).end();
  };
}

describe("any operation by name", () => {
  it("covers the specification, ten public and fourteen private, and two public ones beside it", () => {
    const all = Object.values(OPERATIONS);
    expect(all.filter(({ isPrivate }) => !isPrivate)).toHaveLength(12);
    expect(all.filter(({ isPrivate }) => isPrivate)).toHaveLength(14);
    for (const [name, operation] of Object.entries(OPERATIONS)) expect(operation.name).toBe(name);
    expect(new Set(all.map(({ method, path }) => `${method} ${path}`)).size).toBe(26);
  });

  it("sends public calls bare and private ones signed, and keeps every digit of an id", async () => {
    server.onRequest = (_, response) => response.end('[{"id":9223372036854775807}]');
    expect(
      await client.call("historicalTrades", { marketId: "btcusdc", fromId: 9007199254740993n }),
    ).toEqual([{ id: "9223372036854775807" }]);
    await client.call("openOrders", { marketId: "btcusdc", account: OTHER });
    expect(server.requests[0]?.params).toBe("fromId=9007199254740993&marketId=btcusdc");
    expect(server.requests[1]?.params).toMatch(
      new RegExp(
        `^account=${OTHER}&marketId=btcusdc&timestamp=1700000000000&signature=0x[0-9a-f]{130}$`,
      ),
    );
  });

  it("answers null where there is no body", async () => {
    expect(await client.call("cancelAllOpenOrders")).toBeNull();
  });

  it.each([
    ["orderbook", {}, /marketId/],
    ["orderbook", { marketId: "btcusdc", limit: 11 }, /limit.*10, 20, 50/],
    ["orderbook", { marketId: "" }, /marketId/],
    ["trades", { marketId: "btcusdc", limit: 501 }, /limit.*at most 500/],
    ["klines", { marketId: "btcusdc", interval: "7M" }, /interval.*1M/],
    ["time", { verbose: 1 }, /verbose.*no parameters/],
    ["cancelOrder", { marketId: "btcusdc", orderId: "1.5" }, /orderId/],
    ["account", { account: "me" }, /account.*40 hex/],
    ["buildOrder", { marketId: "btcusdc", side: "buy" }, /side.*BUY, SELL/],
    ["historyOrders", { marketId: "btcusdc", startTime: -1 }, /startTime/],
  ] as const)("%s %j is refused before it is sent", async (name, params, message) => {
    await expect(client.call(name, params)).rejects.toThrow(ConfigError);
    await expect(client.call(name, params)).rejects.toThrow(message);
    expect(server.requests).toEqual([]);
  });

  it("without a key does public calls only", async () => {
    const keyless = new RestClient({ transport, nowMs: () => 0 });
    serve({ "GET /v1/time": { serverTime: 5 } });
    expect(await keyless.time()).toBe(5);
    await expect(keyless.call("balances")).rejects.toThrow(/needs a key/);
    await expect(keyless.registerAccount()).rejects.toThrow(/needs an account/);
  });
});

describe("refusals", () => {
  it("are typed by code, unknown codes included", async () => {
    server.onRequest = (_, response) =>
      json(response, { code: 2011, codeText: "No such order", message: "gone" }, 400);
    const refused = await client.cancelOrder("btcusdc", "1").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(VenueError);
    expect(refused).toMatchObject({
      code: 2011,
      codeName: "NO_SUCH_ORDER_ERROR",
      venueMessage: "gone",
      httpStatus: 400,
    });
    server.onRequest = (_, response) => json(response, { code: 7777, message: "new" }, 400);
    await expect(client.time()).rejects.toMatchObject({
      code: 7777,
      codeName: "UNKNOWN_ERROR",
      codeText: "",
    });
  });

  it("of the rate limit carry when to come back; a 5xx may have happened, a firewall's 403 has not", async () => {
    server.onRequest = (_, response) => response.writeHead(429, { "retry-after": "2" }).end();
    await expect(client.time()).rejects.toMatchObject({
      httpStatus: 429,
      retryAfterMs: 2000,
      mayHaveHappened: false,
    });
    server.onRequest = (_, response) => response.writeHead(502).end("<html>bad gateway");
    await expect(client.time()).rejects.toMatchObject({ httpStatus: 502, mayHaveHappened: true });
    server.onRequest = (_, response) => response.writeHead(403).end("<html>");
    await expect(client.time()).rejects.toMatchObject({ httpStatus: 403, mayHaveHappened: false });
    server.onRequest = (_, response) => response.end("not json");
    await expect(client.time()).rejects.toBeInstanceOf(VenueRequestError);
    await server.stop();
    await expect(client.time()).rejects.toBeInstanceOf(VenueRequestError);
    await expect(client.time()).rejects.toMatchObject({ mayHaveHappened: false });
  });

  it("are no answers that have a field named code of their own: an order that was taken would count as refused", async () => {
    server.onRequest = (_, response) => json(response, { serverTime: 5, code: 0 }, 200);
    expect(await client.time()).toBe(5);
    server.onRequest = (_, response) => json(response, { code: 2011, message: "gone" }, 200);
    await expect(client.time()).rejects.toMatchObject({ code: 2011, httpStatus: 200 });
  });

  it("all of the documentation's codes are known, each once", () => {
    expect(VENUE_ERROR_CODES).toHaveLength(20);
    expect(new Set(VENUE_ERROR_CODES.map(({ code }) => code)).size).toBe(20);
    expect(venueErrorCode(4013)?.name).toBe("EXPOSURE_GREATER_THAN_MAX_ACCOUNT_LIMIT_ERROR");
    expect(venueErrorCode(1)).toBeUndefined();
  });
});

describe("the typed methods", () => {
  it("read onto the grid, asking for the rules once", async () => {
    serve({
      "GET /v1/orderbook": {
        bids: [["2000.5", "0.1"]],
        asks: [
          ["2000.55", "0.1"],
          ["2000.6", "0.1"],
        ],
        sequence: 9,
        ticker_id: "btcusdc",
        timestamp: 1,
      },
      "GET /v1/openOrders": [wireOrder()],
      "GET /v1/userTrades": [wireTrade()],
      "GET /v1/incomes": [{ id: 1, type: "BUY", amount: "1", time: 2, marketId: "btcusdc" }],
      "GET /v1/balances": { balances: wireBalances(), positions: [wirePosition()] },
      "GET /v1/positions": [wirePosition()],
    });
    expect(await client.orderbook("btcusdc", 10)).toEqual({
      marketId: "btcusdc",
      sequence: 9,
      bids: [20005, 100],
      asks: [20006, 200],
    });
    expect(await client.openOrders()).toMatchObject([{ ticks: 20005 }]);
    expect(await client.userTrades("btcusdc", "5")).toMatchObject([{ id: "11" }]);
    expect(await client.incomes("btcusdc")).toMatchObject([{ amount: 1_000_000n }]);
    expect(await client.balances()).toMatchObject({
      balances: { netValue: 1_000_123_456n },
      positions: [{ lots: -500 }],
    });
    expect(await client.positions()).toMatchObject([{ lots: -500 }]);
    expect(server.requests.filter(({ path }) => path === "/v1/exchangeInfo")).toHaveLength(1);
    await expect(client.orderbook("dogeusdc")).rejects.toThrow(/dogeusdc.*btcusdc/);
    await expect(client.historyOrders("dogeusdc")).rejects.toThrow(/dogeusdc/);
  });

  it("register the account by its own signature, and are content when it exists", async () => {
    serve({ "POST /v1/account": { address: signer.address, createdAt: 1 } });
    expect(await client.registerAccount()).toBe(true);
    expect(server.requests[0]?.params).toMatch(
      new RegExp(`^account=${signer.address}&timestamp=1700000000000&signature=`),
    );
    server.onRequest = (_, response) =>
      json(response, { code: 2018, codeText: "Duplicated account", message: "" }, 400);
    expect(await client.registerAccount()).toBe(false);
    server.onRequest = (_, response) =>
      json(response, { code: 1012, codeText: "Invalid signature", message: "" }, 400);
    await expect(client.registerAccount()).rejects.toThrow(VenueError);
  });

  it("read the whole history over many pages", async () => {
    const history = Array.from({ length: 1234 }, (_, index) =>
      wireOrder({
        id: index + 1,
        createdAt: 1_700_000_000_000 + Math.floor(index / 3),
        status: "FILLED",
      }),
    );
    server.onRequest = ({ path, params }, response) => {
      if (path === "/v1/exchangeInfo") return json(response, wireExchangeInfo());
      const fields = new URLSearchParams(params);
      const start = Number(fields.get("startTime") ?? 0);
      const end = Number(fields.get("endTime") ?? Number.MAX_SAFE_INTEGER);
      return json(
        response,
        history
          .filter(({ createdAt }) => createdAt >= start && createdAt < end)
          .slice(0, Number(fields.get("limit"))),
      );
    };
    const orders = await client.historyOrders("btcusdc");
    expect(orders.map(({ id }) => Number(id))).toEqual(history.map(({ id }) => id));
  });
});
