import fc from "fast-check";
import { expect } from "vitest";
import { plainReader } from "#simulation/plain-reader.js";
import { encode, traders } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { BTC, open, TERMS } from "./limit-orders.js";
import { type Trader, trade, worlds } from "./world.js";

const world = worlds();
const past = (trader: Trader) => trader.ask("/v1/historyOrders", BTC);

conforms(
  "O1",
  "exchange",
  "an order has every field wherever it is told, with its structure in json",
  async () => {
    const { alice, clock } = await world();
    const sent = alice.reference.order("SELL", "30000.5", "0.25");
    const placed = (await alice.call("POST", "/v1/order", sent)).json;
    const stored = [
      placed,
      ...(await open(alice)),
      await alice.ask("/v1/openOrder", { orderId: String(placed.id) }),
    ];
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
  },
);

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
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("cancel" as const), trader, which: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel all" as const), trader }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 700, 2000, 70_000),
    }),
  },
);

const PARTS = [
  "availableAmount",
  "filledAmount",
  "canceledAmount",
  "pendingAmount",
  "expiredAmount",
  "failedAmount",
];
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
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.constantFrom(0, 0.4, 1),
        async (steps, failureRate) => {
          const { exchange, clock, alice, bob, carol } = traders({
            settlement: { delayMs: 1500, failureRate },
            choices: { waiveGasFeeMinimumAmount: "0" },
          });
          const clients = [alice, bob, carol];
          for (const client of clients) {
            const { timestamp, signature } = client.signed();
            const path = `/v1/single/account@${client.address}?${encode({ timestamp: timestamp ?? "", signature: signature ?? "" })}`;
            const link = exchange.connect(
              path,
              plainReader({
                send: (text) => {
                  const frame = text === "ping" ? {} : JSON.parse(text);
                  if (frame.event === "ORDER_UPDATE") check(frame.order);
                },
              }),
            );
            if ("refused" in link) throw new Error(link.refused.body);
            // No reader answers pings here, so each of them sends by itself.
            const speak = (): void => {
              link.receive("pong");
              clock.setTimer(5000, speak);
            };
            speak();
          }
          for (const one of steps) {
            if (one.kind === "pass") await clock.runFor(one.ms);
            else if (one.kind === "cancel all")
              clients[one.trader]?.call("DELETE", "/v1/allOpenOrders");
            else if (one.kind === "cancel") {
              const orders = clients[one.trader]?.openOrders();
              if (orders.length > 0)
                clients[one.trader]?.cancel(orders[one.which % orders.length].id);
            } else {
              const { timeInForce } = one;
              const options =
                timeInForce === "GTT"
                  ? { timeInForce, expirationMs: clock.nowMs() + 65_000 }
                  : { timeInForce };
              clients[one.trader]?.place(
                one.side,
                String(one.price),
                (one.lots / 1000).toFixed(3),
                options,
              );
            }
            for (const client of clients) {
              for (const order of client.openOrders()) check(order);
              for (const order of client.call("GET", "/v1/historyOrders", BTC).json) check(order);
            }
          }
          exchange.stop();
        },
      ),
      { numRuns: 25, seed: 20_261_121 },
    );
    expect([...seen].sort()).toEqual([...PARTS].sort());
  },
);

conforms(
  "O3",
  "exchange",
  "averagePrice comes with the first match and is the mean of what was matched",
  async () => {
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
    expect(
      (await past(alice)).find((order: { id: number }) => order.id === untouched),
    ).not.toHaveProperty("averagePrice");
  },
);

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

conforms(
  "O5",
  "exchange",
  "expiration is 0 without GTT, and the given instant with it",
  async () => {
    const { alice, clock } = await world();
    for (const timeInForce of ["GTC", "IOC", "FOK", "POST_ONLY"])
      expect((await alice.place("BUY", "30000", "0.1", { timeInForce })).json.expiration).toBe(0);
    const expirationMs = clock.nowMs() + 120_000;
    expect(
      (await alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs })).json
        .expiration,
    ).toBe(expirationMs);
  },
);

conforms(
  "BO1",
  "exchange",
  "a build gives the structure, its hash, its packing and a token",
  async () => {
    const { alice } = await world();
    const built = (await alice.call("POST", "/v1/order/build", TERMS)).json;
    expectRecord(built, "build");
    expectRecord(built.order, "orderStruct");
    expect(built.order).toMatchObject({
      signer: alice.address,
      paperAmount: "100000000000000000",
      creditAmount: "-3000000000",
    });
    expect(built.orderHash).toBe(alice.reference.hashOf(built.order));
    const words = [built.order.perp, built.order.signer].map((address: string) =>
      address.slice(2).toLowerCase().padStart(64, "0"),
    );
    expect(built.packedOrder.slice(2, 130)).toBe(words.join(""));
    expect(built.packedOrder).toHaveLength(2 + 5 * 64);
    expect(built.packedOrder.slice(-64)).toBe(built.order.info.slice(2));
    expect(built.gasFeeQuotation).not.toBe("");
    expect(await open(alice)).toEqual([]);
  },
);
