import { expect } from "vitest";
import { START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { BTC, open, TERMS } from "./limit-orders.js";
import { type Trader, trade, worlds } from "./world.js";

const world = worlds();
const past = (trader: Trader) => trader.ask("/v1/historyOrders", BTC);

conforms(
  "S1",
  "exchange",
  "NEW before a match, PARTIAL_FILLED after a part, FILLED after all",
  async () => {
    const { alice, bob, clock } = await world();
    const { id, status } = (await alice.place("BUY", "30000", "1")).json;
    expect(status).toBe("NEW");
    expect(await open(alice)).toMatchObject([
      { id, status: "NEW", availableAmount: "1", filledAmount: "0" },
    ]);
    await bob.place("SELL", "30000", "0.4");
    expect(await open(alice)).toMatchObject([{ id, status: "PARTIAL_FILLED" }]);
    await clock.runFor(3000);
    expect(await open(alice)).toMatchObject([
      { id, status: "PARTIAL_FILLED", availableAmount: "0.6", filledAmount: "0.4" },
    ]);
    await bob.place("SELL", "30000", "0.6");
    await clock.runFor(3000);
    expect(await open(alice)).toEqual([]);
    expect(await past(alice)).toMatchObject([
      { id, status: "FILLED", filledAmount: "1", availableAmount: "0" },
    ]);
  },
);

conforms(
  "S2",
  "exchange",
  "an order is history once its status is final, and changes no more",
  async () => {
    const { alice, bob, clock } = await world();
    const { id } = (await alice.place("BUY", "30000", "1")).json;
    const gtt = (
      await alice.place("BUY", "29000", "1", {
        timeInForce: "GTT",
        expirationMs: START_MS + 90_000,
      })
    ).json;
    const ioc = (await alice.place("BUY", "28000", "1", { timeInForce: "IOC" })).json;
    expect(await past(alice)).toMatchObject([{ id: ioc.id, status: "EXPIRED" }]);
    await bob.place("SELL", "30000", "1");
    // Wholly matched, and not yet settled: it may still fail.
    expect((await past(alice)).map((order: { id: number }) => order.id)).toEqual([ioc.id]);
    await clock.runFor(100_000);
    const final = await past(alice);
    expect(final.map((order: { id: number; status: string }) => [order.id, order.status])).toEqual([
      [id, "FILLED"],
      [gtt.id, "EXPIRED"],
      [ioc.id, "EXPIRED"],
    ]);
    await clock.runFor(100_000);
    expect(await past(alice)).toEqual(final);
  },
);

conforms(
  "S3",
  "exchange",
  "an active order is found by openOrder and openOrders alone, a final one by order and historyOrders alone",
  async () => {
    const { alice } = await world();
    const { id } = (await alice.place("BUY", "30000", "0.1")).json;
    const at = { ...BTC, orderId: String(id) };
    const found = async () => [
      (await alice.ask("/v1/openOrder", at)).id,
      (await open(alice)).length,
      (await alice.ask("/v1/order", at)).id,
      (await past(alice)).length,
    ];
    expect(await found()).toEqual([id, 1, undefined, 0]);
    expect(await alice.ask("/v1/order", at)).toMatchObject({ code: 2011 });
    await alice.cancel(id);
    expect(await found()).toEqual([undefined, 0, id, 1]);
    expect(await alice.ask("/v1/openOrder", at)).toMatchObject({ code: 2011 });
  },
);

conforms(
  "S4",
  "exchange",
  "a cancelled order is open no more, its price leaves the book, and others stay",
  async () => {
    const { alice } = await world();
    const { id } = (await alice.place("BUY", "30000", "0.1")).json;
    const { id: other } = (await alice.place("BUY", "29999", "0.1")).json;
    expect((await alice.cancel(id)).status).toBe(204);
    expect((await open(alice)).map((order: { id: number }) => order.id)).toEqual([other]);
    expect((await alice.read("/v1/orderbook", BTC)).json.bids).toEqual([["29999", "0.1"]]);
    expect(await past(alice)).toMatchObject([
      { id, status: "CANCELED", canceledAmount: "0.1", availableAmount: "0" },
    ]);
  },
);

conforms(
  "S5",
  "exchange",
  "a trade is CREATED at its match and SETTLED after the settlement, everywhere that it is told",
  async () => {
    const { alice, bob, clock } = await world({ settlement: { delayMs: 2000 } });
    await trade(alice, bob, "BUY", "30000", "0.1");
    const statuses = async () => [
      (await alice.read("/v1/trades", BTC)).json[0].status,
      (await alice.read("/v1/historicalTrades", BTC)).json[0].status,
      (await alice.ask("/v1/userTrades", BTC))[0].status,
      (await bob.ask("/v1/userTrades", BTC))[0].status,
    ];
    await clock.runFor(1999);
    expect(await statuses()).toEqual(["CREATED", "CREATED", "CREATED", "CREATED"]);
    await clock.runFor(1);
    expect(await statuses()).toEqual(["SETTLED", "SETTLED", "SETTLED", "SETTLED"]);
  },
);

conforms(
  "S6",
  "exchange",
  "pending becomes filled at settlement, and failed where the chain refuses, which gives the money back",
  async () => {
    for (const [failureRate, part, status, tradeStatus] of [
      [0, "filledAmount", "FILLED", "SETTLED"],
      [1, "failedAmount", "FAILED", "FAILED"],
    ] as const) {
      const { alice, bob, clock } = await world({ settlement: { failureRate } });
      await trade(alice, bob, "BUY", "30000", "1");
      expect(await open(alice)).toMatchObject([{ pendingAmount: "1", [part]: "0" }]);
      await clock.runFor(3000);
      expect(await past(alice)).toMatchObject([{ status, pendingAmount: "0", [part]: "1" }]);
      expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([{ status: tradeStatus }]);
      expect((await alice.ask("/v1/balances")).balances.netValue).toBe(
        failureRate === 1 ? "100000" : "99991",
      );
    }
  },
);

conforms(
  "S6",
  "exchange",
  "cancelled, expired and half-matched orders end as CANCELED and EXPIRED, their matched part on its way",
  async () => {
    const { alice, bob, clock } = await world();
    const { id } = (await alice.place("BUY", "30000", "1")).json;
    await bob.place("SELL", "30000", "0.3");
    await alice.cancel(id);
    expect(await past(alice)).toMatchObject([
      { status: "CANCELED", canceledAmount: "0.7", pendingAmount: "0.3" },
    ]);
    await clock.runFor(3000);
    expect(await past(alice)).toMatchObject([
      { status: "CANCELED", canceledAmount: "0.7", pendingAmount: "0", filledAmount: "0.3" },
    ]);
    await bob.place("SELL", "31000", "0.3");
    await alice.place("BUY", "31000", "1", { timeInForce: "IOC" });
    expect((await past(alice)).at(-1)).toMatchObject({
      status: "EXPIRED",
      expiredAmount: "0.7",
      pendingAmount: "0.3",
    });
  },
);

conforms(
  "S6",
  "exchange",
  "where the venue says CREATED first, the order is so until it reaches the book",
  async () => {
    const { alice } = await world({ choices: { acceptedStatus: "CREATED" } });
    const stream = await alice.stream(alice.accountPath());
    expect((await alice.place("BUY", "30000", "1")).json.status).toBe("CREATED");
    // A client that follows the stream alone would else take a resting order for one that never
    // reached the book.
    expect((await stream.events("ORDER_UPDATE")).map(({ order }) => order.status)).toEqual([
      "CREATED",
      "NEW",
    ]);
    expect(await open(alice)).toMatchObject([{ status: "NEW" }]);
  },
);

conforms(
  "S7",
  "exchange",
  "a market that is not TRADING takes no orders, builds none, and lets go of those that rest",
  async () => {
    for (const [status, code] of [
      ["PENDING", 2013],
      ["SUSPENDED", 2014],
      ["DELISTED", 2015],
    ] as const) {
      const { alice, exchange } = await world();
      const { id } = (await alice.place("BUY", "30000", "0.1")).json;
      exchange.setMarketStatus("btcusdc", status);
      expect((await alice.read("/v1/exchangeInfo")).json.markets[0]).toMatchObject({
        status,
        stage: status,
      });
      expect((await alice.place("BUY", "30000", "0.1")).json).toMatchObject({ code });
      expect((await alice.call("POST", "/v1/order/build", TERMS)).json).toMatchObject({ code });
      expect((await alice.cancel(id)).status).toBe(204);
      exchange.setMarketStatus("btcusdc", "TRADING");
      expect((await alice.place("BUY", "30000", "0.1")).status).toBe(200);
    }
  },
);
