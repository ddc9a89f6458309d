import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { USDM_ERRORS } from "#simulator/usdm-error.js";
import { USDM_OPERATIONS, type UsdmOperation } from "#simulator/usdm-operations.js";
import { type UsdmClient, usdmWorld } from "./usdm-world.js";

const symbol = "BTCUSDC";
const order = { symbol, side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "0.1" };
const limit = { ...order, price: "29000" };

/** Refused requests, each with the code that the client gets. */
const REFUSALS: readonly (readonly [code: number, of: string, (client: UsdmClient) => unknown])[] =
  [
    [
      -1021,
      "a late request",
      (c) => c.signed("GET", "/v3/balance", { timestamp: c.clock.nowMs() - 5001 }),
    ],
    [
      -1021,
      "an early one",
      (c) => c.signed("GET", "/v3/balance", { timestamp: c.clock.nowMs() + 1000 }),
    ],
    [-1131, "a wide window", (c) => c.signed("GET", "/v3/balance", { recvWindow: 60_001 })],
    [
      -1022,
      "another secret",
      (c) =>
        c.raw("GET", "/v3/balance", `timestamp=${c.clock.nowMs()}&signature=${"0".repeat(64)}`),
    ],
    [-1102, "no signature", (c) => c.send("GET", "/v3/balance", { timestamp: c.clock.nowMs() })],
    [-1102, "no timestamp", (c) => c.raw("GET", "/v3/balance", `signature=${"0".repeat(64)}`)],
    [-2014, "no key", (c) => c.raw("GET", "/v3/balance", "", "")],
    [-2015, "an unknown key", (c) => c.raw("GET", "/v3/balance", "", "unknown-key")],
    [-1101, "a parameter twice", (c) => c.raw("GET", "/v1/depth", "symbol=BTCUSDC&symbol=BTCUSDC")],
    [-1100, "broken encoding", (c) => c.raw("GET", "/v1/depth", "symbol=%E0%A4%A")],
    [-1121, "another symbol", (c) => c.send("GET", "/v1/depth", { symbol: "DOGEUSDT" })],
    [-1120, "another interval", (c) => c.send("GET", "/v1/klines", { symbol, interval: "7m" })],
    [-4021, "a depth of 7", (c) => c.send("GET", "/v1/depth", { symbol, limit: 7 })],
    [-1130, "2,000 trades", (c) => c.send("GET", "/v1/trades", { symbol, limit: 2000 })],
    [
      -1023,
      "an end before the start",
      (c) => c.send("GET", "/v1/aggTrades", { symbol, startTime: 2, endTime: 1 }),
    ],
    [-5000, "another path", (c) => c.send("GET", "/v1/nothing")],
    [-1102, "no symbol", (c) => c.signed("POST", "/v1/order", { side: "BUY" })],
    [-1102, "a limit order without price", (c) => c.signed("POST", "/v1/order", order)],
    [
      -1106,
      "a market order with a price",
      (c) => c.signed("POST", "/v1/order", { ...limit, type: "MARKET", timeInForce: undefined }),
    ],
    [-1117, "another side", (c) => c.signed("POST", "/v1/order", { ...limit, side: "HOLD" })],
    [
      -1116,
      "another type",
      (c) => c.signed("POST", "/v1/order", { ...limit, type: "LIMIT_MAKER" }),
    ],
    [
      -1115,
      "another time in force",
      (c) => c.signed("POST", "/v1/order", { ...limit, timeInForce: "DAY" }),
    ],
    [
      -1136,
      "another response",
      (c) => c.signed("POST", "/v1/order", { ...limit, newOrderRespType: "FULL" }),
    ],
    [
      -4120,
      "a stop order",
      (c) => c.signed("POST", "/v1/order", { ...limit, type: "STOP_MARKET" }),
    ],
    [
      -4061,
      "a side of hedge mode",
      (c) => c.signed("POST", "/v1/order", { ...limit, positionSide: "LONG" }),
    ],
    [
      -4015,
      "a client id with a space",
      (c) => c.signed("POST", "/v1/order", { ...limit, newClientOrderId: "a b" }),
    ],
    [
      -4116,
      "a client id that is open",
      (c) =>
        [
          c.place("BUY", "0.1", "29000", { newClientOrderId: "x" }),
          c.place("BUY", "0.1", "29000", { newClientOrderId: "x" }),
        ].at(-1),
    ],
    [-1111, "a finer price", (c) => c.place("BUY", "0.1", "29000.01")],
    [-4001, "a price of zero", (c) => c.place("BUY", "0.1", "0")],
    [-4002, "a huge price", (c) => c.place("BUY", "0.1", "20000000")],
    [-4016, "a price far above the mark", (c) => c.place("BUY", "0.1", "40000")],
    [-4024, "a price far below the mark", (c) => c.place("SELL", "0.1", "20000")],
    [-4003, "no quantity", (c) => c.place("BUY", "0", "29000")],
    [-4005, "a huge quantity", (c) => c.place("BUY", "1001", "29000")],
    [-4164, "a small notional", (c) => c.place("BUY", "0.001", "4000")],
    [-2019, "more than the margin", (c) => c.place("BUY", "100", "29000")],
    [
      -5022,
      "a post-only order that would take",
      (c) => c.place("BUY", "0.1", "30001", { timeInForce: "GTX" }),
    ],
    [
      -5021,
      "a FOK order that cannot fill",
      (c) => c.place("BUY", "50", "30001", { timeInForce: "FOK" }),
    ],
    [
      -2022,
      "reduce-only without a position",
      (c) => c.place("SELL", "0.1", "31000", { reduceOnly: true }),
    ],
    [
      -2011,
      "the cancellation of nothing",
      (c) => c.signed("DELETE", "/v1/order", { symbol, orderId: 5 }),
    ],
    [-2013, "an unknown order", (c) => c.signed("GET", "/v1/order", { symbol, orderId: 5 })],
    [-1125, "an unknown listen key", (c) => c.send("PUT", "/v1/listenKey")],
    [-4028, "too much leverage", (c) => c.signed("POST", "/v1/leverage", { symbol, leverage: 21 })],
    [
      -4046,
      "cross margin",
      (c) => c.signed("POST", "/v1/marginType", { symbol, marginType: "CROSSED" }),
    ],
    [
      -4084,
      "isolated margin",
      (c) => c.signed("POST", "/v1/marginType", { symbol, marginType: "ISOLATED" }),
    ],
    [
      -4059,
      "one-way mode",
      (c) => c.signed("POST", "/v1/positionSide/dual", { dualSidePosition: "false" }),
    ],
    [
      -4084,
      "hedge mode",
      (c) => c.signed("POST", "/v1/positionSide/dual", { dualSidePosition: "true" }),
    ],
    [
      -4171,
      "one asset as margin",
      (c) => c.signed("POST", "/v1/multiAssetsMargin", { multiAssetsMargin: "false" }),
    ],
    [
      -4084,
      "several assets as margin",
      (c) => c.signed("POST", "/v1/multiAssetsMargin", { multiAssetsMargin: "true" }),
    ],
  ];

