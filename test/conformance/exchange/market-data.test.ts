import { expect } from "vitest";
import { START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { codes, WRONG_LIMITS } from "./refused-reads.js";
import { type Fields, type Trader, trade, worlds } from "./world.js";

const world = worlds();
const BTC = { marketId: "btcusdc" };
const UNLIMITED = { rateLimits: { common: 0, order: 0 } };
const MINUTE = 60_000;
/** The minute in which the worlds begin. */
const FIRST_MINUTE = START_MS - (START_MS % MINUTE);

conforms(
  "B1",
  "exchange",
  "a book has its pairs best first, its sequence, market and time",
  async () => {
    const { alice, clock } = await world();
    for (const price of ["30000", "30002", "30001"]) await alice.place("BUY", price, "0.1");
    for (const price of ["30012", "30010", "30011"]) await alice.place("SELL", price, "0.2");
    const book = (await alice.read("/v1/orderbook", BTC)).json;
    expectRecord(book, "orderbook");
    expect(book).toEqual({
      bids: [
        ["30002", "0.1"],
        ["30001", "0.1"],
        ["30000", "0.1"],
      ],
      asks: [
        ["30010", "0.2"],
        ["30011", "0.2"],
        ["30012", "0.2"],
      ],
      sequence: expect.any(Number),
      ticker_id: "btcusdc",
      timestamp: clock.nowMs(),
    });
    await alice.place("BUY", "30003", "0.1");
    expect((await alice.read("/v1/orderbook", BTC)).json.sequence).toBe(book.sequence + 1);
  },
);

conforms(
  "T1",
  "exchange",
  "a public trade has every field, and says whether the buyer rested",
  async () => {
    const { alice, bob, clock } = await world();
    await trade(alice, bob, "BUY", "30000", "0.5");
    await trade(alice, bob, "SELL", "29999.9", "0.1");
    const trades = (await alice.read("/v1/trades", BTC)).json;
    for (const one of trades) expectRecord(one, "publicTrade");
    expect(trades).toMatchObject([
      {
        price: "30000",
        amount: "0.5",
        quoteAmount: "15000",
        time: clock.nowMs(),
        isBuyerMaker: false,
      },
      { price: "29999.9", amount: "0.1", quoteAmount: "2999.99", isBuyerMaker: true },
    ]);
    expect((await alice.read("/v1/historicalTrades", BTC)).json).toEqual(trades);
  },
);

conforms("F1", "exchange", "a funding record has market, rate and instant", async () => {
  const { alice, bob, clock } = await world(
    { markets: { btcusdc: { funding: { mode: "fixed", intervalMs: MINUTE } } } },
    { steadyMark: true },
  );
  await trade(alice, bob, "BUY", "30000", "0.1");
  await clock.runFor(MINUTE);
  const records = (await alice.read("/v1/fundingRate", BTC)).json;
  for (const record of records) expectRecord(record, "fundingRate");
  // The first is of nothing, at the boundary before the exchange began.
  expect(records).toMatchObject([
    { marketId: "btcusdc", fundingRate: "0", fundingTime: FIRST_MINUTE },
    { marketId: "btcusdc", fundingTime: FIRST_MINUTE + MINUTE },
  ]);
});

conforms(
  "F2",
  "exchange",
  "funding is paid on every boundary of the interval that exchangeInfo names, and at no other instant",
  async () => {
    const { alice, bob, clock } = await world(
      { markets: { btcusdc: { funding: { mode: "fixed", intervalMs: 120_000 } } } },
      { steadyMark: true },
    );
    expect((await alice.read("/v1/exchangeInfo")).json.markets[0].fundingIntervalSeconds).toBe(120);
    await trade(alice, bob, "BUY", "30000", "0.1");
    const paid = async () =>
      (await alice.ask("/v1/incomes", { ...BTC, type: "FUNDING_FEE" })).map(
        ({ time }: { time: number }) => time,
      );
    const boundary = START_MS - (START_MS % 120_000) + 120_000;
    await clock.runUntil(boundary - 1);
    expect(await paid()).toEqual([]);
    await clock.runUntil(boundary);
    expect(await paid()).toEqual([boundary]);
    await clock.runUntil(boundary + 240_000);
    expect(await paid()).toEqual([boundary, boundary + 120_000, boundary + 240_000]);
  },
);

conforms(
  "C1",
  "exchange",
  "a contract has every field, its three timestamps as strings",
  async () => {
    const { alice, bob, clock } = await world();
    await trade(alice, bob, "BUY", "30000", "0.1");
    await trade(alice, bob, "BUY", "30100", "0.2");
    const { contracts } = (await alice.read("/v1/contracts")).json;
    expectRecord(contracts[0], "contract");
    const now = clock.nowMs();
    expect(contracts).toMatchObject([
      {
        ticker_id: "btcusdc",
        base_currency: "BTC",
        quote_currency: "USDC",
        last_price: "30100",
        base_volume: "0.3",
        quote_volume: "9020",
        high: "30100",
        low: "30000",
        product_type: "PERP",
        open_interest: "0.3",
        end_timestamp: String(now),
        start_timestamp: String(now - 86_400_000),
        next_funding_rate_timestamp: String(START_MS - (START_MS % 28_800_000) + 28_800_000),
      },
    ]);
  },
);

conforms("P1", "exchange", "the time is the exchange's own", async () => {
  const { alice, clock } = await world();
  expect((await alice.read("/v1/time")).json).toEqual({ serverTime: START_MS });
  await clock.runFor(1234);
  expect((await alice.read("/v1/time")).json).toEqual({ serverTime: START_MS + 1234 });
});

conforms(
  "P2",
  "exchange",
  "the rules of trading are there for the asking, with the present time",
  async () => {
    const { alice, clock } = await world();
    await clock.runFor(77);
    const { status, json } = await alice.read("/v1/exchangeInfo");
    expect([status, json.serverTime, json.markets.length]).toEqual([200, START_MS + 77, 1]);
  },
);

conforms(
  "P3",
  "exchange",
  "limit is one of six, cuts the book to its best levels, and is 500 when left out",
  async () => {
    const { exchange, alice } = await world(
      { markets: { btcusdc: { maxOpenOrders: 600 } } },
      { named: true },
    );
    for (let level = 0; level < 510; level += 1) {
      if (alice.reference.place("BUY", `${100 + level}`, "0.001").status !== 200)
        throw new Error("not placed");
    }
    const levels = async (limit?: string) =>
      (await alice.read("/v1/orderbook", { ...BTC, limit })).json.bids;
    expect(exchange.book("btcusdc").bids).toHaveLength(510);
    for (const limit of [10, 20, 50, 100, 500])
      expect(await levels(String(limit))).toHaveLength(limit);
    expect(await levels("1000")).toHaveLength(510);
    expect(await levels()).toHaveLength(500);
    expect((await levels("10"))[0]).toEqual(["609", "0.001"]);
    expect((await levels("10"))[9]).toEqual(["600", "0.001"]);
    const wrong = ["0", "1", "11", "200", "501", "1001", "-10", "ten", "10.5"].map((limit) => ({
      ...BTC,
      limit,
    }));
    expect(await codes(alice, "/v1/orderbook", wrong)).toEqual(wrong.map(() => 1111));
    expect(await codes(alice, "/v1/orderbook", [{}, { marketId: "nope" }])).toEqual([1111, 1112]);
  },
);

/** Trades of 1 lot at 30,000, one virtual millisecond apart. */
async function manyTrades(alice: Trader, bob: Trader, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const price = `${20_000 + done}`;
    alice.reference.place("SELL", price, "0.001");
    if (bob.reference.place("BUY", price, "0.001").status !== 200) throw new Error("not placed");
  }
}

