import type { Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { CcxtStream } from "#reference/ccxt-exchanges.js";
import { createCcxtSource } from "#reference/ccxt-source.js";
import type { PriceMessage } from "#reference/price-message.js";
import { until } from "../../exchange/local-server.js";
import { IS_CCXT_INSTALLED } from "./ccxt-installed.js";
import { FUTURES_SYMBOL, FuturesServer } from "./futures-server.js";

const runtime = createLiveRuntime();
let server: FuturesServer;
let messages: PriceMessage[];
let subscription: Subscription | undefined;

beforeEach(async () => {
  server = await FuturesServer.start();
  messages = [];
});

afterEach(async () => {
  subscription?.unsubscribe();
  await server.stop();
});

async function subscribe(stream: CcxtStream, silenceMs?: number): Promise<void> {
  const source = await createCcxtSource(
    { ccxt: "binanceusdm", symbol: FUTURES_SYMBOL, stream },
    {
      runtime,
      field: "references.binance",
      origins: server.origins,
      timings: { reconnectMinMs: 20, reconnectMaxMs: 40 },
      silenceMs,
    },
  );
  subscription = source.subscribe((message) => messages.push(message));
  await server.subscriptions(1);
}

const last = (): PriceMessage | undefined => messages.at(-1);

describe.skipIf(!IS_CCXT_INSTALLED)(
  "a source with ccxt, against a server that speaks the exchange's public streams",
  () => {
    it("sends the best bid and ask with the exchange's own time", async () => {
      await subscribe("touch");
      expect(server.subscribed).toEqual(["btcusdt@bookTicker"]);
      server.sendTouch("60000.1", "60000.2");
      await until(() => messages.length === 1);
      expect(last()).toEqual({ type: "price", bid: 60000.1, ask: 60000.2, timeMs: server.timeMs });
    });

    it("sends the newest of a burst of messages last", async () => {
      await subscribe("touch");
      for (let at = 0; at < 500; at += 1) server.sendTouch(`${60000 + at}`, `${60001 + at}`);
      await until(() => {
        const message = last();
        return message?.type === "price" && message.bid === 60499;
      });
    });

    it("sends the best prices of an order book that starts with a snapshot", async () => {
      await subscribe("book");
      await until(() => server.requests.some(({ path }) => path === "/fapi/v1/depth"));
      server.sendDepth([["60000", "1"]], []);
      await until(() => {
        const message = last();
        return message?.type === "price" && message.bid === 60000;
      });
      expect(last()).toEqual({ type: "price", bid: 60000, ask: 60000.1, timeMs: server.timeMs });
    });

    it("is down when a change of the book is missing, and takes a new snapshot", async () => {
      await subscribe("book");
      await until(() => server.requests.some(({ path }) => path === "/fapi/v1/depth"));
      server.sendDepth([["60000", "1"]], []);
      await until(() => last()?.type === "price");
      server.skipDepth(3);
      server.sendDepth([["60000.05", "1"]], []);
      await until(() => messages.some(({ type }) => type === "down"));
      expect(last()).toMatchObject({ type: "down", reason: expect.stringMatching(/order ?book/i) });
      await until(
        () => server.requests.filter(({ path }) => path === "/fapi/v1/depth").length === 2,
      );
    });

    it("sends the price of the last trade as both sides", async () => {
      await subscribe("trades");
      server.sendTrade("59990.5");
      await until(() => messages.length === 1);
      expect(last()).toEqual({ type: "price", bid: 59990.5, ask: 59990.5, timeMs: server.timeMs });
    });

    it("is down at once when the connection is lost, and sends again after it reconnects", async () => {
      await subscribe("touch");
      server.sendTouch("60000.1", "60000.2");
      await until(() => messages.length === 1);
      server.disconnect();
      await until(() => messages.length === 2);
      expect(last()).toMatchObject({ type: "down", reason: expect.stringContaining("closed") });
      await server.subscriptions(2);
      server.sendTouch("60010.1", "60010.2");
      await until(() => last()?.type === "price");
      expect(last()).toMatchObject({ bid: 60010.1 });
      // The list of markets is large, and is not read again.
      expect(server.requested.filter((request) => request.startsWith("GET"))).toEqual([
        "GET /fapi/v1/exchangeInfo",
      ]);
    });

    it("is down and connects again when the stream stays silent without an error", async () => {
      await subscribe("touch", 150);
      await until(() => messages.length > 0);
      expect(last()).toEqual({ type: "down", reason: "nothing arrived for 0.15 s" });
      await server.subscriptions(2);
    });

    it("is down for a message that is not JSON, and up with the next price", async () => {
      await subscribe("touch");
      for (const text of ["<html>Bad gateway</html>", '{"e":"bookTicker","s":"BTCUSDT","b":'])
        server.sendText(text);
      await until(() => messages.length === 2);
      expect(messages).toEqual([
        {
          type: "down",
          reason: 'cannot be read: a message is "<html>Bad gateway</html>", expected JSON',
        },
        { type: "down", reason: expect.stringContaining("cannot be read: a message is") },
      ]);
      server.sendTouch("60000.1", "60000.2");
      await until(() => last()?.type === "price");
    });

    it("is down for a price that is no number", async () => {
      await subscribe("touch");
      server.sendTouch("-5", "60000.2");
      await until(() => messages.length === 1);
      expect(last()).toEqual({
        type: "down",
        reason: "cannot be read: bid is -5, expected a price from 0",
      });
    });

    it("passes crossed prices and a missing side on, for the market's reference to leave out", async () => {
      await subscribe("touch");
      server.sendTouch("60000.2", "60000.1");
      await until(() => messages.length === 1);
      expect(last()).toMatchObject({ bid: 60000.2, ask: 60000.1 });
      server.sendTouch("0", "60000.1");
      await until(() => messages.length === 2);
      expect(last()).toMatchObject({ bid: Number.NaN, ask: 60000.1 });
    });

    it("names a market that the exchange does not have", async () => {
      const source = await createCcxtSource(
        { ccxt: "binanceusdm", symbol: "BTC/USDC:USDC", stream: "touch" },
        { runtime, field: "references.binance", origins: server.origins },
      );
      subscription = source.subscribe((message) => messages.push(message));
      await until(() => messages.length === 1);
      expect(last()).toEqual({
        type: "down",
        reason: "the exchange has no market BTC/USDC:USDC, did you mean BTC/USDT:USDT?",
      });
    });

    it("is down with the exchange's answer when the list of markets is refused, and asks again", async () => {
      let refusals = 2;
      const answer = server.server.onRequest;
      server.server.onRequest = (request, response) => {
        if (refusals === 0) return answer(request, response);
        refusals -= 1;
        response.writeHead(503, { "content-type": "text/html" }).end("<html>maintenance</html>");
      };
      await subscribe("touch");
      server.sendTouch("60000.1", "60000.2");
      await until(() => last()?.type === "price");
      expect(messages.filter(({ type }) => type === "down")).toEqual([
        { type: "down", reason: expect.stringContaining("503") },
        { type: "down", reason: expect.stringContaining("503") },
      ]);
    });

    it("is down while the exchange cannot be reached", async () => {
      await subscribe("touch");
      await server.stop();
      await until(() => messages.length > 2);
      expect(messages.every(({ type }) => type === "down")).toBe(true);
    });

    it.each(["touch", "book", "trades"] as const)(
      "makes no other request than the listed ones for %s, without a key",
      async (stream) => {
        await subscribe(stream);
        server.sendTrade("59990.5");
        server.sendTouch("1", "2");
        server.disconnect();
        await server.subscriptions(2);
        const allowed = [
          /^GET \/fapi\/v1\/exchangeInfo$/,
          /^GET \/fapi\/v1\/depth$/,
          /^WS \/public\/ws\/\d+$/,
        ];
        for (const request of server.requested)
          expect(
            allowed.some((pattern) => pattern.test(request)),
            request,
          ).toBe(true);
        const names = [
          ...server.requests.flatMap(({ headers, params }) => [
            ...Object.keys(headers),
            ...new URLSearchParams(params).keys(),
          ]),
          ...server.server.sockets.flatMap(({ headers }) => Object.keys(headers)),
        ].filter((name) => !name.startsWith("sec-websocket-"));
        expect(names.filter((name) => /key|sign|secret|auth|token|cookie/i.test(name))).toEqual([]);
      },
    );

    it("leaves no connection behind once it is unsubscribed, at any moment", async () => {
      await subscribe("touch");
      server.sendTouch("60000.1", "60000.2");
      await until(() => messages.length === 1);
      subscription?.unsubscribe();
      await until(() => server.server.connectionCount === 0);
      // While it loads the markets.
      server.server.onRequest = () => {};
      const source = await createCcxtSource(
        { ccxt: "binanceusdm", symbol: FUTURES_SYMBOL, stream: "touch" },
        { runtime, field: "references.binance", origins: server.origins },
      );
      const before = server.requests.length;
      const early = source.subscribe();
      await until(() => server.requests.length > before);
      early.unsubscribe();
      await until(() => server.server.connectionCount === 0);
    });
  },
);
