import { Decimal } from "decimal.js";
import { afterEach, beforeEach, expect } from "vitest";
import { connect } from "#exchange/connect.js";
import { OPERATIONS } from "#exchange/operations.js";
import { decodeAccountFrame, decodeMarketFrame } from "#exchange/stream-decoder.js";
import { captureCli } from "../../cli/captured-cli.js";
import { LocalServer } from "../../exchange/local-server.js";
import { KEYS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import {
  ACCOUNT,
  EXCHANGE_INFO,
  FUNDING_RATE,
  INCOME,
  KLINE,
  ORDER,
  ORDERBOOK,
  PUBLIC_TRADE,
  text,
  USER_TRADE,
} from "./examples.js";
import { paramsFor } from "./params-for.js";
import { virtualRuntime } from "./runtimes.js";
import { scripted } from "./world.js";

/** A real server that answers as the specification does, and keeps what it received. */
let server: LocalServer;
let answers: Record<string, string>;
beforeEach(async () => {
  answers = {
    "GET /v1/time": '{"serverTime":1780272010000}',
    "GET /v1/exchangeInfo": text(EXCHANGE_INFO),
  };
  server = await LocalServer.start();
  server.onRequest = ({ method, path }, response) => {
    const body = answers[`${method} ${path}`];
    if (body === undefined) response.writeHead(204).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(body);
  };
});
afterEach(() => server.stop());

async function connected() {
  const connection = await connect({
    baseUrl: `http://${server.host}/v1`,
    key: KEYS[0],
    runtime: virtualRuntime(),
    retry: { tries: 1 },
  });
  server.requests.length = 0;
  return connection;
}

conforms(
  "G9",
  "client",
  "asks for JSON, reads it, and takes what is none for no answer",
  async () => {
    const { client, close } = await connected();
    expect((await client.time()).serverTime).toBe(1_780_272_010_000);
    expect(server.requests[0]?.headers.accept).toBe("application/json");
    for (const body of ["<html>busy</html>", '{"serverTime":', "serverTime=1"]) {
      answers["GET /v1/time"] = body;
      await expect(client.time()).rejects.toMatchObject({
        name: "VenueRequestError",
        mayHaveHappened: true,
      });
    }
    answers["GET /v1/time"] = '["serverTime"]';
    await expect(client.time()).rejects.toMatchObject({ name: "FormatError" });
    close();
  },
);

conforms("G1", "client", "calls every operation under the base address with /v1", async () => {
  const { client, close } = await connected();
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const wanted = paramsFor(operation.parameters, {
      account: ACCOUNT.address,
      marketId: "btcusdc",
    });
    await client.call(name as keyof typeof OPERATIONS, wanted);
    expect([name, server.requests.at(-1)?.path]).toEqual([name, operation.path]);
    expect(operation.path).toMatch(/^\/v1\/[a-zA-Z/]+$/);
  }
  expect(server.requests).toHaveLength(26);
  close();
});

conforms(
  "G2",
  "client",
  "reads decimal strings exactly and refuses JSON numbers in their place",
  async () => {
    const long = "0.100000000000000000000000000001";
    const { client } = scripted({
      "GET /v1/trades": text([{ ...PUBLIC_TRADE, price: long, amount: "0.2" }]),
    });
    const [trade] = await client.trades({ marketId: "btcusdc" });
    expect(Decimal.isDecimal(trade?.price)).toBe(true);
    expect(String(trade?.price)).toBe(long);
    expect(String(trade?.price.plus(trade.amount))).toBe("0.300000000000000000000000000001");
    expect(JSON.stringify(trade)).toContain(`"price":"${long}"`);
    for (const price of [30000.1, 30000, null, "3e4", "0x10", "NaN", " 1"]) {
      const wrong = scripted({ "GET /v1/trades": text([{ ...PUBLIC_TRADE, price }]) });
      await expect(wrong.client.trades({ marketId: "btcusdc" })).rejects.toMatchObject({
        name: "FormatError",
        field: expect.stringContaining("price"),
      });
    }
  },
);

conforms(
  "G2",
  "client",
  "sends prices and amounts as plain decimal strings, whatever their size",
  async () => {
    const { client, last } = scripted({
      "GET /v1/exchangeInfo": text(EXCHANGE_INFO),
      "POST /v1/order": text(ORDER),
    });
    await client.placeOrder({
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: new Decimal("1e-18"),
      price: 12345678901234567890n,
      timeInForce: "GTC",
      orderSignature: "0x00",
      info: "0x00",
    });
    expect(last().params).toMatchObject({
      amount: "0.000000000000000001",
      price: "12345678901234567890",
    });
    for (const price of ["3e4", "-1", "", "1.", ".5", "0x1"]) {
      const place = client.placeOrder({
        marketId: "btcusdc",
        side: "BUY",
        orderType: "LIMIT",
        amount: "1",
        price,
        timeInForce: "GTC",
        orderSignature: "0x00",
        info: "0x00",
      });
      await expect(place).rejects.toMatchObject({ name: "ConfigError", field: "price" });
    }
  },
);