describe("a refusal of the dialect", () => {
  it.each(REFUSALS)("has the code %i: %s", (code, _of, act) => {
    const { alice, bob } = usdmWorld();
    bob.place("BUY", "1", "30000");
    bob.place("SELL", "1", "30001");
    const answer = act(alice) as { status: number; json: { code: number; msg: string } };
    const row = USDM_ERRORS[String(code) as keyof typeof USDM_ERRORS];

    expect([answer.json.code, answer.status]).toEqual([code, "status" in row ? row.status : 400]);
    expect(answer.json.msg).not.toBe("");
  });

  it("tells by -4140, -4141 and -2025 what the market does not accept", () => {
    const { alice, exchange } = usdmWorld({ markets: { btcusdc: { maxOpenOrders: 1 } } });
    alice.place("BUY", "0.1", "29000");
    expect(alice.place("BUY", "0.1", "29000").json.code).toBe(-2025);
    exchange.setMarketStatus("btcusdc", "SUSPENDED");
    expect(alice.place("BUY", "0.1", "29000").json.code).toBe(-4140);
    exchange.setMarketStatus("btcusdc", "DELISTED");
    expect(alice.place("BUY", "0.1", "29000").json.code).toBe(-4141);
    expect(alice.send("GET", "/v1/exchangeInfo").json.symbols[0].status).toBe("CLOSE");
  });

  it("limits weights and orders, says when to come back, and bans who goes on", async () => {
    const { alice, bob, clock } = usdmWorld({
      dialects: {
        "binance-usdm": {
          rateLimits: { weightPerMinute: 5, ordersPer10Seconds: 1, requestsBeforeBan: 2 },
        },
      },
    });
    expect(alice.place("BUY", "0.1", "29000").status).toBe(200);
    const second = alice.place("BUY", "0.1", "29000");
    expect([second.status, second.json.code]).toEqual([429, -1015]);
    for (let count = 0; count < 5; count += 1) alice.send("GET", "/v1/ping");
    const refused = alice.send("GET", "/v1/ping");
    expect([refused.status, refused.json.code, refused.headers["retry-after"]]).toEqual([
      429,
      -1003,
      "50",
    ]);
    alice.send("GET", "/v1/ping");
    expect(alice.send("GET", "/v1/ping").status).toBe(418);
    expect(() => alice.stream("/ws")).toThrow(/^418/);
    expect(bob.send("GET", "/v1/ping").status).toBe(200);
    await clock.runFor(121_000);
    expect(alice.send("GET", "/v1/ping").status).toBe(200);
  });
});

