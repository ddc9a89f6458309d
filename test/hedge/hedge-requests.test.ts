import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { USDM_ALLOWED } from "#hedge/usdm-requests.js";
import { until } from "../exchange/local-server.js";
import { IS_CCXT_INSTALLED } from "../reference/sources/ccxt-installed.js";
import { dialectWorld, newKey, openVenue, SYMBOL } from "./dialect-world.js";

let world: Awaited<ReturnType<typeof dialectWorld>>;

beforeEach(async () => {
  world = await dialectWorld({}, { listenKeyLifeMs: 60_000 });
});

afterEach(() => world.stop());

/** `METHOD path` of everything that may be asked, without the hosts. */
const LISTED = USDM_ALLOWED.map((request) => request.replace(/[a-z]+:\/\/[^/]+/, ""));

describe.skipIf(!IS_CCXT_INSTALLED)("all that reaches a hedge venue in a session", () => {
  it("is on the list, and every order there is one that the bot placed, under its own key", async () => {
    const session = await openVenue(world.proxy.host);
    session.venue.start();
    await session.up();
    const order = {
      kind: "place" as const,
      symbol: SYMBOL,
      side: "BUY" as const,
      lots: 20,
      ticks: 300_010,
      timeInForce: "IOC" as const,
      isReduceOnly: false,
    };
    const first = { ...order, key: newKey() };
    const second = {
      ...order,
      key: newKey(),
      side: "SELL" as const,
      ticks: 300_000,
      isReduceOnly: true,
    };
    const resting = {
      ...order,
      key: newKey(),
      ticks: 299_000,
      timeInForce: "POST_ONLY" as const,
    };
    for (const each of [first, second, resting])
      expect(await session.submit(each)).toMatchObject({ result: "order" });
    const { key } = resting;
    await session.submit({ kind: "order", symbol: SYMBOL, key });
    await session.submit({ kind: "cancel", symbol: SYMBOL, key });
    await session.submit({ kind: "open-orders", symbol: SYMBOL });
    await session.submit({ kind: "fills", symbol: SYMBOL, sinceMs: 0 });
    await session.submit({ kind: "funding", symbol: SYMBOL, sinceMs: 0 });
    await session.submit({ kind: "account", symbol: SYMBOL });
    world.proxy.cut();
    await session.up(2);
    await until(() => world.proxy.sockets.length === 4);
    session.venue.close();

    const { requests, sockets } = world.proxy;
    const sent = [
      ...requests.map(({ method, path }) => `${method} ${path}`),
      ...sockets.map((url) => `WS ${url.split("?")[0]}`),
    ];
    expect(sent.filter((request) => !LISTED.includes(request))).toEqual([]);
    const changing = requests.filter(
      ({ method, path }) => method !== "GET" && !path.endsWith("/listenKey"),
    );
    const terms = (params: Readonly<Record<string, string>>) => {
      const { timestamp, signature, recvWindow, ...rest } = params;
      expect([Number(timestamp) > 0, signature?.length, recvWindow]).toEqual([true, 64, "2000"]);
      return rest;
    };
    const limit = { symbol: "BTCUSDC", type: "LIMIT", newOrderRespType: "RESULT" };
    expect(changing.map(({ method, params }) => [method, terms(params)])).toEqual([
      [
        "POST",
        {
          ...limit,
          side: "BUY",
          timeInForce: "IOC",
          quantity: "0.02",
          price: "30001",
          newClientOrderId: first.key,
        },
      ],
      [
        "POST",
        {
          ...limit,
          side: "SELL",
          timeInForce: "IOC",
          quantity: "0.02",
          price: "30000",
          newClientOrderId: second.key,
          reduceOnly: "true",
        },
      ],
      [
        "POST",
        {
          ...limit,
          side: "BUY",
          timeInForce: "GTX",
          quantity: "0.02",
          price: "29900",
          newClientOrderId: resting.key,
        },
      ],
      ["DELETE", { symbol: "BTCUSDC", origClientOrderId: key }],
    ]);
    // The key is shown to nobody who needs none.
    const shown = requests.filter(({ headers }) => headers["x-mbx-apikey"] !== undefined);
    expect(new Set(shown.map(({ path }) => path))).toEqual(
      new Set(
        requests
          .map(({ path }) => path)
          .filter((path) => !/\/(exchangeInfo|time|bookTicker|premiumIndex)$/.test(path)),
      ),
    );
  });

  it("is asked once for one action: nothing is repeated when an answer is lost", async () => {
    const session = await openVenue(world.proxy.host);
    world.proxy.answers = ({ path }) => path !== "/fapi/v1/order";
    for (const kind of ["cancel", "order"] as const)
      expect(await session.submit({ kind, symbol: SYMBOL, key: newKey() })).toMatchObject({
        result: "unknown",
      });
    const orders = world.proxy.requests.filter(({ path }) => path === "/fapi/v1/order");
    expect(orders.map(({ method }) => method)).toEqual(["DELETE", "GET"]);
    session.venue.close();
  });

  it("stays within the weight of the config, and keeps cancels possible", async () => {
    const session = await openVenue(world.proxy.host, { maxRequestWeight: 60 });
    const account = () => session.submit({ kind: "account", symbol: SYMBOL });
    let outcome = await account();
    // A minute of the venue may begin meanwhile.
    for (let at = 0; at < 20 && outcome.result === "account"; at += 1) outcome = await account();
    expect(outcome).toMatchObject({ result: "not-sent" });
    expect(outcome.result === "not-sent" && outcome.retryAfterMs).toBeGreaterThan(0);
    expect(await session.submit({ kind: "cancel", symbol: SYMBOL, key: newKey() })).toMatchObject({
      result: "absent",
    });
    session.venue.close();
  });
});

describe.skipIf(!IS_CCXT_INSTALLED)("a listen key that ends", () => {
  it("takes the streams down and up again, with a key that works", async () => {
    await world.stop();
    world = await dialectWorld({}, { listenKeyLifeMs: 1500 });
    const session = await openVenue(world.proxy.host, {}, { timings: { reconnectMinMs: 20 } });
    session.venue.start();
    await session.up();
    await until(() => session.of("stream").some(({ state }) => state === "down"));
    expect(session.of("stream")[1]).toMatchObject({ reason: "the listen key ended" });
    await session.up(2);
    session.venue.close();
  });

  it("is kept alive, so that no fill is missed while it would have ended", async () => {
    await world.stop();
    world = await dialectWorld({}, { listenKeyLifeMs: 1500 });
    const session = await openVenue(world.proxy.host, {}, { timings: { listenKeyMs: 300 } });
    session.venue.start();
    await session.up();
    const renewals = () =>
      world.proxy.requests.filter(({ path }) => path.endsWith("/listenKey")).length;
    await until(() => renewals() >= 10);
    expect(session.of("stream").map(({ state }) => state)).toEqual(["up"]);
    session.venue.close();
  });
});
