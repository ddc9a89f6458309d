import fc from "fast-check";
import { expect } from "vitest";
import { encode, START_MS, traders } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { type Trader, trade, worlds } from "./world.js";

const world = worlds();
const BTC = { marketId: "btcusdc" };
const TERMS = { ...BTC, side: "BUY", orderType: "LIMIT", amount: "0.1", price: "30000", timeInForce: "GTC" };
const open = (trader: Trader) => trader.ask("/v1/openOrders");
const past = (trader: Trader) => trader.ask("/v1/historyOrders", BTC);

conforms("O1", "exchange", "an order has every field wherever it is told, with its structure in json", async () => {
  const { alice, clock } = await world();
  const sent = alice.reference.order("SELL", "30000.5", "0.25");
  const placed = (await alice.call("POST", "/v1/order", sent)).json;
  const stored = [placed, ...(await open(alice)), await alice.ask("/v1/openOrder", { orderId: String(placed.id) })];
  for (const order of stored) {
    expectRecord(order, "order");
    expectRecord(order.json, "orderStruct");
    expect(order).toMatchObject({
      account: alice.address,
      marketId: "btcusdc",
      side: "SELL",
      price: "30000.5",
      tif: "GTC",
      type: "LIMIT",
      amount: "0.25",
      createdAt: clock.nowMs(),
      json: {
        signer: alice.address,
        sender: `0x${"0".repeat(40)}`,
        paperAmount: "-250000000000000000",
        creditAmount: "7500125000",
        info: sent.info,
      },
    });
  }
  await alice.cancel(placed.id);
  const [history] = await past(alice);
  expectRecord(history, "order");
  expect(history).toMatchObject({ id: placed.id, hash: placed.hash });
});

const trader = fc.integer({ min: 0, max: 2 });
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("place" as const),
      trader,
      side: fc.constantFrom("BUY" as const, "SELL" as const),
      price: fc.integer({ min: 29_996, max: 30_004 }),
      lots: fc.integer({ min: 1, max: 900 }),
      timeInForce: fc.constantFrom("GTC", "GTC", "GTC", "GTT", "IOC", "FOK", "POST_ONLY"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("cancel" as const), trader, which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel all" as const), trader }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 700, 2000, 70_000) }) },
);

const PARTS = ["availableAmount", "filledAmount", "canceledAmount", "pendingAmount", "expiredAmount", "failedAmount"];
const lotsOf = (amount: string) => Math.round(Number(amount) * 1000);

conforms(
  "O2",
  "exchange",
  "over random histories of placing, cancelling, expiring, settling and failing, the parts of every order always sum",
  async () => {
    const seen = new Set<string>();
    const check = (order: Record<string, string>): void => {
      const parts = PARTS.map((part) => lotsOf(order[part] as string));
      expect(parts.reduce((sum, lots) => sum + lots, 0)).toBe(lotsOf(order.amount as string));
      expect(parts.every((lots) => lots >= 0)).toBe(true);
      for (const [place, part] of PARTS.entries()) if ((parts[place] as number) > 0) seen.add(part);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.constantFrom(0, 0.4, 1), async (steps, failureRate) => {
        const { exchange, clock, alice, bob, carol } = traders({
          settlement: { delayMs: 1500, failureRate },
          choices: { waiveGasFeeMinimumAmount: "0" },
        });
        const clients = [alice, bob, carol];
        for (const client of clients) {
          const { timestamp, signature } = client.signed();
          const path = `/v1/single/account@${client.address}?${encode({ timestamp: timestamp ?? "", signature: signature ?? "" })}`;
          const link = exchange.connect(path, {
            send: (text) => {
              const frame = text === "ping" ? {} : JSON.parse(text);
              if (frame.event === "ORDER_UPDATE") check(frame.order);
            },
            ping: () => {},
            close: () => {},
            bufferedBytes: () => 0,
            sendBytes: () => {},
            terminate: () => {},
          });
          if ("refused" in link) throw new Error(link.refused.body);
          // Nobody answers pings here, so each reader speaks up by itself.
          const speak = (): void => {
            link.receive("pong");
            clock.setTimer(5000, speak);
          };
          speak();
        }
        for (const one of steps) {
          if (one.kind === "pass") await clock.runFor(one.ms);
          else if (one.kind === "cancel all") clients[one.trader]?.call("DELETE", "/v1/allOpenOrders");
          else if (one.kind === "cancel") {
            const orders = clients[one.trader]?.openOrders();
            if (orders.length > 0) clients[one.trader]?.cancel(orders[one.which % orders.length].id);
          } else {
            const { timeInForce } = one;
            const options = timeInForce === "GTT" ? { timeInForce, expirationMs: clock.nowMs() + 65_000 } : { timeInForce };
            clients[one.trader]?.place(one.side, String(one.price), (one.lots / 1000).toFixed(3), options);
          }
          for (const client of clients) {
            for (const order of client.openOrders()) check(order);
            for (const order of client.call("GET", "/v1/historyOrders", BTC).json) check(order);
          }
        }
        exchange.stop();
      }),
      { numRuns: 25, seed: 20_261_121 },
    );
    expect([...seen].sort()).toEqual([...PARTS].sort());
  },
);