describe("the table of endpoints", () => {
  it("answers any parameters with JSON and no failure of its own", () => {
    const most = 1_000_000_000;
    const unlimited = {
      weightPerMinute: most,
      ordersPerMinute: most,
      ordersPer10Seconds: most,
    };
    const { alice, bob } = usdmWorld({
      dialects: { "binance-usdm": { rateLimits: unlimited } },
    });
    bob.place("BUY", "1", "30000");
    const names = [
      "symbol",
      "side",
      "type",
      "timeInForce",
      "quantity",
      "price",
      "reduceOnly",
      "limit",
      "newClientOrderId",
      "orderId",
      "origClientOrderId",
      "interval",
      "startTime",
      "endTime",
      "fromId",
      "leverage",
      "marginType",
      "countdownTime",
      "batchOrders",
      "orderIdList",
      "recvWindow",
      "goodTillDate",
      "incomeType",
      "dualSidePosition",
    ];
    const value = fc.oneof(
      fc.constantFrom(
        "BTCUSDC",
        "BUY",
        "LIMIT",
        "MARKET",
        "GTC",
        "GTX",
        "GTD",
        "0.1",
        "29000",
        "1m",
        "0",
        "-1",
        "__proto__",
        "constructor",
        "9007199254740993",
        "1e9",
        "true",
        "[]",
        "[[]]",
        "{}",
        '[{"symbol":"BTCUSDC"}]',
        "",
        " ",
        "mw_1",
        "CROSSED",
        "99999999999999999999999999",
      ),
      fc.string({ maxLength: 40 }),
    );
    const operation = fc.constantFrom(...Object.values<UsdmOperation>(USDM_OPERATIONS));
    fc.assert(
      fc.property(
        operation,
        fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 10 }),
        fc.boolean(),
        ({ method, path }, values, hasSymbol) => {
          const { timestamp: _, ...given } = { symbol, ...values } as Record<string, string>;
          const { symbol: __, ...without } = given;
          const answer = alice.signed(
            method,
            path.replace("/fapi", ""),
            hasSymbol ? given : without,
          );
          expect(answer.status).toBeLessThan(500);
        },
      ),
      { numRuns: 600 },
    );
  });

  it.each(Object.entries<UsdmOperation>(USDM_OPERATIONS))(
    "answers %s, and demands what it says of a request",
    (_name, { method, path, security }) => {
      const { alice } = usdmWorld();
      const bare = alice.raw(method, path.replace("/fapi", ""), "", "");
      const asked = alice.signed(method, path.replace("/fapi", ""), { symbol });

      if (security === "NONE") expect([0, -1102]).toContain(bare.json.code ?? 0);
      else expect(bare.json.code).toBe(-2014);
      expect(asked.status).toBeLessThan(500);
      expect([-5000, -2014, -2015, -1022]).not.toContain(asked.json.code);
    },
  );
});
