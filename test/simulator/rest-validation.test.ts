import { describe, expect, it } from "vitest";
import { ReferenceClient, START_MS, traders } from "./reference-client.js";

const TERMS = { marketId: "btcusdc", side: "BUY", orderType: "LIMIT", amount: "0.1", price: "30000", timeInForce: "GTC" };

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
    expect(alice.call("POST", "/v1/order/build", { ...TERMS, ...change }).json).toMatchObject({ code });
    const info = alice.order("BUY", "30000", "0.1");
    expect(alice.call("POST", "/v1/order", { ...info, ...TERMS, ...change }).json).toMatchObject({ code });
    expect(alice.openOrders()).toEqual([]);
  });

  it("defaults to GTC, and takes GTT between one minute and seven days", () => {
    const { alice } = traders();
    expect(alice.call("POST", "/v1/order/build", { ...TERMS, timeInForce: undefined }).status).toBe(200);
    for (const expiration of [START_MS + 60_001, START_MS + 7 * 86_400_000 - 1]) {
      const terms = { ...TERMS, timeInForce: "GTT", expiration: String(expiration) };
      expect(alice.call("POST", "/v1/order/build", terms).status).toBe(200);
      expect(alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs: expiration }).json).toMatchObject({ expiration });
    }
  });

  it.each([
    ["another maker rate", { makerRate: 0n }],
    ["another taker rate", { takerRate: 4n * 10n ** 14n }],
    ["an expiration that is not more than ten years ahead", { infoExpirationSeconds: BigInt(Math.floor(START_MS / 1000) + 315_360_000) }],
    [
      "a GTT expiration that is not the parameter's",
      { timeInForce: "GTT", expirationMs: START_MS + 90_000, infoExpirationSeconds: BigInt(START_MS / 1000 + 100) },
    ],
  ])("refuses an info with %s: 4012", (_what, options) => {
    const { alice } = traders();
    expect(alice.place("BUY", "30000", "0.1", options).json).toMatchObject({ code: 4012 });
  });

  it("refuses an info that is not 32 bytes, and a missing one", () => {
    const { alice } = traders();
    const order = alice.order("BUY", "30000", "0.1");
    expect(alice.call("POST", "/v1/order", { ...order, info: "0x12" }).json).toMatchObject({ code: 4012 });
    expect(alice.call("POST", "/v1/order", { ...order, info: undefined }).json).toMatchObject({ code: 1111 });
    expect(alice.call("POST", "/v1/order", { ...order, orderSignature: undefined }).json).toMatchObject({ code: 1111 });
  });

  it("lets GTT without an expiration live for what info says, where the venue allows it", async () => {
    const { alice, clock } = traders({ choices: { gttWithoutExpiration: "default-life" } });
    const infoExpirationSeconds = BigInt(START_MS / 1000 + 90);
    expect(alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", infoExpirationSeconds }).json).toMatchObject({
      expiration: START_MS + 90_000,
    });
    await clock.runFor(90_000);
    expect(alice.openOrders()).toEqual([]);
    expect(alice.place("BUY", "30000", "0.1", { timeInForce: "GTT" }).json).toMatchObject({ code: 4012 });
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
    expect(alice.raw("GET", "/v1/exchangeInfo").json.markets[0]).toMatchObject({ status, stage: status });
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
    expect(alice.raw("GET", "/v1/exchangeInfo").json.markets[0]).toMatchObject({ suspendedAt, liquidatedAt });
  });
});

