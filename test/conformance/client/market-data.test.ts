import { expect } from "vitest";
import type { ExchangeClient } from "#exchange/exchange-client.js";
import { START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { trade, worlds } from "../exchange/world.js";
import {
  CONTRACT,
  EXCHANGE_INFO,
  FUNDING_RATE,
  KLINE,
  ORDERBOOK,
  PUBLIC_TRADE,
  RISKY_ACCOUNT,
  text,
} from "./examples.js";
import { connections, expectRead, scripted } from "./world.js";

const world = worlds();
const connected = connections();
const BTC = { marketId: "btcusdc" };
const MINUTE = 60_000;
const INTERVALS = ["1M", "5M", "15M", "30M", "1H", "2H", "4H", "6H", "1D", "1W", "1MO"] as const;

/** Every public read answered by an example. */
function reader() {
  return scripted({
    "GET /v1/time": `{"serverTime":${START_MS}}`,
    "GET /v1/exchangeInfo": text(EXCHANGE_INFO),
    "GET /v1/orderbook": text(ORDERBOOK),
    "GET /v1/trades": text([PUBLIC_TRADE]),
    "GET /v1/historicalTrades": text([PUBLIC_TRADE]),
    "GET /v1/klines": text([KLINE]),
    "GET /v1/markPriceKlines": text([KLINE]),
    "GET /v1/fundingRate": text([FUNDING_RATE]),
    "GET /v1/riskyAccounts": text([RISKY_ACCOUNT]),
    "GET /v1/contracts": text({ contracts: [CONTRACT] }),
  });
}

/** Asserts that a call is refused before anything is sent, naming the parameter. */
async function refusedUnsent(
  scriptedClient: ReturnType<typeof reader>,
  call: (client: ExchangeClient) => Promise<unknown>,
  field: string,
): Promise<void> {
  const before = scriptedClient.sent.length;
  await expect(call(scriptedClient.client)).rejects.toMatchObject({ name: "ConfigError", field });
  expect(scriptedClient.sent).toHaveLength(before);
}

/** A value that no type would let through, as JavaScript callers give it. */
const loose = <Value>(value: unknown): Value => value as Value;

conforms("B1", "client", "reads a book, best first, its levels exact", async () => {
  const { client } = reader();
  const book = await client.orderbook(BTC);
  expectRead(book, ORDERBOOK, "orderbook");
  expect(book.bids.map(([price, amount]) => [String(price), String(amount)])).toEqual(
    ORDERBOOK.bids,
  );
  expect(book.asks.map(([price, amount]) => [String(price), String(amount)])).toEqual(
    ORDERBOOK.asks,
  );
  const wrong = scripted({ "GET /v1/orderbook": text({ ...ORDERBOOK, bids: [[30000, "1"]] }) });
  await expect(wrong.client.orderbook(BTC)).rejects.toMatchObject({ name: "FormatError" });
});

conforms("T1", "client", "reads every field of a public trade", async () => {
  const { client } = reader();
  for (const list of [await client.trades(BTC), await client.historicalTrades(BTC)]) {
    expect(list).toHaveLength(1);
    expectRead(list[0] ?? {}, PUBLIC_TRADE, "publicTrade");
  }
});

conforms("K1", "client", "reads every field of a candle", async () => {
  const { client } = reader();
  const [bar] = await client.klines({ ...BTC, interval: "1M" });
  expectRead(bar ?? {}, KLINE, "kline");
  const { quote_volume: _, ...specified } = KLINE;
  const [plain] = await scripted({ "GET /v1/klines": text([specified]) }).client.klines({
    ...BTC,
    interval: "1M",
  });
  expect(plain).toMatchObject({ time: KLINE.time, extra: {} });
  expect(plain?.quote_volume).toBeUndefined();
});

conforms("F1", "client", "reads every field of a funding record, negative rates too", async () => {
  const { client } = reader();
  const [record] = await client.fundingRate(BTC);
  expectRead(record ?? {}, FUNDING_RATE, "fundingRate");
});

conforms(
  "C1",
  "client",
  "reads every field of a contract, its timestamps from their strings",
  async () => {
    const { client } = reader();
    const [contract] = (await client.contracts()).contracts;
    expectRead(contract ?? {}, CONTRACT, "contract");
  },
);

conforms("P1", "client", "asks the time, and signs in it from then on", async () => {
  const { client, sent, clock } = reader();
  expect((await client.time()).serverTime).toBe(START_MS);
  expect(sent[0]).toMatchObject({ method: "GET", path: "/v1/time", text: "" });
  const ahead = scripted({ "GET /v1/time": `{"serverTime":${START_MS + 90_000}}` });
  expect(await ahead.client.syncClock()).toBe(90_000);
  await ahead.client.balances().catch(() => undefined);
  expect(ahead.last().params.timestamp).toBe(String(clock.nowMs() + 90_000));
});

conforms("P2", "client", "asks the rules of trading without a parameter", async () => {
  const { client, sent } = reader();
  expect((await client.exchangeInfo()).markets.map(({ id }) => id)).toEqual(["btcusdc"]);
  expect(sent).toMatchObject([{ method: "GET", path: "/v1/exchangeInfo", text: "" }]);
});

conforms("P3", "client", "asks for a book by market, with one of six limits or none", async () => {
  const asked = reader();
  const { client, last } = asked;
  await client.orderbook(BTC);
  expect(last().text).toBe("marketId=btcusdc");
  for (const limit of [10, 20, 50, 100, 500, 1000] as const) {
    await client.orderbook({ ...BTC, limit });
    expect(last().params).toEqual({ marketId: "btcusdc", limit: String(limit) });
  }
  for (const limit of [0, 11, 501, 5000, -10])
    await refusedUnsent(asked, (one) => one.orderbook({ ...BTC, limit: loose(limit) }), "limit");
  await refusedUnsent(asked, (one) => one.orderbook(loose({})), "marketId");
});

/** Tests the parameters that each list refuses before sending: no market, and invalid limits. */
async function listRules(
  asked: ReturnType<typeof reader>,
  call: (client: ExchangeClient, params: { marketId: string; limit?: number }) => Promise<unknown>,
  path: string,
): Promise<void> {
  await call(asked.client, BTC);
  expect([asked.last().path, asked.last().params.limit]).toEqual([path, undefined]);
  for (const limit of [1, 100, 500]) {
    await call(asked.client, { ...BTC, limit });
    expect(asked.last().params.limit).toBe(String(limit));
  }
  for (const limit of [501, 0, -1, 1.5, Number.NaN])
    await refusedUnsent(asked, (client) => call(client, { ...BTC, limit }), "limit");
  await refusedUnsent(asked, (client) => call(client, loose({})), "marketId");
}

conforms(
  "P4",
  "client",
  "asks for trades by market, with a limit of 1 to 500 or none",
  async () => {
    await listRules(reader(), (client, params) => client.trades(params), "/v1/trades");
  },
);

conforms("P5", "client", "asks for older trades from an id on", async () => {
  const asked = reader();
  await listRules(
    asked,
    (client, params) => client.historicalTrades(params),
    "/v1/historicalTrades",
  );
  await asked.client.historicalTrades({ ...BTC, fromId: "275287091667264", limit: 5 });
  expect(asked.last().params).toEqual({
    marketId: "btcusdc",
    fromId: "275287091667264",
    limit: "5",
  });
  await refusedUnsent(
    asked,
    (client) => client.historicalTrades({ ...BTC, fromId: "x" }),
    "fromId",
  );
  const venue = await world();
  for (const price of ["30000", "30001", "30002"])
    await trade(venue.alice, venue.bob, "BUY", price, "0.1");
  const { client } = await connected(venue);
  const [, second] = await client.historicalTrades(BTC);
  expect(
    (await client.historicalTrades({ ...BTC, fromId: second?.id ?? "" })).map(({ price }) =>
      String(price),
    ),
  ).toEqual(["30001", "30002"]);
});

/** The rules of candles, of trades and of the mark. */
async function candleRules(name: "klines" | "markPriceKlines"): Promise<void> {
  const asked = reader();
  await listRules(
    asked,
    (client, params) => client[name](loose({ interval: "1M", ...params })),
    `/v1/${name}`,
  );
  for (const interval of INTERVALS) {
    await asked.client[name]({ ...BTC, interval });
    expect(asked.last().params.interval).toBe(interval);
  }
  await asked.client[name]({
    ...BTC,
    interval: "1H",
    startTime: 1_700_000_000_000,
    endTime: 1_700_000_600_000,
  });
  expect(asked.last().params).toMatchObject({
    startTime: "1700000000000",
    endTime: "1700000600000",
  });
  for (const interval of ["1m", "3M", "", "7D"])
    await refusedUnsent(
      asked,
      (client) => client[name]({ ...BTC, interval: loose(interval) }),
      "interval",
    );
  await refusedUnsent(asked, (client) => client[name](loose(BTC)), "interval");
}

conforms("P6", "client", "asks for candles of all eleven intervals within a range", async () => {
  await candleRules("klines");
});

conforms(
  "P6",
  "client",
  "reads all candles of a range, first inclusive and last exclusive, page by page",
  async () => {
    const venue = await world();
    for (let minute = 0; minute < 6; minute += 1) {
      await trade(venue.alice, venue.bob, "BUY", `${30_000 + minute}`, "0.1");
      await venue.clock.runFor(MINUTE);
    }
    const { client } = await connected(venue);
    const first = START_MS - (START_MS % MINUTE);
    const opens: string[] = [];
    for await (const bar of client.all.klines({
      ...BTC,
      interval: "1M",
      startTime: first + MINUTE,
      endTime: first + 5 * MINUTE,
      pageSize: 2,
    }))
      opens.push(String(bar.open));
    expect(opens).toEqual(["30001", "30002", "30003", "30004"]);
  },
);

conforms("P7", "client", "asks for mark candles under the same rules", async () => {
  await candleRules("markPriceKlines");
});

conforms("P8", "client", "asks for funding rates within a range", async () => {
  const asked = reader();
  await listRules(asked, (client, params) => client.fundingRate(params), "/v1/fundingRate");
  await asked.client.fundingRate({
    ...BTC,
    startTime: 1_700_000_000_000,
    endTime: 1_700_000_600_000,
  });
  expect(asked.last().params).toMatchObject({
    startTime: "1700000000000",
    endTime: "1700000600000",
  });
  await refusedUnsent(
    asked,
    (client) => client.fundingRate({ ...BTC, startTime: -5 }),
    "startTime",
  );
});

conforms("P9", "client", "asks for accounts at risk without a parameter", async () => {
  const { client, sent } = reader();
  expect(await client.riskyAccounts()).toHaveLength(1);
  expect(sent).toMatchObject([{ method: "GET", path: "/v1/riskyAccounts", text: "" }]);
});

conforms(
  "P10",
  "client",
  "reads contracts from their object, and nothing else as contracts",
  async () => {
    const { client, sent } = reader();
    expect((await client.contracts()).contracts).toHaveLength(1);
    expect(sent).toMatchObject([{ method: "GET", path: "/v1/contracts", text: "" }]);
    const bare = scripted({ "GET /v1/contracts": text([CONTRACT]) });
    await expect(bare.client.contracts()).rejects.toMatchObject({ name: "FormatError" });
  },
);

conforms("P11", "client", "makes every public call without a key, and signs none", async () => {
  const { alice, ...venue } = await world();
  const { client } = await connected({ alice, ...venue }, loose(undefined));
  const kline = { ...BTC, interval: "1D" } as const;
  const calls = [
    client.time(),
    client.exchangeInfo(),
    client.orderbook(BTC),
    client.trades(BTC),
    client.historicalTrades(BTC),
    client.klines(kline),
    client.markPriceKlines(kline),
    client.fundingRate(BTC),
    client.riskyAccounts(),
    client.contracts(),
  ];
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(
    calls.map(() => "fulfilled"),
  );
  const keyed = reader();
  await keyed.client.trades(BTC);
  await keyed.client.time();
  expect(keyed.sent.map(({ text: sent }) => sent)).toEqual(["marketId=btcusdc", ""]);
});

conforms(
  "L2",
  "client",
  "takes 1 to 500 as a limit of the eight lists, and leaves the default to the exchange",
  async () => {
    const lists = [
      "trades",
      "historicalTrades",
      "klines",
      "markPriceKlines",
      "fundingRate",
      "historyOrders",
      "userTrades",
      "incomes",
    ] as const;
    const { client, sent, last } = scripted(
      Object.fromEntries(lists.map((name) => [`GET /v1/${name}`, "[]"])),
    );
    for (const name of lists) {
      const params = name.endsWith("lines") ? { ...BTC, interval: "1M" } : BTC;
      for (const limit of ["1", "500"]) {
        await client.call(name, { ...params, limit });
        expect([last().path, last().params.limit]).toEqual([`/v1/${name}`, limit]);
      }
      await client.call(name, params);
      expect(last().params).not.toHaveProperty("limit");
      const before = sent.length;
      for (const limit of ["501", "0", "-1", "text"])
        await expect(client.call(name, { ...params, limit })).rejects.toMatchObject({
          field: "limit",
        });
      expect(sent).toHaveLength(before);
    }
  },
);