conforms("O3", "exchange", "averagePrice comes with the first match and is the mean of what was matched", async () => {
  const { alice, bob } = await world();
  const { id } = (await alice.place("BUY", "30000", "1")).json;
  expect((await open(alice))[0]).not.toHaveProperty("averagePrice");
  await bob.place("SELL", "29000", "0.25");
  expect(await open(alice)).toMatchObject([{ id, averagePrice: "30000" }]);
  await alice.cancel(id);
  await bob.place("SELL", "30100", "0.1");
  await bob.place("SELL", "30200", "0.3");
  await alice.place("BUY", "30300", "0.4");
  expect((await open(alice)).at(-1)).toMatchObject({ averagePrice: "30175" });
  const { id: untouched } = (await alice.place("BUY", "20000", "1")).json;
  await alice.cancel(untouched);
  expect((await past(alice)).find((order: { id: number }) => order.id === untouched)).not.toHaveProperty("averagePrice");
});

conforms("O3", "exchange", "an order whose only match failed has no average price", async () => {
  const { alice, bob, clock } = await world({ settlement: { failureRate: 1 } });
  await trade(alice, bob, "BUY", "30000", "1");
  expect(await open(alice)).toMatchObject([{ averagePrice: "30000" }]);
  await clock.runFor(3000);
  expect((await past(alice))[0]).toMatchObject({ status: "FAILED" });
  expect((await past(alice))[0]).not.toHaveProperty("averagePrice");
});

conforms("O4", "exchange", "trades is null in every order, traded or not", async () => {
  const { alice, bob, clock } = await world();
  const stream = await alice.stream(alice.accountPath());
  expect((await alice.place("BUY", "30000", "1")).json.trades).toBeNull();
  await bob.place("SELL", "30000", "0.5");
  expect((await open(alice))[0].trades).toBeNull();
  await bob.place("SELL", "30000", "0.5");
  await clock.runFor(3000);
  expect((await past(alice))[0].trades).toBeNull();
  for (const { order } of await stream.events("ORDER_UPDATE")) expect(order.trades).toBeNull();
});

conforms("O5", "exchange", "expiration is 0 without GTT, and the given instant with it", async () => {
  const { alice, clock } = await world();
  for (const timeInForce of ["GTC", "IOC", "FOK", "POST_ONLY"])
    expect((await alice.place("BUY", "30000", "0.1", { timeInForce })).json.expiration).toBe(0);
  const expirationMs = clock.nowMs() + 120_000;
  expect((await alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs })).json.expiration).toBe(expirationMs);
});

conforms("BO1", "exchange", "a build gives the structure, its hash, its packing and a token", async () => {
  const { alice } = await world();
  const built = (await alice.call("POST", "/v1/order/build", TERMS)).json;
  expectRecord(built, "build");
  expectRecord(built.order, "orderStruct");
  expect(built.order).toMatchObject({ signer: alice.address, paperAmount: "100000000000000000", creditAmount: "-3000000000" });
  expect(built.orderHash).toBe(alice.reference.hashOf(built.order));
  const words = [built.order.perp, built.order.signer].map((address: string) => address.slice(2).toLowerCase().padStart(64, "0"));
  expect(built.packedOrder.slice(2, 130)).toBe(words.join(""));
  expect(built.packedOrder).toHaveLength(2 + 5 * 64);
  expect(built.packedOrder.slice(-64)).toBe(built.order.info.slice(2));
  expect(built.gasFeeQuotation).not.toBe("");
  expect(await open(alice)).toEqual([]);
});

