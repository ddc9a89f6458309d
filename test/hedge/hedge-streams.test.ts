import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CcxtHedgeDeps } from "#hedge/open-ccxt-hedge-venue.js";
import { until } from "../exchange/local-server.js";
import { IS_CCXT_INSTALLED } from "../reference/sources/ccxt-installed.js";
import { type HedgeSession, newKey, openVenue, SYMBOL } from "./dialect-world.js";
import { ToldServer } from "./told-server.js";

let server: ToldServer;
let session: HedgeSession;

beforeEach(async () => {
  server = await ToldServer.start();
  server.told.set("POST /fapi/v1/listenKey", { body: { listenKey: "a-listen-key-0123456789" } });
  server.told.set("GET /fapi/v1/ticker/bookTicker", { status: 500, body: "" });
});

afterEach(async () => {
  session.venue.close();
  await server.stop();
});

async function open(timings: CcxtHedgeDeps["timings"] = {}): Promise<void> {
  session = await openVenue(server.host, {}, { timings: { reconnectMinMs: 20, ...timings } });
  session.venue.start();
  await session.up();
}

/** Sends a text on the newest websocket of a path. */
function send(path: "/private/ws" | "/public/stream", text: string): void {
  server.server.sockets.findLast(({ url }) => url.startsWith(path))?.socket.send(text);
}

const update = (more: string) =>
  `{"e":"ORDER_TRADE_UPDATE","E":1,"T":1,"o":{"s":"BTCUSDC","S":"BUY","q":"0.02","x":"TRADE","X":"FILLED","i":8389765519143587841,"l":"0.02","z":"0.02","L":"30000.1","n":"0.18","N":"USDC","T":7,"t":8389765519143587842,"m":false,${more}}}`;

describe.skipIf(!IS_CCXT_INSTALLED)("the streams of a hedge venue", () => {
  it("report a fill with every digit of its ids, and its order", async () => {
    await open();
    const key = newKey();
    send("/private/ws", update(`"c":"${key}"`));
    await until(() => session.of("order").length > 0);
    expect(session.of("fill").map(({ fill }) => fill)).toEqual([
      {
        id: "8389765519143587842",
        symbol: SYMBOL,
        key,
        side: "BUY",
        lots: 20,
        quote: 60_000_200_000n,
        fee: 18_000_000n,
        feeAsset: "USDC",
        isMaker: false,
        timeMs: 7,
        isReversed: false,
      },
    ]);
    expect(session.of("order")[0]?.order).toMatchObject({ key, filledLots: 20, isOpen: false });
  });

  it("report a fill of another client without a key, since it moves the position too", async () => {
    await open();
    send("/private/ws", update('"c":"autoclose-1"'));
    await until(() => session.of("fill").length > 0);
    expect(session.of("fill")[0]?.fill.key).toBeUndefined();
    expect(session.of("order")).toEqual([]);
  });

  it("say when the account changed without a fill, and not twice for a fill", async () => {
    await open();
    const reason = (m: string) =>
      send("/private/ws", `{"e":"ACCOUNT_UPDATE","E":1,"a":{"m":"${m}"}}`);
    reason("ORDER");
    reason("FUNDING_FEE");
    await until(() => session.of("account-changed").length > 0);
    expect(session.of("account-changed").map((event) => event.reason)).toEqual(["FUNDING_FEE"]);
  });

  it("say what they cannot read, and go on", async () => {
    await open();
    const key = newKey();
    send("/private/ws", "not JSON");
    send("/private/ws", update(`"c":"${key}"`).replace('"l":"0.02"', '"l":"0.0205"'));
    send("/private/ws", update(`"c":"${key}"`).replace('"L":"30000.1"', '"L":30000.1'));
    send("/private/ws", update(`"c":"${key}"`).replace('"X":"FILLED"', '"X":"HALF"'));
    send("/private/ws", '{"e":"NEWER_THAN_THIS"}');
    send("/public/stream", '{"stream":"x","data":{"e":"bookTicker","s":"BTCUSDC","b":"1.05"}}');
    await until(() => session.of("malformed").length === 6);
    expect([session.of("fill"), session.of("order"), session.of("touch")]).toEqual([[], [], []]);
    send("/private/ws", update(`"c":"${key}"`));
    await until(() => session.of("fill").length === 1);
  });

  it("report no touch of a book with one side", async () => {
    await open();
    const touch = (bid: string) =>
      `{"stream":"btcusdc@bookTicker","data":{"e":"bookTicker","u":1,"s":"BTCUSDC","b":"${bid}","B":"${bid}","a":"30001.0","A":"1.000"}}`;
    send("/public/stream", touch("0"));
    send("/public/stream", touch("2"));
    await until(() => session.of("touch").length > 0);
    expect(session.of("touch")).toEqual([
      {
        type: "touch",
        symbol: SYMBOL,
        bidTicks: 20,
        bidLots: 2000,
        askTicks: 300_010,
        askLots: 1000,
      },
    ]);
    expect(session.of("malformed")).toEqual([]);
  });

  it("go down when a connection is open and dead, and come up again", async () => {
    await open({ pingMs: 20, silenceMs: 200 });
    server.server.sockets[0]?.socket.pause();
    await session.up(2);
    expect(session.of("stream")[1]).toMatchObject({
      state: "down",
      reason: "nothing arrived for 0.2 s",
    });
  });

  it("go down when the touch has moved and the open stream has not said so", async () => {
    let bidPrice = "30000.0";
    server.told.set("GET /fapi/v1/ticker/bookTicker", () => {
      const ask = { askPrice: "30001.0", askQty: "1.000" };
      return { body: { symbol: "BTCUSDC", bidPrice, bidQty: "1.000", ...ask } };
    });
    await open({ touchEveryMs: 50, touchGraceMs: 50 });
    await until(() => session.of("touch").length > 0);
    expect(session.of("touch")[0]).toMatchObject({ bidTicks: 300_000 });
    bidPrice = "29000.0";
    await until(() => session.of("stream").some(({ state }) => state === "down"));
    expect(session.of("stream")[1]).toMatchObject({
      reason: "the stream of BTCUSDC has not reported a change of the touch",
    });
    await until(() => session.of("touch").some(({ bidTicks }) => bidTicks === 290_000));
  });

  it("go down together when one of them ends, and are opened together", async () => {
    await open();
    server.server.sockets.find(({ url }) => url.startsWith("/public"))?.socket.close();
    await session.up(2);
    expect(session.of("stream").map(({ state }) => state)).toEqual(["up", "down", "up"]);
    expect(server.server.sockets.map(({ url }) => url.split("?")[0]).sort()).toEqual([
      "/private/ws",
      "/private/ws",
      "/public/stream",
      "/public/stream",
    ]);
  });

  it("are down, with the reason, while the venue refuses a listen key", async () => {
    server.told.set("POST /fapi/v1/listenKey", {
      status: 401,
      body: { code: -2015, msg: "Invalid API-key" },
    });
    session = await openVenue(server.host, {}, { timings: { reconnectMinMs: 20 } });
    session.venue.start();
    await until(() => session.of("stream").length > 1);
    expect(session.events[0]).toMatchObject({
      type: "stream",
      state: "down",
      reason: "HTTP 401, -2015: Invalid API-key",
    });
    expect(server.server.sockets).toEqual([]);
  });
});
