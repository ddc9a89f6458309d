import { describe, expect, it } from "vitest";
import { START_MS, traders } from "./reference-client.js";

describe("lists", () => {
  const LISTS = ["/v1/historyOrders", "/v1/userTrades", "/v1/incomes"];

  it.each(LISTS)(
    "%s refuses a limit that is no number from 1 to 500, an unknown market and an empty range",
    (path) => {
      const { alice } = traders();
      for (const limit of ["501", "0", "-1", "text", "1.5"]) {
        expect(alice.call("GET", path, { marketId: "btcusdc", limit }).json).toMatchObject({
          code: 1111,
        });
      }
      expect(alice.call("GET", path, { marketId: "btcusdc", limit: "500" }).status).toBe(200);
      expect(alice.call("GET", path).json).toMatchObject({ code: 1111 });
      expect(alice.call("GET", path, { marketId: "nope" }).json).toMatchObject({ code: 1112 });
      expect(
        alice.call("GET", path, { marketId: "btcusdc", startTime: "2", endTime: "2" }).json,
      ).toMatchObject({ code: 1113 });
    },
  );

  it.each(["/v1/trades", "/v1/historicalTrades", "/v1/fundingRate"])(
    "%s needs no credentials and checks its limit",
    (path) => {
      const { alice } = traders();
      expect(
        alice.raw("GET", path, { marketId: "btcusdc", startTime: String(START_MS) }),
      ).toMatchObject({ status: 200, json: [] });
      expect(alice.raw("GET", path, { marketId: "btcusdc", limit: "501" }).json).toMatchObject({
        code: 1111,
      });
    },
  );

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
    const page = alice.call("GET", "/v1/historyOrders", {
      marketId: "btcusdc",
      startTime: String(START_MS + 2000),
      limit: "2",
    }).json;
    expect(page.map((order: { price: string }) => order.price)).toEqual(["20002", "20003"]);
    const window = {
      marketId: "btcusdc",
      startTime: String(START_MS + 2000),
      endTime: String(START_MS + 3000),
    };
    expect(
      alice
        .call("GET", "/v1/historyOrders", window)
        .json.map((order: { price: string }) => order.price),
    ).toEqual(["20002"]);
    for (const price of ["30000", "30001", "30002"]) {
      bob.place("SELL", price, "0.01");
      alice.place("BUY", price, "0.01");
    }
    const trades = alice.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json;
    expect(trades.map((trade: { price: string }) => trade.price)).toEqual([
      "30000",
      "30001",
      "30002",
    ]);
    const from = { marketId: "btcusdc", fromId: String(trades[1].id) };
    expect(alice.call("GET", "/v1/userTrades", { ...from, limit: "1" }).json).toMatchObject([
      { price: "30001" },
    ]);
    expect(alice.call("GET", "/v1/userTrades", { ...from, startTime: "1" }).json).toMatchObject({
      code: 1111,
    });
    expect(alice.raw("GET", "/v1/historicalTrades", from).json).toHaveLength(2);
    expect(alice.raw("GET", "/v1/trades", { marketId: "btcusdc", limit: "1" }).json).toMatchObject([
      { price: "30002" },
    ]);
  });

  it("of incomes take a type of the thirteen or ALL", () => {
    const { alice } = traders();
    expect(
      alice.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "DEPOSIT" }).json,
    ).toMatchObject([{ amount: "100000" }]);
    expect(
      alice.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "ALL" }).json,
    ).toHaveLength(1);
    expect(
      alice.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "BRIBE" }).json,
    ).toMatchObject({ code: 1111 });
  });
});

describe("single orders", () => {
  it("are found by GET openOrder while active, and by GET order once final", () => {
    const { alice } = traders();
    const { id } = alice.place("BUY", "30000", "0.1").json;
    const at = { marketId: "btcusdc", orderId: String(id) };
    expect(alice.call("GET", "/v1/openOrder", at).json).toMatchObject({
      id,
      trades: null,
      expiration: 0,
    });
    expect(alice.call("GET", "/v1/openOrder").json).toMatchObject({ id });
    expect(alice.call("GET", "/v1/order", at).json).toMatchObject({ code: 2011 });
    alice.cancel(id);
    expect(alice.call("GET", "/v1/openOrder", at).json).toMatchObject({ code: 2011 });
    expect(alice.call("GET", "/v1/order", at).json).toMatchObject({ id, status: "CANCELED" });
    expect(alice.call("GET", "/v1/order", { marketId: "btcusdc" }).json).toMatchObject({
      code: 1111,
    });
    expect(
      alice.call("GET", "/v1/order", { marketId: "btcusdc", orderId: "9999999999999999999999" })
        .json,
    ).toMatchObject({ code: 1111 });
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
    expect(
      alice.raw("GET", "/v1/orderbook", { marketId: "btcusdc", limit: "30" }).json,
    ).toMatchObject({ code: 1111 });
    expect(
      alice.raw("GET", "/v1/orderbook", { marketId: "btcusdc", limit: "10" }).json.sequence,
    ).toBe(book.sequence);
  });

  it("has klines of all eleven intervals by matching time, and the day's summary", async () => {
    const { alice, bob, clock } = traders();
    for (const price of ["30000", "30100", "29900", "30050"]) {
      alice.place("SELL", price, "0.1");
      bob.place("BUY", price, "0.1");
      await clock.runFor(20_000);
    }
    const klines = (interval: string) =>
      alice.raw("GET", "/v1/klines", { marketId: "btcusdc", interval }).json;
    expect(klines("1M")).toEqual([
      {
        time: START_MS - 10_000,
        open: "30000",
        close: "29900",
        high: "30100",
        low: "29900",
        volume: "0.3",
        quote_volume: "9000",
      },
      {
        time: START_MS + 50_000,
        open: "30050",
        close: "30050",
        high: "30050",
        low: "30050",
        volume: "0.1",
        quote_volume: "3005",
      },
    ]);
    for (const interval of ["5M", "15M", "30M", "1H", "2H", "4H", "6H", "1D", "1W", "1MO"]) {
      expect(klines(interval), interval).toMatchObject([
        { open: "30000", close: "30050", high: "30100", low: "29900", volume: "0.4" },
      ]);
    }
    // 2026-06-01 is a Monday and the first of a month: day, week and month begin together.
    expect(klines("1MO")[0].time).toBe(START_MS - 10_000);
    expect(klines("1W")[0].time).toBe(START_MS - 10_000);
    expect(klines("3M")).toMatchObject({ code: 1111 });
    expect(
      alice.raw("GET", "/v1/markPriceKlines", { marketId: "btcusdc", interval: "1M" }).status,
    ).toBe(200);
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
