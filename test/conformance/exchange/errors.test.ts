import { expect } from "vitest";
import { VENUE_ERROR_CODES } from "#exchange/errors.js";
import { ReferenceClient } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { BTC, TERMS } from "./limit-orders.js";
import { type Fields, Trader, trade, worlds } from "./world.js";

const world = worlds();
const codeOf = ({ status, json }: { status: number; json: { code: number } | undefined }) =>
  status < 300 ? status : json?.code;

conforms(
  "ER1",
  "exchange",
  "every refusal has code, codeText and message, whatever refused it",
  async () => {
    const { alice } = await world({ rateLimits: { common: 12 } });
    const refusals = [
      await alice.read("/v1/orderbook"),
      await alice.read("/v1/orderbook", { marketId: "nope" }),
      await alice.read("/v1/nowhere"),
      await alice.send("PUT", "/v1/order"),
      await alice.deliver("GET", "/v1/balances", {}),
      await alice.call("POST", "/v1/account"),
      await alice.place("BUY", "30000", "0.0001"),
      await alice.cancel(1),
      await alice.send("POST", "/v1/order", "", "{", "application/json"),
      await alice.send("POST", "/v1/order", "", "x".repeat(70_000)),
    ];
    for (let count = 0; count < 12; count += 1) refusals.push(await alice.read("/v1/orderbook"));
    for (const { status, json } of refusals) {
      expect(status).toBeGreaterThanOrEqual(400);
      expectRecord(json, "error");
      expect(json.codeText).not.toBe("");
      expect(json.message).not.toBe("");
    }
    expect(refusals.at(-1)?.status).toBe(429);
  },
);

conforms(
  "ER2",
  "exchange",
  "2018, 1110, 1112, 1012, 2011 and 1111, each with its text and under its condition",
  async () => {
    const { alice, bob } = await world();
    const order = alice.reference.order("BUY", "30000", "0.1");
    const provoked = [
      [await alice.call("POST", "/v1/account"), 2018, "Duplicated account"],
      [
        await alice.call("GET", "/v1/account", { account: "0xno" }),
        1110,
        "Invalid account address",
      ],
      [
        await alice.call("POST", "/v1/order/build", { ...TERMS, marketId: "nope" }),
        1112,
        "Invalid market id",
      ],
      [
        await alice.call("POST", "/v1/order", {
          ...order,
          orderSignature: bob.reference.order("BUY", "30000", "0.1").orderSignature,
        }),
        1012,
        "Invalid signature",
      ],
      [await alice.cancel(1), 2011, "No such order"],
      [
        await alice.call("GET", "/v1/userTrades", { ...BTC, fromId: "1", startTime: "1" }),
        1111,
        "Bad params",
      ],
    ] as const;
    for (const [{ status, json }, code, codeText] of provoked)
      expect([status, json.code, json.codeText]).toEqual([400, code, codeText]);
    expect(codeOf(await alice.call("GET", "/v1/userTrades", { ...BTC, fromId: "1" }))).toBe(200);
    expect(codeOf(await alice.call("POST", "/v1/order", order))).toBe(200);
  },
);

