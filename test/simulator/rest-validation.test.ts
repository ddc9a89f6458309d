import { describe, expect, it } from "vitest";
import { ReferenceClient, START_MS, traders } from "./reference-client.js";

const TERMS = {
  marketId: "btcusdc",
  side: "BUY",
  orderType: "LIMIT",
  amount: "0.1",
  price: "30000",
  timeInForce: "GTC",
};

describe("what an order must be", () => {
  it.each([
    [{ marketId: undefined }, 1111],
    [{ marketId: "dogeusdc" }, 1112],
    [{ side: "buy" }, 1111],
    [{ orderType: "STOP" }, 1111],
    [{ timeInForce: "DAY" }, 1111],
    [{ price: "abc" }, 1111],
    [{ price: "-1" }, 1111],
    [{ price: "1e5" }, 1111],
    [{ price: "" }, 1111],
    [{ price: "30000.05" }, 2016],
    [{ price: "0" }, 4011],
    [{ price: "0.05" }, 4011],
    [{ price: "10000000.1" }, 4010],
    [{ price: "99999999999999999999999999" }, 4010],
    [{ amount: "0" }, 2016],
    [{ amount: "0.0005" }, 2016],
    [{ amount: "1000.001" }, 2016],
    [{ amount: "0.1234" }, 2016],
    [{ amount: "NaN" }, 1111],
    [{ orderType: "MARKET", amount: "100.001" }, 2016],
    [{ orderType: "MARKET", timeInForce: "POST_ONLY" }, 2016],
    [{ orderType: "MARKET", timeInForce: "GTT", expiration: String(START_MS + 120_000) }, 2016],
    [{ timeInForce: "GTT" }, 1111],
    [{ timeInForce: "GTT", expiration: "soon" }, 1111],
    [{ timeInForce: "GTT", expiration: String(START_MS + 60_000) }, 1111],
    [{ timeInForce: "GTT", expiration: String(START_MS + 7 * 86_400_000) }, 1111],
  ])("%o is refused with %i, built or placed", (change, code) => {
    const { alice } = traders();
    expect(alice.call("POST", "/v1/order/build", { ...TERMS, ...change }).json).toMatchObject({
      code,
    });
    const info = alice.order("BUY", "30000", "0.1");
    expect(alice.call("POST", "/v1/order", { ...info, ...TERMS, ...change }).json).toMatchObject({
      code,
    });
    expect(alice.openOrders()).toEqual([]);
  });

  it("defaults to GTC, and takes GTT between one minute and seven days", () => {
    const { alice } = traders();
    expect(alice.call("POST", "/v1/order/build", { ...TERMS, timeInForce: undefined }).status).toBe(
      200,
    );
    for (const expiration of [START_MS + 60_001, START_MS + 7 * 86_400_000 - 1]) {
      const terms = { ...TERMS, timeInForce: "GTT", expiration: String(expiration) };
      expect(alice.call("POST", "/v1/order/build", terms).status).toBe(200);
      expect(
        alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs: expiration }).json,
      ).toMatchObject({ expiration });
    }
  });

  it.each([
    ["another maker rate", { makerRate: 0n }],
    ["another taker rate", { takerRate: 4n * 10n ** 14n }],
    [
      "an expiration that is not more than ten years ahead",
      { infoExpirationSeconds: BigInt(Math.floor(START_MS / 1000) + 315_360_000) },
    ],
    [
      "a GTT expiration that is not the parameter's",
      {
        timeInForce: "GTT",
        expirationMs: START_MS + 90_000,
        infoExpirationSeconds: BigInt(START_MS / 1000 + 100),
      },
    ],
  ])("refuses an info with %s: 4012", (_what, options) => {
    const { alice } = traders();
    expect(alice.place("BUY", "30000", "0.1", options).json).toMatchObject({ code: 4012 });
  });

  it("refuses an info that is not 32 bytes, and a missing one", () => {
    const { alice } = traders();
    const order = alice.order("BUY", "30000", "0.1");
    expect(alice.call("POST", "/v1/order", { ...order, info: "0x12" }).json).toMatchObject({
      code: 4012,
    });
    expect(alice.call("POST", "/v1/order", { ...order, info: undefined }).json).toMatchObject({
      code: 1111,
    });
    expect(
      alice.call("POST", "/v1/order", { ...order, orderSignature: undefined }).json,
    ).toMatchObject({ code: 1111 });
  });

  it("lets GTT without an expiration live for what info says, where the venue allows it", async () => {
    const { alice, clock } = traders({ choices: { gttWithoutExpiration: "default-life" } });
    const infoExpirationSeconds = BigInt(START_MS / 1000 + 90);
    expect(
      alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", infoExpirationSeconds }).json,
    ).toMatchObject({
      expiration: START_MS + 90_000,
    });
    await clock.runFor(90_000);
    expect(alice.openOrders()).toEqual([]);
    expect(alice.place("BUY", "30000", "0.1", { timeInForce: "GTT" }).json).toMatchObject({
      code: 4012,
    });
  });

  it("stops at the open-order limit with 2017, which orders that cannot rest do not meet", () => {
    const { alice } = traders({ markets: { btcusdc: { maxOpenOrders: 2 } } });
    alice.place("BUY", "30000", "0.1");
    const { id } = alice.place("BUY", "30001", "0.1").json;
    expect(alice.place("BUY", "30002", "0.1").json).toMatchObject({ code: 2017 });
    expect(alice.place("BUY", "30002", "0.1", { timeInForce: "IOC" }).status).toBe(200);
    alice.cancel(id);
    expect(alice.place("BUY", "30002", "0.1").status).toBe(200);
  });

  it.each([
    ["PENDING", 2013],
    ["SUSPENDED", 2014],
    ["DELISTED", 2015],
  ] as const)("is refused in a market that is %s with %i, while cancels go on", (status, code) => {
    const { alice, exchange } = traders();
    const { id } = alice.place("BUY", "30000", "0.1").json;
    exchange.setMarketStatus("btcusdc", status);
    expect(alice.place("BUY", "30000", "0.1").json).toMatchObject({ code });
    expect(alice.raw("GET", "/v1/exchangeInfo").json.markets[0]).toMatchObject({
      status,
      stage: status,
    });
    expect(alice.cancel(id).status).toBe(204);
  });
});