describe("lists", () => {
  const LISTS = ["/v1/historyOrders", "/v1/userTrades", "/v1/incomes"];

  it.each(LISTS)("%s refuses a limit that is no number from 1 to 500, an unknown market and an empty range", (path) => {
    const { alice } = traders();
    for (const limit of ["501", "0", "-1", "text", "1.5"]) {
      expect(alice.call("GET", path, { marketId: "btcusdc", limit }).json).toMatchObject({ code: 1111 });
    }
    expect(alice.call("GET", path, { marketId: "btcusdc", limit: "500" }).status).toBe(200);
    expect(alice.call("GET", path).json).toMatchObject({ code: 1111 });
    expect(alice.call("GET", path, { marketId: "nope" }).json).toMatchObject({ code: 1112 });
    expect(alice.call("GET", path, { marketId: "btcusdc", startTime: "2", endTime: "2" }).json).toMatchObject({ code: 1113 });
  });

  it.each(["/v1/trades", "/v1/historicalTrades", "/v1/fundingRate"])("%s needs no credentials and checks its limit", (path) => {
    const { alice } = traders();
    expect(alice.raw("GET", path, { marketId: "btcusdc" })).toMatchObject({ status: 200, json: [] });
    expect(alice.raw("GET", path, { marketId: "btcusdc", limit: "501" }).json).toMatchObject({ code: 1111 });
  });

  it("give orders and trades oldest first: the newest hundred, or the first from a time or an id on", async () => {
    const { alice, bob, clock } = traders();
    for (let count = 0; count < 105; count += 1) {
      const { id } = alice.place("BUY", `${20_000 + count}`, "0.01").json;
      alice.cancel(id);
      await clock.runFor(1000);
    }
    const orders = alice.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json;
    expect(orders).toHaveLength(100);
    expect([orders[0].price, orders[99].price]).toEqual(["20005", "20104"]);
    const page = alice.call("GET", "/v1/historyOrders", { marketId: "btcusdc", startTime: String(START_MS + 2000), limit: "2" }).json;
    expect(page.map((order: { price: string }) => order.price)).toEqual(["20002", "20003"]);
    const window = { marketId: "btcusdc", startTime: String(START_MS + 2000), endTime: String(START_MS + 3000) };
    expect(alice.call("GET", "/v1/historyOrders", window).json.map((order: { price: string }) => order.price)).toEqual(["20002"]);
    for (const price of ["30000", "30001", "30002"]) {
      bob.place("SELL", price, "0.01");
      alice.place("BUY", price, "0.01");
    }
    const trades = alice.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json;
    expect(trades.map((trade: { price: string }) => trade.price)).toEqual(["30000", "30001", "30002"]);
    const from = { marketId: "btcusdc", fromId: String(trades[1].id) };
    expect(alice.call("GET", "/v1/userTrades", { ...from, limit: "1" }).json).toMatchObject([{ price: "30001" }]);
    expect(alice.call("GET", "/v1/userTrades", { ...from, startTime: "1" }).json).toMatchObject({ code: 1111 });
    expect(alice.raw("GET", "/v1/historicalTrades", from).json).toHaveLength(2);
    expect(alice.raw("GET", "/v1/trades", { marketId: "btcusdc", limit: "1" }).json).toMatchObject([{ price: "30002" }]);
  });

  it("of incomes take a type of the thirteen or ALL", () => {
    const { alice } = traders();
    expect(alice.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "DEPOSIT" }).json).toMatchObject([{ amount: "100000" }]);
    expect(alice.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "ALL" }).json).toHaveLength(1);
    expect(alice.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "BRIBE" }).json).toMatchObject({ code: 1111 });
  });
});