conforms("ER3", "exchange", "every further code is provoked", async () => {
  const provoked = new Map<number | undefined, string>();
  const { alice, bob, exchange, clock, server } = await world(
    { markets: { btcusdc: { maxOpenOrders: 1, maxExposureQuote: "60000" } } },
    { steadyMark: true },
  );
  const stranger = new Trader(
    new ReferenceClient(exchange, () => clock.nowMs(), `0x${"7".repeat(64)}`),
    server,
  );
  const note = (what: string, answer: Parameters<typeof codeOf>[0]) =>
    provoked.set(codeOf(answer), what);
  note("an account that is not registered", await stranger.call("GET", "/v1/balances"));
  note("a timestamp of long ago", await alice.call("GET", "/v1/balances", { timestamp: "1" }));
  note(
    "a range that ends before it starts",
    await alice.call("GET", "/v1/userTrades", { ...BTC, startTime: "2", endTime: "1" }),
  );
  note("more exposure than the market allows", await alice.place("BUY", "30000", "2.1"));
  note("a price above the bound", await alice.place("BUY", "10000000.1", "0.1"));
  note("a price below the bound", await alice.place("BUY", "0.05", "0.1"));
  note("other fee rates", await alice.place("BUY", "30000", "0.1", { makerRate: 0n }));
  note("an amount off the step", await alice.place("BUY", "30000", "0.1234"));
  await bob.place("BUY", "30000", "0.1");
  note("one open order too many", await bob.place("BUY", "30001", "0.1"));
  for (const status of ["PENDING", "SUSPENDED", "DELISTED"] as const) {
    exchange.setMarketStatus("btcusdc", status);
    note(`a market that is ${status}`, await alice.place("BUY", "30000", "0.1"));
  }
  const poor = await world({ creditOnRegistration: "10" });
  note("an order above the margin", await poor.alice.place("BUY", "30000", "0.1"));
  expect([...provoked.keys()].sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual([
    1010, 1011, 1113, 2012, 2013, 2014, 2015, 2016, 2017, 4010, 4011, 4012, 4013,
  ]);
  const elsewhere = [1012, 1110, 1111, 1112, 2010, 2011, 2018];
  expect([...provoked.keys(), ...elsewhere].sort()).toEqual(
    VENUE_ERROR_CODES.map(({ code }) => code).sort(),
  );
});

conforms(
  "ER3",
  "exchange",
  "2010 with HTTP 500 is the exchange's own fault, and leaves it standing",
  async () => {
    const { alice, exchange } = await world();
    const { handle } = exchange;
    exchange.handle = () => {
      throw new Error("a fault of its own");
    };
    const failed = await alice.read("/v1/time");
    exchange.handle = handle;
    expect([failed.status, failed.json.code]).toEqual([500, 2010]);
    expect(failed.body).not.toContain("a fault of its own");
    expect((await alice.read("/v1/time")).status).toBe(200);
  },
);

conforms("ER4", "exchange", "an unknown market is 1112 wherever one is named", async () => {
  const { alice } = await world();
  const nope: Fields = { marketId: "nope" };
  const publics = [
    "orderbook",
    "trades",
    "historicalTrades",
    "klines",
    "markPriceKlines",
    "fundingRate",
  ];
  for (const path of publics)
    expect([path, codeOf(await alice.read(`/v1/${path}`, { ...nope, interval: "1M" }))]).toEqual([
      path,
      1112,
    ]);
  for (const path of [
    "historyOrders",
    "order",
    "openOrder",
    "openOrders",
    "userTrades",
    "incomes",
  ]) {
    expect([
      path,
      codeOf(await alice.call("GET", `/v1/${path}`, { ...nope, orderId: "1" })),
    ]).toEqual([path, 1112]);
  }
  expect(codeOf(await alice.call("POST", "/v1/order/build", { ...TERMS, ...nope }))).toBe(1112);
  expect(
    codeOf(
      await alice.call("POST", "/v1/order", {
        ...alice.reference.order("BUY", "30000", "0.1"),
        ...nope,
      }),
    ),
  ).toBe(1112);
  expect(codeOf(await alice.call("DELETE", "/v1/order", { ...nope, orderId: "1" }))).toBe(1112);
  expect(codeOf(await alice.call("DELETE", "/v1/allOpenOrders", nope))).toBe(1112);
  for (const marketId of ["BTCUSDC", "btcusdc ", "../btcusdc", "__proto__"])
    expect([marketId, codeOf(await alice.read("/v1/trades", { marketId }))]).toEqual([
      marketId,
      1112,
    ]);
});

const LIMITS = { common: 5, order: 3, intervalMs: 10_000, requestsBeforeBan: 4, banMs: 30_000 };

conforms(
  "L1",
  "exchange",
  "the limits that exchangeInfo names are kept apart, and one more is 429 with the time to wait",
  async () => {
    const { alice, clock } = await world({ rateLimits: LIMITS });
    expect((await alice.read("/v1/exchangeInfo")).json.rateLimits).toEqual([
      { name: "COMMON", intervalSeconds: 10, limit: 5 },
      { name: "ORDER", intervalSeconds: 10, limit: 3 },
    ]);
    // Three registrations and this question were COMMON.
    expect((await alice.read("/v1/time")).status).toBe(200);
    const refused = await alice.read("/v1/time");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "10"]);
    const { id } = (await alice.place("BUY", "30000", "0.1")).json;
    expect((await alice.cancel(id)).status).toBe(204);
    expect((await alice.call("DELETE", "/v1/allOpenOrders")).status).toBe(204);
    expect((await alice.call("POST", "/v1/order/build", TERMS)).status).toBe(429);
    await clock.runFor(10_000);
    expect((await alice.read("/v1/time")).status).toBe(200);
    expect((await alice.call("POST", "/v1/order/build", TERMS)).status).toBe(200);
  },
);

conforms(
  "L1",
  "exchange",
  "who carries on after 429 is banned with 418, streams too, and let in again after it",
  async () => {
    const { alice, clock } = await world({ rateLimits: LIMITS }, { registered: false });
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1)
      statuses.push((await alice.read("/v1/time")).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 418, 418]);
    await expect(alice.stream("/multiple")).rejects.toThrow(/^418/);
    await clock.runFor(29_999);
    expect((await alice.read("/v1/time")).status).toBe(418);
    await clock.runFor(1);
    expect((await alice.read("/v1/time")).status).toBe(200);
    await expect(alice.stream("/multiple")).resolves.toBeDefined();
  },
);

conforms(
  "V1",
  "exchange",
  "a place answers no responseType and takes none into account, and GET allOrders is 404",
  async () => {
    const { alice } = await world();
    const order = alice.reference.order("BUY", "30000", "0.1");
    const plain = (await alice.place("BUY", "30000", "0.1")).json;
    const asked = await alice.call("POST", "/v1/order", { ...order, responseType: "FULL" });
    expect(asked.status).toBe(200);
    expect(Object.keys(asked.json).sort()).toEqual(Object.keys(plain).sort());
    expect(asked.json).not.toHaveProperty("responseType");
    expect((await alice.read("/v1/allOrders", BTC)).status).toBe(404);
    expect((await alice.call("GET", "/v1/allOrders", BTC)).status).toBe(404);
  },
);

conforms(
  "CH1",
  "exchange",
  "a match is settled later than it is made, by the side that REST cannot reach; no endpoint settles or liquidates",
  async () => {
    const { alice, bob, clock } = await world({ settlement: { delayMs: 2000 } });
    await trade(alice, bob, "BUY", "30000", "1");
    const onChain = async () =>
      (await alice.ask("/v1/balances")).balances.perpetualBalances.btcusdc.paperAmount;
    expect([(await alice.ask("/v1/positions"))[0].size, await onChain()]).toEqual(["1", "0"]);
    for (const path of ["settle", "settlement", "liquidate", "liquidation", "liquidations"]) {
      for (const method of ["POST", "GET"])
        expect([path, method, (await alice.call(method, `/v1/${path}`, BTC)).status]).toEqual([
          path,
          method,
          404,
        ]);
    }
    expect(await onChain()).toBe("0");
    await clock.runFor(2000);
    expect(await onChain()).toBe("1");
  },
);
