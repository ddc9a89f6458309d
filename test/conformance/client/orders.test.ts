import { expect } from "vitest";
import type { Order } from "#exchange/order.js";
import { decodeAccountFrame } from "#exchange/stream-decoder.js";
import { KEYS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { trade, worlds } from "../exchange/world.js";
import { BUILD, EXCHANGE_INFO, MARKET, ORDER, TRADED_ORDER, text } from "./examples.js";
import { connections, expectRead, scripted } from "./world.js";

const world = worlds();
const connected = connections();
const BTC = { marketId: "btcusdc" };
const BID = { ...BTC, side: "BUY", amount: "0.1", price: "30000" } as const;

/** The open orders that a wire text holds. */
const read = async (...orders: object[]): Promise<readonly Order[]> =>
  scripted({ "GET /v1/openOrders": text(orders) }).client.openOrders();

conforms("O1", "client", "reads every field of an order, its structure to the unit", async () => {
  const [plain, traded] = await read(ORDER, TRADED_ORDER);
  expectRead(plain ?? {}, ORDER, "order");
  expectRead(traded ?? {}, TRADED_ORDER, "tradedOrder");
  expectRead(plain?.json ?? {}, ORDER.json, "orderStruct");
  expect(plain?.json).toMatchObject({
    paperAmount: 20_000_000_000_000_000n,
    creditAmount: -40_010_000n,
  });
  for (const field of Object.keys(ORDER).filter(
    (name) => !["trades", "expiration"].includes(name),
  )) {
    const { [field as "id"]: _, ...without } = ORDER;
    await expect(read(without)).rejects.toMatchObject({ field: expect.stringContaining(field) });
  }
});

conforms(
  "O2",
  "client",
  "gives the six parts so that they sum to the amount without a digit lost",
  async () => {
    const parts = {
      availableAmount: "0.000000000000000001",
      filledAmount: "0.1",
      canceledAmount: "0.2",
      pendingAmount: "0.3",
      expiredAmount: "0.4",
      failedAmount: "0.7",
    };
    const [order] = await read({ ...ORDER, ...parts, amount: "1.700000000000000001" });
    const sum = (one: Order) =>
      [
        one.availableAmount,
        one.filledAmount,
        one.canceledAmount,
        one.pendingAmount,
        one.expiredAmount,
        one.failedAmount,
      ].reduce((total, part) => total.plus(part));
    expect(order === undefined ? [] : [sum(order), order.amount].map(String)).toEqual([
      "1.700000000000000001",
      "1.700000000000000001",
    ]);
    const venue = await world({ settlement: { failureRate: 0.5 } });
    const { client, streams } = await connected(venue);
    const seen: Order[] = [];
    const following = streams.account$().subscribe((event) => {
      if (event.type === "order") seen.push(event.order);
    });
    await venue.clock.runFor(1);
    for (const price of ["30000", "30001", "30002", "30003"]) {
      await trade(venue.alice, venue.bob, "BUY", price, "0.3");
      const { id } = await client.place({ ...BID, price: "29000", amount: "0.7" });
      await venue.bob.place("SELL", "29000", "0.2");
      await client.cancelOrder({ ...BTC, orderId: id });
      await venue.clock.runFor(3000);
    }
    await client.balances();
    following.unsubscribe();
    const all = [...seen, ...(await client.historyOrders(BTC))];
    expect(all.length).toBeGreaterThan(15);
    expect(all.map((one) => String(sum(one)))).toEqual(all.map(({ amount }) => String(amount)));
  },
);

conforms(
  "O3",
  "client",
  "gives no average price where there is none, in whatever way the wire leaves it out",
  async () => {
    const [absent, empty, none, given] = await read(
      ORDER,
      { ...ORDER, averagePrice: "" },
      { ...ORDER, averagePrice: null },
      TRADED_ORDER,
    );
    expect([absent?.averagePrice, empty?.averagePrice, none?.averagePrice]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(String(given?.averagePrice)).toBe("2000.25");
  },
);

conforms("O4", "client", "takes trades as null or absent, and as nothing else", async () => {
  const { trades: _, ...without } = ORDER;
  const [present, absent] = await read(ORDER, without);
  expect([present?.trades, absent?.trades]).toEqual([null, undefined]);
  await expect(read({ ...ORDER, trades: [] })).rejects.toMatchObject({
    field: expect.stringContaining("trades"),
  });
});

conforms(
  "O5",
  "client",
  "gives expiration as 0 without one, and as milliseconds where the wire says seconds",
  async () => {
    const found = await read(
      ORDER,
      { ...ORDER, expiration: 1_700_000_090_000 },
      { ...ORDER, expiration: 1_700_000_090 },
    );
    expect(found.map(({ expiration }) => expiration)).toEqual([
      0, 1_700_000_090_000, 1_700_000_090_000,
    ]);
  },
);

conforms("BO1", "client", "reads a build's structure, hash, packing and token", async () => {
  const { client, last } = scripted({ "POST /v1/order/build": text(BUILD) });
  const built = await client.buildOrder({ ...BID, orderType: "LIMIT", timeInForce: "GTC" });
  expectRead(built, BUILD, "build");
  expectRead(built.order, BUILD.order, "orderStruct");
  expect(last().params).toMatchObject({
    marketId: "btcusdc",
    side: "BUY",
    orderType: "LIMIT",
    amount: "0.1",
    price: "30000",
    timeInForce: "GTC",
  });
});

conforms("S1", "client", "tells NEW, PARTIAL_FILLED and FILLED as the exchange does", async () => {
  const venue = await world();
  const { client } = await connected(venue);
  const { id } = await client.place(BID);
  const status = async () =>
    (await client.openOrders()).map((order) => [order.status, String(order.filledAmount)]);
  expect(await status()).toEqual([["NEW", "0"]]);
  await venue.bob.place("SELL", "30000", "0.04");
  await venue.clock.runFor(3000);
  expect(await status()).toEqual([["PARTIAL_FILLED", "0.04"]]);
  await venue.bob.place("SELL", "30000", "0.06");
  await venue.clock.runFor(3000);
  expect(await status()).toEqual([]);
  expect(await client.order({ ...BTC, orderId: id })).toMatchObject({ status: "FILLED" });
});

conforms("S2", "client", "reads final orders from the history, every one of it", async () => {
  const venue = await world();
  const { client } = await connected(venue);
  const ids: string[] = [];
  for (let count = 0; count < 7; count += 1) {
    const { id } = await client.place({ ...BID, timeInForce: "IOC" });
    ids.push(id);
    await venue.clock.runFor(10);
  }
  const found: string[] = [];
  for await (const order of client.all.historyOrders({ ...BTC, pageSize: 3 })) {
    expect(order.status).toBe("EXPIRED");
    found.push(order.id);
  }
  expect(found).toEqual(ids);
});

conforms(
  "S3",
  "client",
  "asks open orders and history orders apart, and is told 2011 where an order is not",
  async () => {
    const venue = await world();
    const { client } = await connected(venue);
    const { id: orderId } = await client.place(BID);
    const at = { ...BTC, orderId };
    expect([(await client.openOrder(at)).id, (await client.openOrders(BTC)).length]).toEqual([
      orderId,
      1,
    ]);
    await expect(client.order(at)).rejects.toMatchObject({ code: 2011 });
    expect(await client.historyOrders(BTC)).toEqual([]);
    await client.cancelOrder(at);
    expect([(await client.order(at)).id, (await client.historyOrders(BTC)).length]).toEqual([
      orderId,
      1,
    ]);
    await expect(client.openOrder(at)).rejects.toMatchObject({ code: 2011 });
    expect(await client.openOrders(BTC)).toEqual([]);
  },
);

conforms(
  "S4",
  "client",
  "takes 204 without a body for a cancel, and an answer with a body for none",
  async () => {
    const venue = await world();
    const { client } = await connected(venue);
    const { id: orderId } = await client.place(BID);
    await expect(client.cancelOrder({ ...BTC, orderId })).resolves.toBeUndefined();
    expect(await client.openOrders()).toEqual([]);
    const odd = scripted({
      "DELETE /v1/order": text(ORDER),
      "DELETE /v1/allOpenOrders": '{"ok":true}',
    });
    await expect(odd.client.cancelOrder({ ...BTC, orderId })).rejects.toMatchObject({
      name: "FormatError",
    });
    await expect(odd.client.cancelAllOpenOrders()).rejects.toMatchObject({ name: "FormatError" });
  },
);

conforms(
  "S5",
  "client",
  "sees a trade CREATED and then SETTLED, on the stream and by asking",
  async () => {
    const venue = await world();
    const { client, streams } = await connected(venue);
    const seen: string[] = [];
    let isUp = () => {};
    const up = new Promise<void>((resolve) => {
      isUp = resolve;
    });
    const following = streams.account$().subscribe((event) => {
      if (event.type === "up") isUp();
      if (event.type === "trade") seen.push(event.trade.status);
    });
    await up;
    await trade(venue.alice, venue.bob, "BUY", "30000", "0.1");
    expect((await client.userTrades(BTC)).map(({ status }) => status)).toEqual(["CREATED"]);
    await venue.clock.runFor(2000);
    expect((await client.userTrades(BTC)).map(({ status }) => status)).toEqual(["SETTLED"]);
    while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(["CREATED", "SETTLED"]);
    following.unsubscribe();
  },
);

conforms(
  "S6",
  "client",
  "passes on every status that the protocol knows, and the amounts that moved",
  async () => {
    const statuses = [
      "CREATED",
      "NEW",
      "PARTIAL_FILLED",
      "FILLED",
      "CANCELED",
      "EXPIRED",
      "FAILED",
    ];
    const found = await read(...statuses.map((status) => ({ ...ORDER, status })));
    expect(found.map(({ status }) => status)).toEqual(statuses);
    const failed = { ...ORDER, status: "FAILED", availableAmount: "0", failedAmount: "0.02" };
    const [event] = decodeAccountFrame(
      `{"event":"ORDER_UPDATE","order":${text(failed)},"timestamp":1700000000000}`,
    );
    expect(event).toMatchObject({
      type: "order",
      order: { status: "FAILED" },
      timestamp: 1_700_000_000_000,
    });
    const venue = await world({ settlement: { failureRate: 1 } });
    const { client } = await connected(venue);
    await trade(venue.alice, venue.bob, "BUY", "30000", "0.1");
    expect((await client.openOrders()).map((order) => String(order.pendingAmount))).toEqual([
      "0.1",
    ]);
    await venue.clock.runFor(3000);
    expect(
      (await client.historyOrders(BTC)).map((order) => [
        order.status,
        String(order.pendingAmount),
        String(order.failedAmount),
      ]),
    ).toEqual([["FAILED", "0", "0.1"]]);
  },
);

conforms(
  "S7",
  "client",
  "shows stage and status of a market, and the code with which it refuses",
  async () => {
    for (const [status, code, codeName] of [
      ["PENDING", 2013, "MARKET_TRADING_NOT_ENABLED_ERROR"],
      ["SUSPENDED", 2014, "MARKET_TRADING_DISABLED_ERROR"],
      ["DELISTED", 2015, "MARKET_DELISTED_ERROR"],
    ] as const) {
      const venue = await world();
      const { client } = await connected(venue);
      venue.exchange.setMarketStatus("btcusdc", status);
      await expect(client.place(BID)).rejects.toMatchObject({ name: "VenueError", code, codeName });
      expect((await client.exchangeInfo()).markets[0]).toMatchObject({ stage: status, status });
    }
  },
);

conforms("R6", "client", "cancels by market and id; an order that is gone is 2011", async () => {
  const { client, last, sent } = scripted({ "DELETE /v1/order": { status: 204, body: "" } });
  await client.cancelOrder({ ...BTC, orderId: "7" });
  expect([last().method, last().path, last().params.marketId, last().params.orderId]).toEqual([
    "DELETE",
    "/v1/order",
    "btcusdc",
    "7",
  ]);
  await expect(client.cancelOrder({ ...BTC, orderId: "x" })).rejects.toMatchObject({
    field: "orderId",
  });
  expect(sent).toHaveLength(1);
  const { client: live } = await connected(await world());
  await expect(live.cancelOrder({ ...BTC, orderId: "7" })).rejects.toMatchObject({
    code: 2011,
    codeName: "NO_SUCH_ORDER_ERROR",
  });
});

conforms("R7", "client", "cancels all orders of a market, or of all", async () => {
  const { client, last } = scripted({ "DELETE /v1/allOpenOrders": { status: 204, body: "" } });
  await client.cancelAllOpenOrders(BTC);
  expect([last().method, last().path, last().params.marketId]).toEqual([
    "DELETE",
    "/v1/allOpenOrders",
    "btcusdc",
  ]);
  await client.cancelAllOpenOrders();
  expect(last().params).not.toHaveProperty("marketId");
  const venue = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  const { client: live } = await connected(venue);
  await live.place(BID);
  await live.place({ ...BID, marketId: "ethusdc", price: "3000" });
  await live.cancelAllOpenOrders(BTC);
  expect((await live.openOrders()).map(({ marketId }) => marketId)).toEqual(["ethusdc"]);
  await live.cancelAllOpenOrders();
  expect(await live.openOrders()).toEqual([]);
});

conforms(
  "R16",
  "client",
  "gives the order as accepted from a place, and its trade from the stream",
  async () => {
    const venue = await world();
    const { client, streams } = await connected(venue, KEYS[1]);
    const seen: [string, string][] = [];
    let isUp = () => {};
    const up = new Promise<void>((resolve) => {
      isUp = resolve;
    });
    const following = streams.account$().subscribe((event) => {
      if (event.type === "up") isUp();
      if (event.type === "order")
        seen.push([event.order.status, String(event.order.pendingAmount)]);
    });
    await up;
    await venue.alice.place("SELL", "30000", "0.1");
    const accepted = await client.place(BID);
    expect([
      accepted.status,
      String(accepted.availableAmount),
      String(accepted.pendingAmount),
      accepted.averagePrice,
    ]).toEqual(["NEW", "0.1", "0", undefined]);
    while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([
      ["NEW", "0"],
      ["PARTIAL_FILLED", "0.1"],
    ]);
    following.unsubscribe();
  },
);

conforms(
  "L3",
  "client",
  "reads leverage and exposure of a market, what is still available, and both refusals",
  async () => {
    const { client } = scripted({
      "GET /v1/exchangeInfo": text({
        ...EXCHANGE_INFO,
        markets: [{ ...MARKET, maxLeverage: 25, maxExposure: "12345.5" }],
      }),
    });
    const [market] = (await client.exchangeInfo()).markets;
    expect([market?.maxLeverage, String(market?.maxExposure)]).toEqual([25, "12345.5"]);
    const venue = await world(
      { creditOnRegistration: "1500", markets: { btcusdc: { maxLeverage: 20 } } },
      { steadyMark: true },
    );
    const { client: live } = await connected(venue);
    expect(String((await live.balances()).balances.availableCreditAmounts.btcusdc?.buy)).toBe(
      "30000",
    );
    await expect(live.place({ ...BID, amount: "1.001" })).rejects.toMatchObject({
      code: 2012,
      codeName: "MARGIN_INSUFFICIENT_ERROR",
    });
    const capped = await connected(
      await world({ markets: { btcusdc: { maxExposureQuote: "3000" } } }, { steadyMark: true }),
    );
    await expect(capped.client.place({ ...BID, amount: "0.101" })).rejects.toMatchObject({
      code: 4013,
      codeName: "EXPOSURE_GREATER_THAN_MAX_ACCOUNT_LIMIT_ERROR",
    });
  },
);