conforms(
  "P4",
  "exchange",
  "trades are the newest hundred, or as many as limit says, up to 500",
  async () => {
    const { alice, bob } = await world(UNLIMITED, { named: true });
    await manyTrades(alice, bob, 505);
    const trades = async (limit?: string) =>
      (await alice.read("/v1/trades", { ...BTC, limit })).json;
    expect([
      (await trades()).length,
      (await trades("1")).length,
      (await trades("500")).length,
    ]).toEqual([100, 1, 500]);
    expect([
      (await trades())[99].price,
      (await trades("1"))[0].price,
      (await trades("500"))[0].price,
    ]).toEqual(["20504", "20504", "20005"]);
    expect(await codes(alice, "/v1/trades", WRONG_LIMITS)).toEqual(WRONG_LIMITS.map(() => 1111));
    expect(await codes(alice, "/v1/trades", [{}, { marketId: "nope" }])).toEqual([1111, 1112]);
  },
);

conforms(
  "P5",
  "exchange",
  "historical trades ascend from fromId, that trade included; without it they are the newest",
  async () => {
    const { alice, bob } = await world();
    for (const price of ["30000", "30001", "30002", "30003"])
      await trade(alice, bob, "BUY", price, "0.1");
    const all = (await alice.read("/v1/historicalTrades", BTC)).json;
    const prices = async (fields: Fields) =>
      (await alice.read("/v1/historicalTrades", { ...BTC, ...fields })).json.map(
        ({ price }: { price: string }) => price,
      );
    expect(await prices({})).toEqual(["30000", "30001", "30002", "30003"]);
    expect(await prices({ limit: "2" })).toEqual(["30002", "30003"]);
    expect(await prices({ fromId: String(all[1].id) })).toEqual(["30001", "30002", "30003"]);
    expect(await prices({ fromId: String(all[1].id), limit: "2" })).toEqual(["30001", "30002"]);
    expect(await prices({ fromId: String(all[1].id + 1) })).toEqual(["30002", "30003"]);
    expect(await prices({ fromId: "0", limit: "1" })).toEqual(["30000"]);
    expect(
      await codes(alice, "/v1/historicalTrades", [...WRONG_LIMITS, { ...BTC, fromId: "x" }]),
    ).toEqual([...WRONG_LIMITS, 0].map(() => 1111));
  },
);