conforms(
  "G3",
  "client",
  "sends and reads whole milliseconds, and writes seconds into info alone",
  async () => {
    const { client, last, clock } = scripted({
      "GET /v1/exchangeInfo": text(EXCHANGE_INFO),
      "GET /v1/klines": text([KLINE]),
      "GET /v1/fundingRate": text([FUNDING_RATE]),
    });
    expect(
      (
        await client.klines({ marketId: "btcusdc", interval: "1M", startTime: 1_700_000_000_000 })
      )[0]?.time,
    ).toBe(KLINE.time);
    expect(last().params.startTime).toBe("1700000000000");
    await client.balances().catch(() => undefined);
    expect(last().params.timestamp).toBe(String(clock.nowMs()));
    for (const startTime of [1.5, -1, Number.NaN, 1e17]) {
      await expect(
        client.klines({ marketId: "btcusdc", interval: "1M", startTime }),
      ).rejects.toMatchObject({ field: "startTime" });
    }
    for (const fundingTime of [1.5, "1699977600000", -1]) {
      const wrong = scripted({ "GET /v1/fundingRate": text([{ ...FUNDING_RATE, fundingTime }]) });
      await expect(wrong.client.fundingRate({ marketId: "btcusdc" })).rejects.toMatchObject({
        name: "FormatError",
      });
    }
    const expiration = clock.nowMs() + 120_000;
    const { order, params } = await client.prepare({
      marketId: "btcusdc",
      side: "BUY",
      amount: "0.1",
      price: "2000",
      timeInForce: "GTT",
      expiration,
    });
    expect(params.expiration).toBe(expiration);
    expect(BigInt(`0x${order.info.slice(34, 50)}`)).toBe(BigInt(expiration / 1000));
  },
);

const LONG = "9223372036854775807";
const withId = (record: object) => text(record).replace(/"id":\d+/, `"id":${LONG}`);

conforms(
  "G4",
  "client",
  "keeps every digit of an id in answers and events, and sends it back whole",
  async () => {
    const { client, last } = scripted({
      "GET /v1/trades": `[${withId(PUBLIC_TRADE)}]`,
      "GET /v1/historicalTrades": "[]",
      "GET /v1/openOrders": `[${withId(ORDER)}]`,
      "GET /v1/userTrades": `[${withId(USER_TRADE)}]`,
      "GET /v1/incomes": `[${withId(INCOME)}]`,
      "DELETE /v1/order": { status: 204, body: "" },
    });
    const market = { marketId: "btcusdc" };
    const found = [
      await client.trades(market),
      await client.openOrders(market),
      await client.userTrades(market),
      await client.incomes(market),
    ];
    expect(found.map(([record]) => record?.id)).toEqual([LONG, LONG, LONG, LONG]);
    for (const orderId of [LONG, 9223372036854775807n]) {
      await client.cancelOrder({ ...market, orderId });
      expect(last().params.orderId).toBe(LONG);
    }
    await client.historicalTrades({ ...market, fromId: 9007199254740993n });
    expect(last().params.fromId).toBe("9007199254740993");
    await expect(client.cancelOrder({ ...market, orderId: 2 ** 53 })).rejects.toMatchObject({
      field: "orderId",
    });
    await expect(
      client.cancelOrder({ ...market, orderId: "9223372036854775808" }),
    ).rejects.toMatchObject({ field: "orderId" });
    const events = [
      ...decodeAccountFrame(
        `{"event":"ORDER_UPDATE","order":${withId(ORDER)},"timestamp":1700000000000}`,
      ),
      ...decodeAccountFrame(`{"event":"TRADE_UPDATE","trade":${withId(USER_TRADE)}}`),
      ...decodeAccountFrame(`{"event":"INCOME_UPDATE","incomes":[${withId(INCOME)}]}`),
      ...decodeMarketFrame(`{"stream":"btcusdc@trades","data":${withId(PUBLIC_TRADE)}}`),
    ];
    expect(events).toMatchObject([
      { order: { id: LONG } },
      { trade: { id: LONG } },
      { incomes: [{ id: LONG }] },
      { trade: { id: LONG } },
    ]);
  },
);

