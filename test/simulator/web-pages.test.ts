import { request as httpRequest, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";

const ACCOUNT = "0x00000000000000000000000000000000000000aa";
let server: ExchangeServer;

beforeAll(async () => {
  const config = parseExchangeConfig({
    port: 0,
    markets: { btcusdc: {} },
    allowedHosts: ["exchange.internal"],
    maxConnections: 20,
    choices: { accountEndpointsSigned: false },
  });
  server = await serveExchange(new EmbeddedExchange(config, createLiveRuntime()));
});
afterAll(() => server.close());

function ask(
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", port: server.port, method, path, headers, agent: false },
      (answer) => {
        let body = "";
        answer.on("data", (data) => {
          body += String(data);
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    request.on("error", reject);
    request.end();
  });
}

const deposit = (headers: OutgoingHttpHeaders) =>
  ask("POST", `/faucet?account=${ACCOUNT}&amount=5`, headers);

describe("a web page in the browser of the exchange's operator", () => {
  it.each([
    ["an origin of the web", { origin: "https://attacker.example" }],
    ["an origin of another local page", { origin: "http://localhost:3000" }],
    ["an opaque origin", { origin: "null" }],
    ["a browser's word for another site", { "sec-fetch-site": "cross-site" }],
  ])("gives no credit by the unsigned faucet: %s", async (_what, headers) => {
    await ask("POST", `/v1/account?account=${ACCOUNT}`);
    const answer = await deposit(headers);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 1111 });
    expect((await deposit({})).status).toBe(200);
  });

  it("registers no account", async () => {
    const other = "0x00000000000000000000000000000000000000bb";
    expect(
      (await ask("POST", `/v1/account?account=${other}`, { origin: "https://attacker.example" }))
        .status,
    ).toBe(403);
    expect((await ask("GET", `/v1/account?account=${other}`)).status).not.toBe(200);
  });

  it.each(["attacker.example", "127.0.0.1.attacker.example:80"])(
    "reads nothing under a name of its own, %s",
    async (host) => {
      expect((await ask("GET", `/v1/balances?account=${ACCOUNT}`, { host })).status).toBe(403);
      expect((await ask("GET", "/docs", { host })).status).toBe(403);
    },
  );

  it("opens no stream under a name of its own", async () => {
    const socket = new WebSocket(`${server.streamUrl}/single?stream=btcusdc@depth`, {
      headers: { host: "attacker.example" },
    });
    const status = await new Promise((resolve) => {
      socket.on("unexpected-response", (_request, answer) => resolve(answer.statusCode));
      socket.on("open", () => resolve("open"));
      socket.on("error", () => {});
    });
    socket.terminate();
    expect(status).toBe(403);
  });

  it.each(["localhost:8620", "[::1]:8620", "192.0.2.7", "Exchange.Internal:8620"])(
    "is answered as ever by the name %s",
    async (host) => {
      expect((await ask("GET", "/v1/time", { host })).status).toBe(200);
    },
  );
});

describe("a web page whose origin the file allows", () => {
  const APP = "https://app.example";
  let open: ExchangeServer;
  const reads = (path: string, headers: Record<string, string> = { origin: APP }, method = "GET") =>
    fetch(new URL(path, open.restUrl), { method, headers });

  beforeAll(async () => {
    const config = parseExchangeConfig({
      port: 0,
      markets: { btcusdc: {} },
      corsOrigins: [APP, "http://localhost:3000"],
    });
    open = await serveExchange(new EmbeddedExchange(config, createLiveRuntime()));
  });
  afterAll(() => open.close());

  it.each([
    "/v1/time",
    "/v1/exchangeInfo",
    "/v1/orderbook?marketId=btcusdc",
    "/v1/riskyAccounts",
    "/openapi.json",
  ])("reads %s", async (path) => {
    const answer = await reads(path);
    expect([
      answer.status,
      answer.headers.get("access-control-allow-origin"),
      answer.headers.get("vary"),
    ]).toEqual([200, APP, "origin"]);
    const asked = await reads(
      path,
      { origin: "http://localhost:3000", "access-control-request-method": "GET" },
      "OPTIONS",
    );
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "http://localhost:3000",
    ]);
    expect([asked.headers.get("access-control-allow-methods"), await asked.text()]).toEqual([
      "GET",
      "",
    ]);
  });

  it("reads why a request was refused", async () => {
    const answer = await reads("/v1/orderbook?marketId=nothing");
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([400, APP]);
  });

  it("reads no account, and changes nothing", async () => {
    for (const path of ["/v1/balances", "/v1/account", "/v1/openOrders", "/docs"]) {
      for (const method of ["GET", "OPTIONS"]) {
        expect(
          (await reads(path, { origin: APP }, method)).headers.get("access-control-allow-origin"),
          `${method} ${path}`,
        ).toBeNull();
      }
    }
    const changed = await reads(`/faucet?account=${ACCOUNT}&amount=5`, { origin: APP }, "POST");
    expect([changed.status, changed.headers.get("access-control-allow-origin")]).toEqual([
      403,
      null,
    ]);
  });

  it.each([
    "https://attacker.example",
    "https://app.example.attacker.example",
    "http://app.example",
    "null",
  ])("is the only one: %s reads nothing", async (origin) => {
    expect(
      (await reads("/v1/time", { origin })).headers.get("access-control-allow-origin"),
    ).toBeNull();
  });

  it.each([
    ["another origin", { origin: "https://other.example" }],
    ["no origin", {}],
  ])(
    "is not answered from a cache with what was answered to %s",
    async (_whose, headers: Record<string, string>) => {
      for (const path of ["/v1/time", "/openapi.json", "/v1/orderbook?marketId=nothing"]) {
        expect((await reads(path, headers)).headers.get("vary"), path).toBe("origin");
      }
      expect((await reads("/v1/time", headers, "OPTIONS")).headers.get("vary")).toBe("origin");
      expect((await reads("/v1/balances", headers)).headers.get("vary")).toBeNull();
    },
  );

  it("may be any page if the file says so, and none by default", async () => {
    const config = parseExchangeConfig({ port: 0, markets: { btcusdc: {} }, corsOrigins: ["*"] });
    const any = await serveExchange(new EmbeddedExchange(config, createLiveRuntime()));
    const of = async (restUrl: string) => {
      const { headers } = await fetch(`${restUrl}/time`, {
        headers: { origin: "https://x.example" },
      });
      return [headers.get("access-control-allow-origin"), headers.get("vary")];
    };
    expect([await of(any.restUrl), await of(server.restUrl)]).toEqual([
      ["*", null],
      [null, null],
    ]);
    await any.close();
  });

  it.each(["https://app.example/", "app.example", "https://App.example", ""])(
    "is named by its origin alone: %j is refused",
    (origin) => {
      expect(() =>
        parseExchangeConfig({ markets: { btcusdc: {} }, corsOrigins: [origin] }),
      ).toThrow(/corsOrigins.*expected an origin, such as https:\/\/app\.example,/s);
    },
  );
});

describe("the exchange's port", () => {
  it("holds no more connections than the file allows", async () => {
    const held = Array.from({ length: 40 }, () => connect(server.port, "127.0.0.1"));
    const ended = held.map(
      (socket) => new Promise((resolve) => socket.on("error", () => {}).once("close", resolve)),
    );
    await Promise.all(ended.slice(25));
    expect(held.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(20);
    for (const socket of held) socket.destroy();
    await Promise.all(ended);
  });
});