conforms(
  "P8",
  "exchange",
  "funding rates have their range half open and their limit checked",
  async () => {
    const { alice, clock } = await world(
      { markets: { btcusdc: { funding: { mode: "fixed", intervalMs: MINUTE } } } },
      { steadyMark: true },
    );
    await clock.runUntil(FIRST_MINUTE + 5 * MINUTE);
    const times = async (fields: Fields) =>
      (await alice.read("/v1/fundingRate", { ...BTC, ...fields })).json.map(
        ({ fundingTime }: { fundingTime: number }) => (fundingTime - FIRST_MINUTE) / MINUTE,
      );
    const at = (minute: number, offset = 0) => String(FIRST_MINUTE + minute * MINUTE + offset);
    expect(await times({})).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await times({ startTime: at(2), endTime: at(4) })).toEqual([2, 3]);
    expect(await times({ startTime: at(2, 1), endTime: at(4, 1) })).toEqual([3, 4]);
    expect(await times({ startTime: at(2), limit: "1" })).toEqual([2]);
    expect(await times({ limit: "2" })).toEqual([4, 5]);
    expect(await codes(alice, "/v1/fundingRate", WRONG_LIMITS)).toEqual(
      WRONG_LIMITS.map(() => 1111),
    );
    expect(
      await codes(alice, "/v1/fundingRate", [
        { ...BTC, startTime: at(2), endTime: at(1) },
        {},
        { marketId: "nope" },
      ]),
    ).toEqual([1113, 1111, 1112]);
  },
);

conforms(
  "P9",
  "exchange",
  "high-risk accounts are a list, asked for without parameters",
  async () => {
    const { alice } = await world();
    expect(await alice.read("/v1/riskyAccounts")).toMatchObject({ status: 200, json: [] });
  },
);

conforms("P10", "exchange", "contracts stand in an object, one for each market", async () => {
  const { alice } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  const { json } = await alice.read("/v1/contracts");
  expect(Object.keys(json)).toEqual(["contracts"]);
  expect(json.contracts.map(({ ticker_id }: { ticker_id: string }) => ticker_id)).toEqual([
    "btcusdc",
    "ethusdc",
  ]);
});

conforms("P11", "exchange", "who has no account reads all that is public", async () => {
  const { carol } = await world({}, { registered: false });
  const paths = [
    "time",
    "exchangeInfo",
    "orderbook",
    "trades",
    "historicalTrades",
    "klines",
    "markPriceKlines",
    "fundingRate",
    "riskyAccounts",
    "contracts",
  ];
  for (const path of paths)
    expect([path, (await carol.read(`/v1/${path}`, { ...BTC, interval: "1D" })).status]).toEqual([
      path,
      200,
    ]);
});

conforms("L2", "exchange", "the eight lists default to 100 and take 1 to 500", async () => {
  const { alice, bob, clock } = await world(
    {
      ...UNLIMITED,
      markets: { btcusdc: { funding: { mode: "fixed", intervalMs: MINUTE } } },
      settlement: { delayMs: 0 },
    },
    { steadyMark: true, named: true },
  );
  await manyTrades(alice, bob, 102);
  await clock.runFor(102 * MINUTE);
  const paths = [
    "trades",
    "historicalTrades",
    "klines",
    "markPriceKlines",
    "fundingRate",
    "historyOrders",
    "userTrades",
    "incomes",
  ];
  for (const path of paths) {
    const ask = async (limit?: string) =>
      alice.call("GET", `/v1/${path}`, {
        ...BTC,
        limit,
        ...(path.endsWith("lines") ? { interval: "1M" } : {}),
      });
    for (const limit of ["501", "0", "-1", "text"])
      expect([path, limit, (await ask(limit)).json.code]).toEqual([path, limit, 1111]);
    expect([path, (await ask("500")).status, (await ask("1")).json.length]).toEqual([path, 200, 1]);
    const most = (await ask("500")).json.length;
    expect([path, (await ask()).json.length]).toEqual([path, Math.min(100, most)]);
    expect([path, path === "klines" || most > 100]).toEqual([path, true]);
  }
});