conforms("G4", "client", "keeps them through the command line, in and out", async () => {
  answers["GET /v1/historicalTrades"] = `[${withId(PUBLIC_TRADE)}]`;
  const { code, out } = await captureCli([
    "call",
    "historicalTrades",
    "marketId=btcusdc",
    `fromId=${LONG}`,
    "--rest",
    `http://${server.host}/v1`,
  ]);
  expect([code, out.replace(/\s/g, "")]).toEqual([
    0,
    expect.stringMatching(new RegExp(`"id":"?${LONG}"?,`)),
  ]);
  expect(server.requests.at(-1)?.params).toBe(`fromId=${LONG}&marketId=btcusdc`);
});

conforms(
  "G5",
  "client",
  "carries the parameters of GET and DELETE in the query, with no body",
  async () => {
    const { client, close } = await connected();
    answers["GET /v1/orderbook"] = text(ORDERBOOK);
    await client.orderbook({ marketId: "btcusdc", limit: 10 });
    await client.cancelOrder({ marketId: "btcusdc", orderId: "7" });
    const [read, cancel] = server.requests;
    expect([read?.method, read?.params]).toEqual(["GET", "limit=10&marketId=btcusdc"]);
    expect([cancel?.method, new URLSearchParams(cancel?.params).get("orderId")]).toEqual([
      "DELETE",
      "7",
    ]);
    for (const request of [read, cancel])
      expect(request?.headers["content-length"] ?? "0").toBe("0");
    close();
  },
);

conforms(
  "G6",
  "client",
  "carries the parameters of POST in a form-urlencoded body, and none in the query",
  async () => {
    let url: string | undefined;
    server.onRequest = ({ path, method }, response) => {
      if (method === "POST") url = path;
      response.writeHead(200).end(answers[`${method} ${path}`] ?? text(ACCOUNT));
    };
    const { client, close } = await connected();
    await client.registerAccount();
    const [request] = server.requests;
    expect([request?.method, url]).toEqual(["POST", "/v1/account"]);
    expect(request?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    const body = new URLSearchParams(request?.params);
    expect([...body.keys()]).toEqual(["account", "timestamp", "signature"]);
    close();
  },
);

conforms(
  "G8",
  "client",
  "keeps unknown fields, passes unknown words on, and shows unknown filters and codes for what they are",
  async () => {
    const filters = [
      ...(EXCHANGE_INFO.markets[0]?.filters ?? []),
      { filterType: "ICEBERG_FILTER", limit: 5 },
    ];
    const market = {
      ...EXCHANGE_INFO.markets[0],
      stage: "AUCTION",
      status: "HALTED",
      filters,
      colour: "blue",
    };
    const { client } = scripted({
      "GET /v1/exchangeInfo": text({ ...EXCHANGE_INFO, markets: [market], motto: "to the moon" }),
      "GET /v1/openOrders": text([
        { ...ORDER, status: "REPLACED", tif: "DAY", type: "STOP", rank: 7 },
      ]),
      "GET /v1/trades": text([{ ...PUBLIC_TRADE, status: "DISPUTED" }]),
      "GET /v1/incomes": text([{ ...INCOME, type: "AIRDROP" }]),
      "GET /v1/balances": {
        status: 400,
        body: '{"code":7777,"codeText":"Lunch break","message":"come back later","until":5}',
      },
    });
    const info = await client.exchangeInfo();
    expect(info.extra).toEqual({ motto: "to the moon" });
    expect(info.markets[0]).toMatchObject({
      stage: "AUCTION",
      status: "HALTED",
      extra: { colour: "blue" },
    });
    expect(info.markets[0]?.filters.at(-1)).toEqual({
      filterType: "UNKNOWN",
      type: "ICEBERG_FILTER",
      extra: { limit: 5 },
    });
    expect(await client.openOrders()).toMatchObject([
      { status: "REPLACED", tif: "DAY", type: "STOP", extra: { rank: 7 } },
    ]);
    expect(await client.trades({ marketId: "btcusdc" })).toMatchObject([{ status: "DISPUTED" }]);
    expect(await client.incomes({ marketId: "btcusdc" })).toMatchObject([{ type: "AIRDROP" }]);
    await expect(client.balances()).rejects.toMatchObject({
      name: "VenueError",
      code: 7777,
      codeName: "UNKNOWN_ERROR",
      codeText: "Lunch break",
    });
    expect(decodeAccountFrame('{"event":"LOTTERY_UPDATE","prize":"1"}')).toMatchObject([
      { type: "unknown", name: "LOTTERY_UPDATE", data: { prize: "1" } },
    ]);
  },
);