describe("the hash of an order", () => {
  it("is remembered for as many orders as the venue keeps, and then forgotten", () => {
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

describe("single orders", () => {
  it("are found by GET openOrder while active, and by GET order once final", () => {
    const { alice } = traders();
    const { id } = alice.place("BUY", "30000", "0.1").json;
    const at = { marketId: "btcusdc", orderId: String(id) };
    expect(alice.call("GET", "/v1/openOrder", at).json).toMatchObject({ id, trades: null, expiration: 0 });
    expect(alice.call("GET", "/v1/openOrder").json).toMatchObject({ id });
    expect(alice.call("GET", "/v1/order", at).json).toMatchObject({ code: 2011 });
    alice.cancel(id);
    expect(alice.call("GET", "/v1/openOrder", at).json).toMatchObject({ code: 2011 });
    expect(alice.call("GET", "/v1/order", at).json).toMatchObject({ id, status: "CANCELED" });
    expect(alice.call("GET", "/v1/order", { marketId: "btcusdc" }).json).toMatchObject({ code: 1111 });
    expect(alice.call("GET", "/v1/order", { marketId: "btcusdc", orderId: "9999999999999999999999" }).json).toMatchObject({ code: 1111 });
  });

  it("keep ids beyond 2^53 whole", () => {
    const { alice } = traders({ firstId: "9007199254740993" });
    const body = alice.place("BUY", "30000", "0.1").body;
    const id = /"id":(\d+),/.exec(body)?.[1] ?? "";
    expect(BigInt(id)).toBeGreaterThan(2n ** 53n);
    expect(alice.call("GET", "/v1/openOrders").body).toContain(`"id":${id},`);
    expect(alice.cancel(id).status).toBe(204);
  });
});

describe("accounts", () => {
  it("are no more than the venue takes, so that keys made by the million do not fill its memory", () => {
    const { exchange, clock } = traders({ maxAccounts: 3 });
    const fourth = new ReferenceClient(exchange, () => clock.nowMs(), `0x${"11".repeat(32)}`, "10.0.0.4", true);
    expect(fourth.call("POST", "/v1/account").json).toMatchObject({ code: 1010 });
    expect(fourth.call("GET", "/v1/balances").json).toMatchObject({ code: 1010 });
    expect(fourth.raw("GET", "/v1/exchangeInfo").json.dealerInfo.totalTraders).toBe(3);
  });

  it("are registered once", () => {
    const { alice } = traders();
    expect(alice.call("POST", "/v1/account").json).toMatchObject({ code: 2018, codeText: "Duplicated account" });
    expect(alice.call("GET", "/v1/account").json).toEqual({ address: alice.address, createdAt: START_MS });
    expect(alice.call("GET", "/v1/account", { account: "0xno" }).json).toMatchObject({ code: 1110, codeText: "Invalid account address" });
  });

  it("get more from the faucet, counted as deposits", () => {
    const { alice, exchange } = traders({ creditOnRegistration: "0" });
    expect(alice.balances().balances.netValue).toBe("0");
    expect(alice.raw("POST", "/faucet", { account: alice.address, amount: "12.5" }, "json").status).toBe(200);
    expect(alice.raw("POST", "/faucet", { account: alice.address, amount: "0.5" }, "form").json).toMatchObject({ deposits: "13" });
    expect(alice.balances().balances.netValue).toBe("13");
    for (const amount of ["0", "-1", "x", "0.0000001", "1000000001"]) {
      expect(alice.raw("POST", "/faucet", { account: alice.address, amount }, "json").json).toMatchObject({ code: 1111 });
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

describe("public data", () => {
  it("has every field of exchangeInfo, with the domain that orders are hashed under", () => {
    const { alice } = traders();
    const info = alice.raw("GET", "/v1/exchangeInfo").json;
    expect(info.eip712).toEqual({
      EIP712_DOMAIN_SEPARATOR: "0x7fdfe1c32d05803fdc2c66fdd0770dba9f4b7e589cbb54e930f8ed285d8581e0",
      EIP712_DOMAIN_TYPEHASH: "0x8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f",
      EIP712_ORDER_TYPE: "0x6ce22f1be37c24a60b088bc91a456d1ae077db421fa72ffe85abd6af245899e4",
      chainId: 31337,
      domainName: "JOJO",
      domainVersion: "1",
      verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    });
    expect(info.rateLimits).toEqual([
      { name: "COMMON", intervalSeconds: 60, limit: 2400 },
      { name: "ORDER", intervalSeconds: 60, limit: 1200 },
    ]);
    expect(info.markets[0]).toMatchObject({
      id: "btcusdc",
      OrderType: ["LIMIT", "MARKET"],
      makerFee: "-0.0001",
      takerFee: "0.0003",
      status: "TRADING",
      liquidatedAt: null,
      suspendedAt: null,
    });
    expect(info.dealerInfo.totalTraders).toBe(3);
  });

  it("has the order book best first, with one of six limits", () => {
    const { alice } = traders();
    alice.place("BUY", "30000", "0.1");
    alice.place("BUY", "30001", "0.2");
    alice.place("SELL", "30010", "0.3");
    const book = alice.raw("GET", "/v1/orderbook", { marketId: "btcusdc" }).json;
    expect(book).toMatchObject({
      bids: [
        ["30001", "0.2"],
        ["30000", "0.1"],
      ],
      asks: [["30010", "0.3"]],
      ticker_id: "btcusdc",
    });
    expect(alice.raw("GET", "/v1/orderbook", { marketId: "btcusdc", limit: "30" }).json).toMatchObject({ code: 1111 });
    expect(alice.raw("GET", "/v1/orderbook", { marketId: "btcusdc", limit: "10" }).json.sequence).toBe(book.sequence);
  });

  it("has klines of all eleven intervals by matching time, and the day's summary", async () => {
    const { alice, bob, clock } = traders();
    for (const price of ["30000", "30100", "29900", "30050"]) {
      alice.place("SELL", price, "0.1");
      bob.place("BUY", price, "0.1");
      await clock.runFor(20_000);
    }
    const klines = (interval: string) => alice.raw("GET", "/v1/klines", { marketId: "btcusdc", interval }).json;
    expect(klines("1M")).toEqual([
      { time: START_MS - 10_000, open: "30000", close: "29900", high: "30100", low: "29900", volume: "0.3" },
      { time: START_MS + 50_000, open: "30050", close: "30050", high: "30050", low: "30050", volume: "0.1" },
    ]);
    for (const interval of ["5M", "15M", "30M", "1H", "2H", "4H", "6H", "1D", "1W", "1MO"]) {
      expect(klines(interval), interval).toMatchObject([{ open: "30000", close: "30050", high: "30100", low: "29900", volume: "0.4" }]);
    }
    // 2026-06-01 is a Monday and the first of a month: day, week and month begin together.
    expect(klines("1MO")[0].time).toBe(START_MS - 10_000);
    expect(klines("1W")[0].time).toBe(START_MS - 10_000);
    expect(klines("3M")).toMatchObject({ code: 1111 });
    expect(alice.raw("GET", "/v1/markPriceKlines", { marketId: "btcusdc", interval: "1M" }).status).toBe(200);
    expect(alice.raw("GET", "/v1/contracts").json.contracts).toMatchObject([
      {
        ticker_id: "btcusdc",
        last_price: "30050",
        high: "30100",
        low: "29900",
        base_volume: "0.4",
        open_interest: "0.4",
        product_type: "PERP",
      },
    ]);
  });
});