describe("a market that never opened, or was closed", () => {
  it.each([
    ["TRADING", null, null],
    ["PENDING", null, null],
    ["SUSPENDED", START_MS, null],
    ["DELISTED", null, START_MS],
  ] as const)("%s says since when", (status, suspendedAt, liquidatedAt) => {
    const { alice } = traders({ markets: { btcusdc: { status } } });
    expect(alice.raw("GET", "/v1/exchangeInfo").json.markets[0]).toMatchObject({
      suspendedAt,
      liquidatedAt,
    });
  });
});

describe("the hash of an order", () => {
  it("is remembered for the configured number of orders, and then forgotten", () => {
    const { alice } = traders({ retention: { orderHashes: 500 }, rateLimits: { order: 0 } });
    const first = alice.order("BUY", "30000", "0.1", { timeInForce: "IOC" });
    const send = () => alice.call("POST", "/v1/order", first);
    expect(send().status).toBe(200);
    for (let count = 0; count < 499; count += 1) {
      alice.place("BUY", "30000", "0.1", { timeInForce: "IOC" });
    }
    expect(send().json).toMatchObject({ code: 2016 });
    alice.place("BUY", "30000", "0.1", { timeInForce: "IOC" });
    expect(send().status).toBe(200);
  });
});

describe("accounts", () => {
  it("are limited in number, so that millions of generated keys do not fill the memory", () => {
    const { exchange, clock } = traders({ maxAccounts: 3 });
    const fourth = new ReferenceClient(
      exchange,
      () => clock.nowMs(),
      `0x${"11".repeat(32)}`,
      "10.0.0.4",
      true,
    );
    expect(fourth.call("POST", "/v1/account").json).toMatchObject({ code: 1010 });
    expect(fourth.call("GET", "/v1/balances").json).toMatchObject({ code: 1010 });
    expect(fourth.raw("GET", "/v1/exchangeInfo").json.dealerInfo.totalTraders).toBe(3);
  });

  it("are registered once", () => {
    const { alice } = traders();
    expect(alice.call("POST", "/v1/account").json).toMatchObject({
      code: 2018,
      codeText: "Duplicated account",
    });
    expect(alice.call("GET", "/v1/account").json).toEqual({
      address: alice.address,
      createdAt: START_MS,
    });
    expect(alice.call("GET", "/v1/account", { account: "0xno" }).json).toMatchObject({
      code: 1110,
      codeText: "Invalid account address",
    });
  });

  it("get more from the faucet, counted as deposits", () => {
    const { alice, exchange } = traders({ creditOnRegistration: "0" });
    expect(alice.balances().balances.netValue).toBe("0");
    expect(
      alice.raw("POST", "/faucet", { account: alice.address, amount: "12.5" }, "json").status,
    ).toBe(200);
    expect(
      alice.raw("POST", "/faucet", { account: alice.address, amount: "0.5" }, "form").json,
    ).toMatchObject({ deposits: "13" });
    expect(alice.balances().balances.netValue).toBe("13");
    for (const amount of ["0", "-1", "x", "0.0000001", "1000000001"]) {
      expect(
        alice.raw("POST", "/faucet", { account: alice.address, amount }, "json").json,
      ).toMatchObject({ code: 1111 });
    }
    expect(exchange.audit()).toMatchObject({ deposits: 13_000_000n, isConserved: true });
  });
});

describe("endpoints that do not exist", () => {
  it("are 404, and known ones by another method 405; both with an error body", () => {
    const { alice } = traders();
    expect(alice.raw("GET", "/v1/allOrders")).toMatchObject({ status: 404, json: { code: 1111 } });
    expect(alice.raw("PUT", "/v1/order")).toMatchObject({ status: 405, json: { code: 1111 } });
  });
});
