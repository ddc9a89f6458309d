import { verifyMessage } from "ethers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Instrument } from "../../src/core/instrument.js";
import { liveSeam } from "../../src/core/live-seam.js";
import { ecdsaScheme } from "../../src/core/signing.js";
import { ExchangeClient } from "../../src/exchange/client/exchange-client.js";
import { instrumentsOf } from "../../src/exchange/decode-rules.js";
import { LiveVenue, type LiveVenueOptions } from "../../src/exchange/live-venue.js";
import { NetworkTransport } from "../../src/exchange/network-transport.js";
import { buildHashedOrder } from "../../src/exchange/order-building.js";
import { OrderHasher } from "../../src/exchange/order-signing.js";
import { RateGate, RateLimitError } from "../../src/exchange/rate-gate.js";
import type { MarketRules, VenueRules } from "../../src/exchange/records.js";
import { canonicalParams } from "../../src/exchange/request-signing.js";
import type { Action, Outcome, PlaceAction, VenueEvent } from "../../src/exchange/venue.js";
import { json, LocalServer, type ReceivedRequest, until } from "./local-server.js";
import { wireBalances, wireExchangeInfo, wireMarket, wireOrder } from "./wire-records.js";

const seam = liveSeam();
const signer = ecdsaScheme.signer("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const NOW = 1_700_000_000_000;
const MARKETS = [wireMarket(), wireMarket({ id: "ethusdc" })];
/** Distributive, so that each kind of action keeps its own fields. */
type Unnumbered<A> = A extends Action ? Omit<A, "actionId" | "timestampMs"> : never;

let server: LocalServer;
let transport: NetworkTransport;
let venue: LiveVenue;
let events: VenueEvent[];
let nextId: number;

function open(options: Partial<LiveVenueOptions> = {}): LiveVenue {
  venue = new LiveVenue({ transport, seam, signer, markets: ["btcusdc", "ethusdc"], exchangeNowMs: () => NOW, ...options });
  venue.events$.subscribe((event) => events.push(event));
  return venue;
}

async function submitted(action: Unnumbered<Action>): Promise<Outcome> {
  nextId += 1;
  const actionId = nextId;
  const before = events.length;
  venue.submit({ ...action, actionId, timestampMs: NOW } as Action);
  expect(events.length, "an answer never comes from inside submit").toBe(before);
  await until(() => outcome(actionId) !== undefined);
  return outcome(actionId) as Outcome;
}

function outcome(actionId: number): Outcome | undefined {
  return events.flatMap((event) => (event.type === "answer" && event.actionId === actionId ? [event.outcome] : []))[0];
}

async function withRules(): Promise<VenueRules> {
  const answer = await submitted({ kind: "question", ask: "rules" });
  if (answer.result !== "answered" || answer.ask !== "rules") throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Checks a request as the exchange does: rebuild the string from what arrived, recover the signer. */
function requireSigned({ params }: ReceivedRequest): URLSearchParams {
  const fields = new URLSearchParams(params);
  const { signature = "", ...rest } = Object.fromEntries(fields);
  expect(canonicalParams(rest)).toBe(params.slice(0, params.indexOf("&signature=")));
  expect(verifyMessage(canonicalParams(rest), signature)).toBe(signer.address);
  expect(rest.timestamp).toBe(String(NOW));
  return fields;
}

function place(rules: VenueRules, change: Partial<PlaceAction> = {}): Unnumbered<PlaceAction> {
  const market = rules.markets.btcusdc as MarketRules;
  const instrument = instrumentsOf(rules).get("btcusdc") as Instrument;
  const built = buildHashedOrder(new OrderHasher(rules.eip712.domainSeparator), {
    rules: market,
    instrument,
    side: "BUY",
    ticks: 20005,
    lots: 20,
    signer: signer.address,
    expirationSeconds: 2_051_222_400,
    nonce: 1n,
  });
  return {
    kind: "place",
    marketId: "btcusdc",
    side: "BUY",
    type: "LIMIT",
    ticks: 20005,
    lots: 20,
    timeInForce: "POST_ONLY",
    expirationMs: 0,
    order: built.order,
    hash: built.hash,
    ...change,
  };
}

beforeEach(async () => {
  server = await LocalServer.start();
  server.onRequest = ({ path }, response) => {
    if (path === "/v1/exchangeInfo") json(response, wireExchangeInfo(MARKETS));
    else response.writeHead(204).end();
  };
  transport = new NetworkTransport({ restUrl: `http://${server.host}/v1`, streamUrl: `ws://${server.host}/v1`, clock: seam.clock });
  events = [];
  nextId = 0;
});

afterEach(async () => {
  venue.close();
  transport.close();
  await server.stop();
});

describe("actions", () => {
  it("a place carries both signatures and is accepted as the exchange took it", async () => {
    const written: number[] = [];
    open({ streams: false, onWritten: (actionId) => written.push(actionId) });
    const rules = await withRules();
    const action = place(rules);
    server.onRequest = (_, response) => json(response, wireOrder({ hash: action.hash, tif: "POST_ONLY" }));
    expect(await submitted(action)).toMatchObject({
      result: "accepted",
      order: { hash: action.hash, id: "275287091667264", timeInForce: "POST_ONLY" },
    });
    const request = server.requests.at(-1) as ReceivedRequest;
    expect([request.method, request.path]).toEqual(["POST", "/v1/order"]);
    const fields = requireSigned(request);
    expect(Object.fromEntries(fields)).toMatchObject({
      account: signer.address,
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: "0.02",
      price: "2000.5",
      timeInForce: "POST_ONLY",
      info: action.order.info,
    });
    expect(fields.has("expiration")).toBe(false);
    expect(fields.has("gasFeeQuotation")).toBe(false);
    expect(ecdsaScheme.recover(Buffer.from(action.hash.slice(2), "hex"), fields.get("orderSignature") ?? "")).toBe(
      signer.address.toLowerCase(),
    );
    expect(written).toEqual([1, 2]);
  });

  it("a GTT place says when it expires, and a built one passes its gas token on unchanged", async () => {
    open({ streams: false });
    const action = place(await withRules(), { timeInForce: "GTT", expirationMs: NOW + 300_000, gasFeeQuotation: "ab+/c==*~" });
    await submitted(action);
    const fields = requireSigned(server.requests.at(-1) as ReceivedRequest);
    expect(fields.get("expiration")).toBe(String(NOW + 300_000));
    expect(fields.get("gasFeeQuotation")).toBe("ab+/c==*~");
  });

  it("a build is answered with an order that hashes to what it says", async () => {
    open({ streams: false });
    const rules = await withRules();
    const { order, hash } = place(rules);
    server.onRequest = (_, response) =>
      json(response, {
        order: {
          ...order,
          sender: `0x${"0".repeat(40)}`,
          paperAmount: String(order.paperAmount),
          creditAmount: String(order.creditAmount),
        },
        orderHash: hash,
        packedOrder: "0x00",
        gasFeeQuotation: "token",
      });
    const { order: _, hash: __, gasFeeQuotation: ___, ...asked } = place(rules);
    const answer = await submitted({ ...asked, kind: "build" });
    expect(answer).toMatchObject({ result: "built", hash, gasFeeQuotation: "token", order: { creditAmount: order.creditAmount } });
    expect(server.requests.at(-1)?.path).toBe("/v1/order/build");
    requireSigned(server.requests.at(-1) as ReceivedRequest);
  });

  it("cancels name the order, or the market", async () => {
    open({ streams: false });
    expect(await submitted({ kind: "cancel", marketId: "btcusdc", orderId: "9223372036854775807", hash: "0x" })).toEqual({
      result: "cancelled",
    });
    expect(await submitted({ kind: "cancel-all", marketId: "btcusdc" })).toEqual({ result: "cancelled" });
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["DELETE /v1/order", "DELETE /v1/allOpenOrders"]);
    expect(requireSigned(server.requests[0] as ReceivedRequest).get("orderId")).toBe("9223372036854775807");
    expect(requireSigned(server.requests[1] as ReceivedRequest).get("marketId")).toBe("btcusdc");
  });

  it("questions ask for whole pages; public ones are not signed", async () => {
    open({ streams: false });
    await withRules();
    server.onRequest = ({ path }, response) => {
      const answers: Record<string, unknown> = {
        "/v1/time": { serverTime: 5 },
        "/v1/orderbook": { sequence: 7, bids: [], asks: [] },
        "/v1/balances": { balances: wireBalances(), positions: [] },
      };
      json(response, answers[path] ?? []);
    };
    const questions: Unnumbered<Action>[] = [
      { kind: "question", ask: "time" },
      { kind: "question", ask: "bookSequence", marketId: "btcusdc" },
      { kind: "question", ask: "openOrders" },
      { kind: "question", ask: "openOrders", marketId: "btcusdc" },
      { kind: "question", ask: "historyOrders", marketId: "btcusdc", startTimeMs: 1, endTimeMs: 2 },
      { kind: "question", ask: "userTrades", marketId: "btcusdc", fromId: "9007199254740993" },
      { kind: "question", ask: "incomes", marketId: "btcusdc", startTimeMs: 3, endTimeMs: 4 },
      { kind: "question", ask: "balances" },
      { kind: "question", ask: "positions" },
    ];
    for (const question of questions) expect(await submitted(question)).toMatchObject({ result: "answered" });
    const asked = server.requests.slice(1).map((request) => {
      if (!request.params.includes("signature=")) return `${request.path}?${request.params}`;
      const fields = requireSigned(request);
      for (const name of ["account", "timestamp", "signature"]) fields.delete(name);
      return `signed ${request.path}?${fields}`;
    });
    expect(asked).toEqual([
      "/v1/time?",
      "/v1/orderbook?limit=10&marketId=btcusdc",
      "signed /v1/openOrders?",
      "signed /v1/openOrders?marketId=btcusdc",
      "signed /v1/historyOrders?endTime=2&limit=500&marketId=btcusdc&startTime=1",
      "signed /v1/userTrades?fromId=9007199254740993&limit=500&marketId=btcusdc",
      "signed /v1/incomes?endTime=4&limit=500&marketId=btcusdc&startTime=3",
      "signed /v1/balances?",
      "signed /v1/positions?",
    ]);
  });

  it("a place before the rules are known, or after the end, never leaves", async () => {
    open({ streams: false });
    const rules = await withRules();
    const action = place(rules);
    open({ streams: false });
    expect(await submitted(action)).toMatchObject({ result: "not-sent", message: expect.stringMatching(/rules are not known/) });
    expect(server.requests.filter(({ path }) => path === "/v1/order")).toEqual([]);
  });

  it("nothing is told after the end, and the end is told once", async () => {
    open({ streams: false });
    let completions = 0;
    venue.events$.subscribe({
      complete: () => {
        completions += 1;
      },
    });
    server.onRequest = () => undefined;
    venue.submit({ kind: "question", ask: "time", actionId: 1, timestampMs: NOW });
    await until(() => server.requests.length === 1);
    venue.close();
    venue.close();
    transport.close();
    venue.submit({ kind: "question", ask: "time", actionId: 2, timestampMs: NOW });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(events).toEqual([]);
    expect(completions).toBe(1);
  });

  it("an exchange that is not there means not sent; one that is silent, unknown", async () => {
    open({ streams: false, requestTimeoutMs: 50 });
    server.onRequest = () => undefined;
    expect(await submitted({ kind: "cancel-all", marketId: "btcusdc" })).toMatchObject({ result: "unknown", cause: "timeout" });
    await server.stop();
    expect(await submitted({ kind: "cancel-all", marketId: "btcusdc" })).toMatchObject({
      result: expect.stringMatching(/^(not-sent|unknown)$/),
    });
    expect(await submitted({ kind: "cancel-all", marketId: "btcusdc" })).toMatchObject({ result: "not-sent" });
  });

  it("an answer that cannot be read is counted as malformed besides", async () => {
    open({ streams: false });
    const action = place(await withRules());
    server.onRequest = (_, response) => response.end("<html>");
    expect(await submitted(action)).toMatchObject({ result: "unknown", cause: "malformed-answer" });
    expect(events.filter(({ type }) => type === "malformed")).toMatchObject([{ where: "answer POST /v1/order" }]);
  });
});

describe("streams", () => {
  const UPDATE = { event: "update", beginSequence: 1, endSequence: 2, bids: [["2000.5", "0.1"]], asks: [] };

  it("open once the rules are known: the markets on one connection, the account signed at that instant", async () => {
    open();
    await submitted({ kind: "question", ask: "time" });
    expect(server.sockets).toEqual([]);
    await withRules();
    await until(() => events.filter(({ type }) => type === "stream").length === 2);
    const urls = server.sockets.map(({ url }) => url).sort();
    expect(urls[0]).toMatch(/^\/v1\/multiple\?streams=btcusdc@orderbook\//);
    const query = new URLSearchParams((urls[1] as string).split("?")[1]);
    expect((urls[1] as string).split("?")[0]).toBe(`/v1/single/account@${signer.address}`);
    expect(verifyMessage(`account=${signer.address}&timestamp=${NOW}`, query.get("signature") ?? "")).toBe(signer.address);
  });

  it("bring books, orders and trades as events, answer pings, and take a book anew", async () => {
    server.onSocket = (url, socket) => {
      socket.send("ping");
      if (url.startsWith("/v1/multiple")) socket.send(JSON.stringify({ stream: "btcusdc@orderbook", data: UPDATE }));
      else socket.send(JSON.stringify({ event: "ORDER_UPDATE", order: wireOrder(), timestamp: 5 }));
    };
    open();
    await withRules();
    await until(() => events.some(({ type }) => type === "book-update") && events.some(({ type }) => type === "order-update"));
    venue.resubscribe("btcusdc");
    const market = server.sockets.find(({ url }) => url.startsWith("/v1/multiple"));
    await until(() => market?.received.length === 3);
    expect(market?.received[0]).toBe("pong");
    expect(market?.received.slice(1).map((text) => JSON.parse(text).method)).toEqual(["UNSUBSCRIBE", "SUBSCRIBE"]);
  });

  it("tell a trade once, though the exchange tells it again as it settles or fails, and after a break: each is a fill more on paper", async () => {
    const trade = (id: string, status: string, marketId = "btcusdc") =>
      `{"stream":"${marketId}@trades","data":{"id":${id},"price":"2000.5","amount":"0.1","quoteAmount":"200.05","time":${NOW},"isBuyerMaker":false,"status":"${status}"}}`;
    server.onSocket = (url, socket) => {
      if (!url.startsWith("/v1/multiple")) return;
      socket.send(trade("9007199254740993", "CREATED"));
      socket.send(trade("9007199254740995", "CREATED"));
      socket.send(trade("9007199254740993", "SETTLED"));
      socket.send(trade("9007199254740995", "FAILED"));
      socket.send(trade("9007199254740993", "CREATED", "ethusdc"));
      socket.send(JSON.stringify({ stream: "btcusdc@orderbook", data: UPDATE }));
    };
    open({ timings: { reconnectMinMs: 10 } });
    await withRules();
    const books = () => events.filter(({ type }) => type === "book-update").length;
    await until(() => books() === 1);
    for (const { socket } of [...server.sockets]) socket.terminate();
    await until(() => books() === 2);
    const told = events.flatMap((event) => (event.type === "public-trade" ? [`${event.marketId} ${event.id}`] : []));
    expect(told).toEqual(["btcusdc 9007199254740993", "btcusdc 9007199254740995", "ethusdc 9007199254740993"]);
  });

  it("come back after a break, told as down and up", async () => {
    open({ timings: { reconnectMinMs: 10 } });
    await withRules();
    await until(() => server.sockets.length === 2);
    for (const { socket } of [...server.sockets]) socket.terminate();
    await until(() => server.sockets.length === 4);
    const states = () => events.flatMap((event) => (event.type === "stream" ? [`${event.stream} ${event.state}`] : []));
    await until(() => states().length === 6);
    for (const stream of ["market", "account"]) {
      expect(states().filter((state) => state.startsWith(stream))).toEqual([`${stream} up`, `${stream} down`, `${stream} up`]);
    }
  });

  it("survive hostile frames: each is counted, none moves a book or ends the stream", async () => {
    const hostile = [
      "{",
      "null",
      "[]",
      JSON.stringify({ stream: "btcusdc@orderbook", data: { ...UPDATE, bids: [["-1", "1"]] } }),
      " ".repeat(9 * 1024 * 1024),
    ];
    server.onSocket = (url, socket) => {
      if (!url.startsWith("/v1/multiple")) return;
      for (const text of hostile) socket.send(text);
      socket.send(Buffer.from([0xff, 0xfe, 0x00]));
      socket.send(JSON.stringify({ stream: "btcusdc@orderbook", data: UPDATE }));
    };
    open();
    await withRules();
    await until(() => events.some(({ type }) => type === "book-update"));
    expect(events.filter(({ type }) => type === "malformed")).toHaveLength(hostile.length + 1);
    expect(events.filter(({ type }) => type.startsWith("book"))).toHaveLength(1);
  });
});

describe("a rate budget that the venue shares with a client of the process", () => {
  it("is spent by both, takes the exchange's limits over, and keeps what it does not allow from leaving", async () => {
    const gate = new RateGate({ clock: seam.clock });
    const exchangeInfo = { ...wireExchangeInfo(MARKETS), rateLimits: [{ name: "COMMON", intervalSeconds: 60, limit: 4 }] };
    server.onRequest = ({ path }, response) => json(response, path === "/v1/exchangeInfo" ? exchangeInfo : { serverTime: 5 });
    open({ gate, streams: false });
    await withRules();
    const client = new ExchangeClient({ transport, seam, gate });
    expect(gate.available("time")).toBe(3);
    await client.time();
    expect(await submitted({ kind: "question", ask: "time" })).toMatchObject({ result: "answered" });
    await client.time();
    const refused = await submitted({ kind: "question", ask: "time" });
    expect(refused).toMatchObject({ result: "not-sent", message: expect.stringContaining("rate budget") });
    expect(server.requests).toHaveLength(4);
  });

  it("hears of a ban from the venue, which then stops the client too", async () => {
    const gate = new RateGate({ clock: seam.clock });
    open({ gate, streams: false });
    server.onRequest = (_, response) => response.writeHead(418).end();
    expect(await submitted({ kind: "question", ask: "time" })).toMatchObject({ result: "throttled", httpStatus: 418 });
    await expect(new ExchangeClient({ transport, seam, gate }).time()).rejects.toThrow(RateLimitError);
    expect(await submitted({ kind: "question", ask: "time" })).toMatchObject({ message: expect.stringContaining("banned") });
    expect(server.requests).toHaveLength(1);
  });
});