conforms("S1", "exchange", "NEW before a match, PARTIAL_FILLED after a part, FILLED after all", async () => {
  const { alice, bob, clock } = await world();
  const { id, status } = (await alice.place("BUY", "30000", "1")).json;
  expect(status).toBe("NEW");
  expect(await open(alice)).toMatchObject([{ id, status: "NEW", availableAmount: "1", filledAmount: "0" }]);
  await bob.place("SELL", "30000", "0.4");
  expect(await open(alice)).toMatchObject([{ id, status: "PARTIAL_FILLED" }]);
  await clock.runFor(3000);
  expect(await open(alice)).toMatchObject([{ id, status: "PARTIAL_FILLED", availableAmount: "0.6", filledAmount: "0.4" }]);
  await bob.place("SELL", "30000", "0.6");
  await clock.runFor(3000);
  expect(await open(alice)).toEqual([]);
  expect(await past(alice)).toMatchObject([{ id, status: "FILLED", filledAmount: "1", availableAmount: "0" }]);
});

conforms("S2", "exchange", "an order is history once its status is final, and changes no more", async () => {
  const { alice, bob, clock } = await world();
  const { id } = (await alice.place("BUY", "30000", "1")).json;
  const gtt = (await alice.place("BUY", "29000", "1", { timeInForce: "GTT", expirationMs: START_MS + 90_000 })).json;
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
});

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

conforms("S4", "exchange", "a cancelled order is open no more, its price leaves the book, and others stay", async () => {
  const { alice } = await world();
  const { id } = (await alice.place("BUY", "30000", "0.1")).json;
  const { id: other } = (await alice.place("BUY", "29999", "0.1")).json;
  expect((await alice.cancel(id)).status).toBe(204);
  expect((await open(alice)).map((order: { id: number }) => order.id)).toEqual([other]);
  expect((await alice.read("/v1/orderbook", BTC)).json.bids).toEqual([["29999", "0.1"]]);
  expect(await past(alice)).toMatchObject([{ id, status: "CANCELED", canceledAmount: "0.1", availableAmount: "0" }]);
});

conforms("S5", "exchange", "a trade is CREATED at its match and SETTLED after the settlement, everywhere that it is told", async () => {
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
});

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
      expect((await alice.ask("/v1/balances")).balances.netValue).toBe(failureRate === 1 ? "100000" : "99991");
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
    expect(await past(alice)).toMatchObject([{ status: "CANCELED", canceledAmount: "0.7", pendingAmount: "0.3" }]);
    await clock.runFor(3000);
    expect(await past(alice)).toMatchObject([{ status: "CANCELED", canceledAmount: "0.7", pendingAmount: "0", filledAmount: "0.3" }]);
    await bob.place("SELL", "31000", "0.3");
    await alice.place("BUY", "31000", "1", { timeInForce: "IOC" });
    expect((await past(alice)).at(-1)).toMatchObject({ status: "EXPIRED", expiredAmount: "0.7", pendingAmount: "0.3" });
  },
);

conforms("S6", "exchange", "where the venue says CREATED first, the order is so until it reaches the book", async () => {
  const { alice } = await world({ choices: { acceptedStatus: "CREATED" } });
  const stream = await alice.stream(alice.accountPath());
  expect((await alice.place("BUY", "30000", "1")).json.status).toBe("CREATED");
  expect((await stream.events("ORDER_UPDATE"))[0]?.order.status).toBe("CREATED");
  expect(await open(alice)).toMatchObject([{ status: "NEW" }]);
});

conforms("S7", "exchange", "a market that is not TRADING takes no orders, builds none, and lets go of those that rest", async () => {
  for (const [status, code] of [
    ["PENDING", 2013],
    ["SUSPENDED", 2014],
    ["DELISTED", 2015],
  ] as const) {
    const { alice, exchange } = await world();
    const { id } = (await alice.place("BUY", "30000", "0.1")).json;
    exchange.setMarketStatus("btcusdc", status);
    expect((await alice.read("/v1/exchangeInfo")).json.markets[0]).toMatchObject({ status, stage: status });
    expect((await alice.place("BUY", "30000", "0.1")).json).toMatchObject({ code });
    expect((await alice.call("POST", "/v1/order/build", TERMS)).json).toMatchObject({ code });
    expect((await alice.cancel(id)).status).toBe(204);
    exchange.setMarketStatus("btcusdc", "TRADING");
    expect((await alice.place("BUY", "30000", "0.1")).status).toBe(200);
  }
});
