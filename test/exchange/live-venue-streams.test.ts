import { verifyMessage } from "ethers";
import { describe, expect, it } from "vitest";
import { until } from "./local-server.js";
import { NOW, ServedVenue, signer } from "./served-venue.js";
import { wireOrder } from "./wire-records.js";

const at = new ServedVenue();

describe("streams of a live venue", () => {
  const UPDATE = {
    event: "update",
    beginSequence: 1,
    endSequence: 2,
    bids: [["2000.5", "0.1"]],
    asks: [],
  };

  it("open once the rules are known: the markets on one connection, the account signed at that instant", async () => {
    at.open();
    await at.submitted({ kind: "question", ask: "time" });
    expect(at.server.sockets).toEqual([]);
    await at.withRules();
    await until(() => at.events.filter(({ type }) => type === "stream").length === 2);
    const urls = at.server.sockets.map(({ url }) => url).sort();
    expect(urls[0]).toMatch(/^\/v1\/multiple\?streams=btcusdc@orderbook\//);
    const query = new URLSearchParams((urls[1] as string).split("?")[1]);
    expect((urls[1] as string).split("?")[0]).toBe(`/v1/single/account@${signer.address}`);
    expect(
      verifyMessage(`account=${signer.address}&timestamp=${NOW}`, query.get("signature") ?? ""),
    ).toBe(signer.address);
  });

  it("bring books, orders and trades as events, answer pings, and take a book anew", async () => {
    at.server.onSocket = (url, socket) => {
      socket.send("ping");
      if (url.startsWith("/v1/multiple"))
        socket.send(JSON.stringify({ stream: "btcusdc@orderbook", data: UPDATE }));
      else socket.send(JSON.stringify({ event: "ORDER_UPDATE", order: wireOrder(), timestamp: 5 }));
    };
    at.open();
    await at.withRules();
    await until(
      () =>
        at.events.some(({ type }) => type === "book-update") &&
        at.events.some(({ type }) => type === "order-update"),
    );
    at.venue.resubscribe("btcusdc");
    const market = at.server.sockets.find(({ url }) => url.startsWith("/v1/multiple"));
    await until(() => market?.received.length === 3);
    expect(market?.received[0]).toBe("pong");
    expect(market?.received.slice(1).map((text) => JSON.parse(text).method)).toEqual([
      "UNSUBSCRIBE",
      "SUBSCRIBE",
    ]);
  });

  it("tell a trade once, though the exchange tells it again as it settles or fails, and after a break: each is a fill more on paper", async () => {
    const trade = (id: string, status: string, marketId = "btcusdc") =>
      `{"stream":"${marketId}@trades","data":{"id":${id},"price":"2000.5","amount":"0.1","quoteAmount":"200.05","time":${NOW},"isBuyerMaker":false,"status":"${status}"}}`;
    at.server.onSocket = (url, socket) => {
      if (!url.startsWith("/v1/multiple")) return;
      socket.send(trade("9007199254740993", "CREATED"));
      socket.send(trade("9007199254740995", "CREATED"));
      socket.send(trade("9007199254740993", "SETTLED"));
      socket.send(trade("9007199254740995", "FAILED"));
      socket.send(trade("9007199254740993", "CREATED", "ethusdc"));
      socket.send(JSON.stringify({ stream: "btcusdc@orderbook", data: UPDATE }));
    };
    at.open({ timings: { reconnectMinMs: 10 } });
    await at.withRules();
    const books = () => at.events.filter(({ type }) => type === "book-update").length;
    await until(() => books() === 1);
    for (const { socket } of [...at.server.sockets]) socket.terminate();
    await until(() => books() === 2);
    const told = at.events.flatMap((event) =>
      event.type === "public-trade" ? [`${event.marketId} ${event.id}`] : [],
    );
    expect(told).toEqual([
      "btcusdc 9007199254740993",
      "btcusdc 9007199254740995",
      "ethusdc 9007199254740993",
    ]);
  });

  it("reconnect after a break, reported as down and up", async () => {
    at.open({ timings: { reconnectMinMs: 10 } });
    await at.withRules();
    await until(() => at.server.sockets.length === 2);
    for (const { socket } of [...at.server.sockets]) socket.terminate();
    await until(() => at.server.sockets.length === 4);
    const states = () =>
      at.events.flatMap((event) =>
        event.type === "stream" ? [`${event.stream} ${event.state}`] : [],
      );
    await until(() => states().length === 6);
    for (const stream of ["market", "account"]) {
      expect(states().filter((state) => state.startsWith(stream))).toEqual([
        `${stream} up`,
        `${stream} down`,
        `${stream} up`,
      ]);
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
    at.server.onSocket = (url, socket) => {
      if (!url.startsWith("/v1/multiple")) return;
      for (const text of hostile) socket.send(text);
      socket.send(Buffer.from([0xff, 0xfe, 0x00]));
      socket.send(JSON.stringify({ stream: "btcusdc@orderbook", data: UPDATE }));
    };
    at.open();
    await at.withRules();
    await until(() => at.events.some(({ type }) => type === "book-update"));
    expect(at.events.filter(({ type }) => type === "malformed")).toHaveLength(hostile.length + 1);
    expect(at.events.filter(({ type }) => type.startsWith("book"))).toHaveLength(1);
  });
});
