import { expect } from "vitest";
import { ReferenceClient, START_MS } from "../reference-client.js";
import { StreamReader } from "../stream-reader.js";
import { type Cases, MARKET, matched, signsFor } from "./case.js";

/** How requests are refused, and the content of lists. */
export const ANSWER_CHOICES = {
  errorStatus: [400, 422].map((value) => ({
    value,
    sees: ({ alice }) =>
      expect(alice.cancel("1")).toMatchObject({ status: value, json: { code: 2011 } }),
  })),
  unauthorizedStatus: [401, 403].map((value) => ({
    value,
    sees: ({ alice }) => {
      expect(alice.raw("GET", "/v1/balances")).toMatchObject({
        status: value,
        json: { code: 1010 },
      });
      expect(alice.cancel("1").status).toBe(400);
    },
  })),
  codeStatus: [
    { value: {}, sees: ({ alice }) => expect(alice.cancel("1").status).toBe(400) },
    {
      value: { "2011": 404, "1010": 407 },
      sees: ({ alice }) => {
        expect(alice.cancel("1")).toMatchObject({ status: 404, json: { code: 2011 } });
        expect(alice.raw("GET", "/v1/balances").status).toBe(407);
        expect(alice.call("POST", "/v1/account").status).toBe(400);
      },
    },
  ],
  foreignSigner: [
    {
      value: "1012",
      sees: (world) =>
        expect(signsFor(world).call("GET", "/v1/balances").json).toMatchObject({ code: 1012 }),
    },
    {
      value: "1010",
      sees: (world) =>
        expect(signsFor(world).call("GET", "/v1/balances").json).toMatchObject({ code: 1010 }),
    },
  ],
  unregisteredAccount: ["1010", "1110"].map((value) => ({
    value,
    sees: ({ exchange, clock }) => {
      const key = `0x${"11".repeat(32)}`;
      const stranger = new ReferenceClient(exchange, () => clock.nowMs(), key, "10.0.0.9", true);
      expect(stranger.call("GET", "/v1/account").json).toMatchObject({ code: Number(value) });
      expect(stranger.call("GET", "/v1/openOrders").json).toMatchObject({ code: Number(value) });
    },
  })),
  recvWindow: [
    {
      value: "ignore",
      sees: ({ alice }) => {
        const at = (offsetMs: number) => ({
          timestamp: String(START_MS + offsetMs),
          recvWindow: "20000",
        });
        expect(alice.call("GET", "/v1/balances", at(-6000)).json).toMatchObject({ code: 1011 });
      },
    },
    {
      value: "honour",
      sees: ({ alice }) => {
        const ask = (offsetMs: number, recvWindow: string) =>
          alice.call("GET", "/v1/balances", { timestamp: String(START_MS + offsetMs), recvWindow });
        expect(ask(-20_000, "20000").status).toBe(200);
        expect(ask(-20_001, "20000").json).toMatchObject({ code: 1011 });
        expect(ask(-101, "100").json).toMatchObject({ code: 1011 });
        expect(ask(-60_001, "999999").json).toMatchObject({ code: 1011 });
        expect(ask(-5001, "soon").json).toMatchObject({ code: 1011 });
      },
    },
  ],
  emptyTimeRange: [
    {
      value: "reject",
      sees: ({ alice }) =>
        expect(
          alice.call("GET", "/v1/incomes", { ...MARKET, startTime: "9", endTime: "9" }).json,
        ).toMatchObject({ code: 1113 }),
    },
    {
      value: "empty-list",
      sees: ({ alice }) => {
        for (const path of [
          "/v1/incomes",
          "/v1/userTrades",
          "/v1/historyOrders",
          "/v1/fundingRate",
        ]) {
          expect(
            alice.call("GET", path, { ...MARKET, startTime: "9", endTime: "5" }),
          ).toMatchObject({ status: 200, json: [] });
        }
        const range = { ...MARKET, interval: "1M", startTime: String(START_MS), endTime: "1" };
        expect(alice.raw("GET", "/v1/klines", range)).toMatchObject({ status: 200, json: [] });
      },
    },
  ],
  unknownStreams: [
    {
      value: "skip",
      sees: ({ exchange }) => {
        const reader = new StreamReader(exchange, "/v1/multiple");
        reader.connection.receive(
          '{"id":1,"method":"SUBSCRIBE","params":["btcusdc@orderbook","nope@orderbook"]}',
        );
        expect(reader.take()).toMatchObject([
          { id: 1, result: null },
          { id: 1, code: 1112 },
          { stream: "btcusdc@orderbook" },
        ]);
      },
    },
    {
      value: "refuse-list",
      sees: ({ exchange }) => {
        const reader = new StreamReader(exchange, "/v1/multiple");
        reader.connection.receive(
          '{"id":1,"method":"SUBSCRIBE","params":["btcusdc@orderbook","nope@orderbook"]}',
        );
        expect(reader.take()).toMatchObject([{ id: 1, code: 1112 }]);
        expect(
          () => new StreamReader(exchange, "/v1/multiple?streams=btcusdc@orderbook/nope@orderbook"),
        ).toThrow(/^400 .*1112/);
      },
    },
  ],
  emptyAnswerType: [
    { value: "json", type: "application/json; charset=utf-8" },
    { value: "none", type: undefined },
  ].map(({ value, type }) => ({
    value,
    sees: ({ alice }) => {
      const answer = alice.cancel(alice.place("BUY", "30000", "0.1").json.id);
      expect([answer.status, answer.body, answer.headers["content-type"]]).toEqual([204, "", type]);
      expect(alice.call("DELETE", "/v1/allOpenOrders").headers["content-type"]).toBe(type);
    },
  })),
  positionSymbol: [
    { value: "account-update", symbol: "btcusdc" },
    { value: "omit", symbol: undefined },
  ].map(({ value, symbol }) => ({
    value,
    sees: (world) => {
      const { timestamp, signature } = world.bob.signed();
      const path = `/v1/single/account@${world.bob.address}?timestamp=${timestamp}&signature=${signature}`;
      const reader = new StreamReader(world.exchange, path);
      matched(world);
      const update = reader.take().findLast(({ event }) => event === "ACCOUNT_UPDATE");
      expect(update.positions).toMatchObject([{ marketId: "btcusdc", size: "0.1" }]);
      expect(update.positions[0].symbol).toBe(symbol);
      expect(world.bob.balances().positions[0]).not.toHaveProperty("symbol");
    },
  })),
  firstFunding: [
    { value: "zero", rates: ["0"] },
    { value: "omit", rates: [] },
  ].map(({ value, rates }) => ({
    value,
    sees: ({ alice }) => {
      const records: { fundingRate: string }[] = alice.raw("GET", "/v1/fundingRate", MARKET).json;
      expect(records.map(({ fundingRate }) => fundingRate)).toEqual(rates);
      expect(alice.raw("GET", "/v1/contracts").json.contracts[0].funding_rate).toBe("0");
    },
  })),
  candleQuoteVolume: [
    { value: true, quote: "3000" },
    { value: false, quote: undefined },
  ].map(({ value, quote }) => ({
    value,
    sees: (world) => {
      matched(world);
      const reader = new StreamReader(world.exchange, "/v1/single/btcusdc@kline1M");
      const [bar] = world.alice.raw("GET", "/v1/klines", { ...MARKET, interval: "1M" }).json;
      expect([bar.volume, bar.quote_volume]).toEqual(["0.1", quote]);
      expect(reader.take()).toEqual([[bar]]);
    },
  })),
  unlistedEndpoints: [true, false].map((value) => ({
    value,
    sees: ({ alice }) => {
      const status = value ? 200 : 404;
      const bars = alice.raw("GET", "/v1/offchainMarkPriceWithVolKlines", {
        ...MARKET,
        interval: "1M",
      });
      expect([bars.status, alice.raw("GET", "/v1/platform/tradeVolume").status]).toEqual([
        status,
        status,
      ]);
    },
  })),
  closedPositions: [
    ["latest", [{ status: "CLOSED", size: "0" }]],
    ["omit", []],
  ].map(([value, expected]) => ({
    value,
    sees: ({ alice, bob }) => {
      alice.place("SELL", "30000", "0.1");
      bob.place("BUY", "30000", "0.1");
      bob.place("SELL", "30000", "0.1");
      alice.place("BUY", "30000", "0.1");
      expect(alice.call("GET", "/v1/positions").json).toMatchObject(expected as object[]);
      expect(alice.balances().positions).toHaveLength((expected as object[]).length);
    },
  })),
  openOrderWithoutId: [
    ["newest", { price: "29001" }],
    ["oldest", { price: "29000" }],
    ["reject", { code: 1111 }],
  ].map(([value, expected]) => ({
    value,
    sees: ({ alice }) => {
      alice.place("BUY", "29000", "0.1");
      alice.place("BUY", "29001", "0.1");
      expect(alice.call("GET", "/v1/openOrder").json).toMatchObject(expected as object);
    },
  })),
  accountEndpointsSigned: [true, false].map((value) => ({
    value,
    sees: ({ alice }) => {
      const fresh = `0x${"cd".repeat(20)}`;
      const opened = alice.raw("POST", "/v1/account", { account: fresh }, "form");
      const read = alice.raw("GET", "/v1/account", { account: alice.address });
      expect([opened.status, read.status]).toEqual(value ? [401, 401] : [200, 200]);
      expect(alice.raw("GET", "/v1/balances", { account: alice.address }).status).toBe(401);
    },
  })),
  accountIncomes: [
    ["every-market", 1],
    ["omit", 0],
  ].map(([value, count]) => ({
    value,
    sees: ({ alice }) =>
      expect(alice.call("GET", "/v1/incomes", { ...MARKET, type: "DEPOSIT" }).json).toHaveLength(
        count as number,
      ),
  })),
  emptyBars: [
    ["omit", 2],
    ["repeat", 4],
  ].map(([value, count]) => ({
    value,
    sees: async (world) => {
      matched(world);
      await world.clock.runFor(180_000);
      matched(world);
      expect(world.alice.raw("GET", "/v1/klines", { ...MARKET, interval: "1M" }).json).toHaveLength(
        count as number,
      );
    },
  })),
  revokedOperatorOrders: [
    ["cancel", 0],
    ["keep", 1],
  ].map(([value, open]) => ({
    value,
    sees: (world) => {
      const operator = signsFor(world);
      const set = (isValid: string) =>
        world.alice.call("POST", "/operator", { operator: operator.address, isValid });
      set("true");
      operator.place("BUY", "30000", "0.1");
      set("false");
      expect(world.alice.openOrders()).toHaveLength(open as number);
    },
  })),
  registrationIncome: ["DEPOSIT", "BONUS"].map((value) => ({
    value,
    sees: ({ alice }) =>
      expect(alice.call("GET", "/v1/incomes", MARKET).json).toMatchObject([
        { type: value, amount: "100000" },
      ]),
  })),
  riskyAccountsCacheMs: [1000, 0].map((value) => ({
    value,
    config: {
      creditOnRegistration: "910",
      markets: { btcusdc: { maxLeverage: 33, makerFeeRate: "0", takerFeeRate: "0" } },
    },
    sees: async ({ exchange, alice, bob, clock }) => {
      const risky = () => alice.raw("GET", "/v1/riskyAccounts").json.length;
      // 900 of maintenance margin against 910.
      bob.place("SELL", "30000", "1");
      alice.place("BUY", "30000", "1");
      expect(risky()).toBe(2);
      exchange.deposit(alice.address, "1000");
      await clock.runFor(Math.max(0, value - 1));
      expect(risky()).toBe(value === 0 ? 1 : 2);
      await clock.runFor(1);
      expect(risky()).toBe(1);
    },
  })),
} satisfies Cases;
