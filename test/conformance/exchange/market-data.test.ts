import { expect } from "vitest";
import { START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { type Fields, type Trader, trade, worlds } from "./world.js";

const world = worlds();
const BTC = { marketId: "btcusdc" };
const INTERVALS = ["1M", "5M", "15M", "30M", "1H", "2H", "4H", "6H", "1D", "1W", "1MO"];
const MINUTE = 60_000;
/** The minute in which the worlds begin. */
const FIRST_MINUTE = START_MS - (START_MS % MINUTE);

const codes = async (trader: Trader, path: string, fieldsList: readonly Fields[]): Promise<number[]> => {
  const found: number[] = [];
  for (const fields of fieldsList) {
    const { status, json } = await trader.read(path, fields);
    found.push(status === 200 ? 200 : json.code);
  }
  return found;
};

conforms("B1", "exchange", "a book has its pairs best first, its sequence, market and time", async () => {
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
});

conforms("T1", "exchange", "a public trade has every field, and says whether the buyer rested", async () => {
  const { alice, bob, clock } = await world();
  await trade(alice, bob, "BUY", "30000", "0.5");
  await trade(alice, bob, "SELL", "29999.9", "0.1");
  const trades = (await alice.read("/v1/trades", BTC)).json;
  for (const one of trades) expectRecord(one, "publicTrade");
  expect(trades).toMatchObject([
    { price: "30000", amount: "0.5", quoteAmount: "15000", time: clock.nowMs(), isBuyerMaker: false },
    { price: "29999.9", amount: "0.1", quoteAmount: "2999.99", isBuyerMaker: true },
  ]);
  expect((await alice.read("/v1/historicalTrades", BTC)).json).toEqual(trades);
});

conforms("K1", "exchange", "a candle has its start and its five figures", async () => {
  const { alice, bob } = await world();
  for (const price of ["30000", "30200", "29900", "30100"]) await trade(alice, bob, "BUY", price, "0.1");
  const bars = (await alice.read("/v1/klines", { ...BTC, interval: "1M" })).json;
  expectRecord(bars[0], "kline");
  expect(bars).toEqual([{ time: FIRST_MINUTE, open: "30000", close: "30100", high: "30200", low: "29900", volume: "0.4" }]);
});

conforms("K2", "exchange", "a match belongs to the candle of its own instant, though it settles in the next", async () => {
  const { alice, bob, clock } = await world({ settlement: { delayMs: 120_000 } });
  await clock.runUntil(FIRST_MINUTE + MINUTE - 1);
  await trade(alice, bob, "BUY", "30000", "0.1");
  const before = (await alice.read("/v1/klines", { ...BTC, interval: "1M" })).json;
  expect(before).toMatchObject([{ time: FIRST_MINUTE, volume: "0.1" }]);
  await clock.runFor(180_000);
  expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([{ status: "SETTLED" }]);
  const traded = (await alice.read("/v1/klines", { ...BTC, interval: "1M" })).json.filter(
    ({ volume }: { volume: string }) => volume !== "0",
  );
  expect(traded).toMatchObject([{ time: FIRST_MINUTE, volume: "0.1" }]);
});

conforms("F1", "exchange", "a funding record has market, rate and instant", async () => {
  const { alice, bob, clock } = await world(
    { markets: { btcusdc: { funding: { mode: "fixed", intervalMs: MINUTE } } } },
    { steadyMark: true },
  );
  await trade(alice, bob, "BUY", "30000", "0.1");
  await clock.runFor(MINUTE);
  const records = (await alice.read("/v1/fundingRate", BTC)).json;
  expect(records).toHaveLength(1);
  expectRecord(records[0], "fundingRate");
  expect(records[0]).toMatchObject({ marketId: "btcusdc", fundingTime: FIRST_MINUTE + MINUTE });
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
    const paid = async () => (await alice.ask("/v1/incomes", { ...BTC, type: "FUNDING_FEE" })).map(({ time }: { time: number }) => time);
    const boundary = START_MS - (START_MS % 120_000) + 120_000;
    await clock.runUntil(boundary - 1);
    expect(await paid()).toEqual([]);
    await clock.runUntil(boundary);
    expect(await paid()).toEqual([boundary]);
    await clock.runUntil(boundary + 240_000);
    expect(await paid()).toEqual([boundary, boundary + 120_000, boundary + 240_000]);
  },
);

conforms("C1", "exchange", "a contract has every field, its three timestamps as strings", async () => {
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
});

conforms("P1", "exchange", "the time is the exchange's own", async () => {
  const { alice, clock } = await world();
  expect((await alice.read("/v1/time")).json).toEqual({ serverTime: START_MS });
  await clock.runFor(1234);
  expect((await alice.read("/v1/time")).json).toEqual({ serverTime: START_MS + 1234 });
});

conforms("P2", "exchange", "the rules of trading are there for the asking, with the present time", async () => {
  const { alice, clock } = await world();
  await clock.runFor(77);
  const { status, json } = await alice.read("/v1/exchangeInfo");
  expect([status, json.serverTime, json.markets.length]).toEqual([200, START_MS + 77, 1]);
});

conforms("P3", "exchange", "limit is one of six, cuts the book to its best levels, and is 500 when left out", async () => {
  const { exchange, alice } = await world({ markets: { btcusdc: { maxOpenOrders: 600 } } }, { named: true });
  for (let level = 0; level < 510; level += 1) {
    if (alice.reference.place("BUY", `${100 + level}`, "0.001").status !== 200) throw new Error("not placed");
  }
  const levels = async (limit?: string) => (await alice.read("/v1/orderbook", { ...BTC, limit })).json.bids;
  expect(exchange.book("btcusdc").bids).toHaveLength(510);
  for (const limit of [10, 20, 50, 100, 500]) expect(await levels(String(limit))).toHaveLength(limit);
  expect(await levels("1000")).toHaveLength(510);
  expect(await levels()).toHaveLength(500);
  expect((await levels("10"))[0]).toEqual(["609", "0.001"]);
  expect((await levels("10"))[9]).toEqual(["600", "0.001"]);
  const wrong = ["0", "1", "11", "200", "501", "1001", "-10", "ten", "10.5"].map((limit) => ({ ...BTC, limit }));
  expect(await codes(alice, "/v1/orderbook", wrong)).toEqual(wrong.map(() => 1111));
  expect(await codes(alice, "/v1/orderbook", [{}, { marketId: "nope" }])).toEqual([1111, 1112]);
});

/** Trades of 1 lot at 30,000, one virtual millisecond apart. */
async function manyTrades(alice: Trader, bob: Trader, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const price = `${20_000 + done}`;
    alice.reference.place("SELL", price, "0.001");
    if (bob.reference.place("BUY", price, "0.001").status !== 200) throw new Error("not placed");
  }
}

const UNLIMITED = { rateLimits: { common: 0, order: 0 } };
const WRONG_LIMITS = ["501", "0", "-1", "text", "1.5", "1e2"].map((limit) => ({ ...BTC, interval: "1M", limit }));

conforms("P4", "exchange", "trades are the newest hundred, or as many as limit says, up to 500", async () => {
  const { alice, bob } = await world(UNLIMITED, { named: true });
  await manyTrades(alice, bob, 505);
  const trades = async (limit?: string) => (await alice.read("/v1/trades", { ...BTC, limit })).json;
  expect([(await trades()).length, (await trades("1")).length, (await trades("500")).length]).toEqual([100, 1, 500]);
  expect([(await trades())[99].price, (await trades("1"))[0].price, (await trades("500"))[0].price]).toEqual(["20504", "20504", "20005"]);
  expect(await codes(alice, "/v1/trades", WRONG_LIMITS)).toEqual(WRONG_LIMITS.map(() => 1111));
  expect(await codes(alice, "/v1/trades", [{}, { marketId: "nope" }])).toEqual([1111, 1112]);
});

conforms("P5", "exchange", "historical trades ascend from fromId, that trade included; without it they are the newest", async () => {
  const { alice, bob } = await world();
  for (const price of ["30000", "30001", "30002", "30003"]) await trade(alice, bob, "BUY", price, "0.1");
  const all = (await alice.read("/v1/historicalTrades", BTC)).json;
  const prices = async (fields: Fields) =>
    (await alice.read("/v1/historicalTrades", { ...BTC, ...fields })).json.map(({ price }: { price: string }) => price);
  expect(await prices({})).toEqual(["30000", "30001", "30002", "30003"]);
  expect(await prices({ limit: "2" })).toEqual(["30002", "30003"]);
  expect(await prices({ fromId: String(all[1].id) })).toEqual(["30001", "30002", "30003"]);
  expect(await prices({ fromId: String(all[1].id), limit: "2" })).toEqual(["30001", "30002"]);
  expect(await prices({ fromId: String(all[1].id + 1) })).toEqual(["30002", "30003"]);
  expect(await prices({ fromId: "0", limit: "1" })).toEqual(["30000"]);
  expect(await codes(alice, "/v1/historicalTrades", [...WRONG_LIMITS, { ...BTC, fromId: "x" }])).toEqual(
    [...WRONG_LIMITS, 0].map(() => 1111),
  );
});

async function candleRules(path: string, alice: Trader): Promise<void> {
  const bars = async (fields: Fields) =>
    (await alice.read(path, { ...BTC, interval: "1M", ...fields })).json.map(
      ({ time }: { time: number }) => (time - FIRST_MINUTE) / MINUTE,
    );
  const at = (minute: number, offset = 0) => String(FIRST_MINUTE + minute * MINUTE + offset);
  expect(await bars({ startTime: at(1), endTime: at(3) })).toEqual([1, 2]);
  expect(await bars({ startTime: at(1, 1), endTime: at(3, 1) })).toEqual([2, 3]);
  expect(await bars({ startTime: at(1), limit: "2" })).toEqual([1, 2]);
  expect(await bars({ endTime: at(3), limit: "2" })).toEqual([1, 2]);
  expect(await codes(alice, path, [...WRONG_LIMITS, { ...BTC }, { ...BTC, interval: "3M" }, { ...BTC, interval: "1m" }])).toEqual(
    Array.from({ length: WRONG_LIMITS.length + 3 }, () => 1111),
  );
  expect(
    await codes(alice, path, [
      { ...BTC, interval: "1M", startTime: at(3), endTime: at(3) },
      { interval: "1M" },
      { marketId: "nope", interval: "1M" },
    ]),
  ).toEqual([1113, 1111, 1112]);
}

conforms("P6", "exchange", "candles of all eleven intervals, their range half open, their limit and words checked", async () => {
  const { alice, bob, clock } = await world();
  for (let minute = 0; minute < 5; minute += 1) {
    await trade(alice, bob, "BUY", `${30_000 + minute}`, "0.1");
    await clock.runFor(MINUTE);
  }
  for (const interval of INTERVALS.slice(1)) {
    const bars = (await alice.read("/v1/klines", { ...BTC, interval })).json;
    expect([interval, bars[0]]).toEqual([
      interval,
      { time: FIRST_MINUTE, open: "30000", close: "30004", high: "30004", low: "30000", volume: "0.5" },
    ]);
  }
  await candleRules("/v1/klines", alice);
});

conforms("P6", "exchange", "a week begins on Monday and a month on its first day, by the clock of UTC", async () => {
  const { alice, bob, clock } = await world();
  // The wall alone moves: a month of timers would fire otherwise.
  const reach = (instant: number) => clock.stepWall(instant - clock.nowMs());
  const bars = async (interval: string) =>
    (await alice.read("/v1/klines", { ...BTC, interval })).json
      .filter(({ volume }: { volume: string }) => volume !== "0")
      .map(({ time }: { time: number }) => new Date(time).toISOString());
  reach(Date.UTC(2026, 5, 7, 23, 59, 59));
  await trade(alice, bob, "BUY", "30000", "0.1");
  reach(Date.UTC(2026, 5, 8));
  await trade(alice, bob, "BUY", "30000", "0.1");
  expect(await bars("1W")).toEqual(["2026-06-01T00:00:00.000Z", "2026-06-08T00:00:00.000Z"]);
  expect(await bars("1D")).toEqual(["2026-06-07T00:00:00.000Z", "2026-06-08T00:00:00.000Z"]);
  expect(await bars("6H")).toEqual(["2026-06-07T18:00:00.000Z", "2026-06-08T00:00:00.000Z"]);
  expect(await bars("1MO")).toEqual(["2026-06-01T00:00:00.000Z"]);
  reach(Date.UTC(2026, 6, 1));
  await trade(alice, bob, "BUY", "30000", "0.1");
  expect(await bars("1MO")).toEqual(["2026-06-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"]);
});

conforms("P7", "exchange", "mark candles follow the mark and not the trades, with the rules of candles", async () => {
  const { alice, bob, clock, setMark } = await world({}, { steadyMark: true });
  await trade(alice, bob, "BUY", "30500", "0.1");
  for (const mark of [30_010, 30_030, 30_020, 30_040, 30_050]) {
    setMark(mark);
    await clock.runFor(MINUTE);
  }
  const [bar] = (await alice.read("/v1/markPriceKlines", { ...BTC, interval: "1H" })).json;
  expectRecord(bar, "kline");
  expect(bar).toMatchObject({ high: "30050", close: "30050" });
  expect(Number(bar.low)).toBeLessThan(30_011);
  await candleRules("/v1/markPriceKlines", alice);
  for (const interval of INTERVALS)
    expect([interval, (await alice.read("/v1/markPriceKlines", { ...BTC, interval })).status]).toEqual([interval, 200]);
});

conforms("P8", "exchange", "funding rates have their range half open and their limit checked", async () => {
  const { alice, clock } = await world({ markets: { btcusdc: { funding: { mode: "fixed", intervalMs: MINUTE } } } }, { steadyMark: true });
  await clock.runUntil(FIRST_MINUTE + 5 * MINUTE);
  const times = async (fields: Fields) =>
    (await alice.read("/v1/fundingRate", { ...BTC, ...fields })).json.map(
      ({ fundingTime }: { fundingTime: number }) => (fundingTime - FIRST_MINUTE) / MINUTE,
    );
  const at = (minute: number, offset = 0) => String(FIRST_MINUTE + minute * MINUTE + offset);
  expect(await times({})).toEqual([1, 2, 3, 4, 5]);
  expect(await times({ startTime: at(2), endTime: at(4) })).toEqual([2, 3]);
  expect(await times({ startTime: at(2, 1), endTime: at(4, 1) })).toEqual([3, 4]);
  expect(await times({ startTime: at(2), limit: "1" })).toEqual([2]);
  expect(await times({ limit: "2" })).toEqual([4, 5]);
  expect(await codes(alice, "/v1/fundingRate", WRONG_LIMITS)).toEqual(WRONG_LIMITS.map(() => 1111));
  expect(await codes(alice, "/v1/fundingRate", [{ ...BTC, startTime: at(2), endTime: at(1) }, {}, { marketId: "nope" }])).toEqual([
    1113, 1111, 1112,
  ]);
});

conforms("P9", "exchange", "high-risk accounts are a list, asked for without parameters", async () => {
  const { alice } = await world();
  expect(await alice.read("/v1/riskyAccounts")).toMatchObject({ status: 200, json: [] });
});

conforms("P10", "exchange", "contracts stand in an object, one for each market", async () => {
  const { alice } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  const { json } = await alice.read("/v1/contracts");
  expect(Object.keys(json)).toEqual(["contracts"]);
  expect(json.contracts.map(({ ticker_id }: { ticker_id: string }) => ticker_id)).toEqual(["btcusdc", "ethusdc"]);
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
  for (const path of paths) expect([path, (await carol.read(`/v1/${path}`, { ...BTC, interval: "1D" })).status]).toEqual([path, 200]);
});

conforms("L2", "exchange", "the eight lists default to 100 and take 1 to 500", async () => {
  const { alice, bob, clock } = await world(
    { ...UNLIMITED, markets: { btcusdc: { funding: { mode: "fixed", intervalMs: MINUTE } } }, settlement: { delayMs: 0 } },
    { steadyMark: true, named: true },
  );
  await manyTrades(alice, bob, 102);
  await clock.runFor(102 * MINUTE);
  const paths = ["trades", "historicalTrades", "klines", "markPriceKlines", "fundingRate", "historyOrders", "userTrades", "incomes"];
  for (const path of paths) {
    const ask = async (limit?: string) =>
      alice.call("GET", `/v1/${path}`, { ...BTC, limit, ...(path.endsWith("lines") ? { interval: "1M" } : {}) });
    for (const limit of ["501", "0", "-1", "text"]) expect([path, limit, (await ask(limit)).json.code]).toEqual([path, limit, 1111]);
    expect([path, (await ask("500")).status, (await ask("1")).json.length]).toEqual([path, 200, 1]);
    const most = (await ask("500")).json.length;
    expect([path, (await ask()).json.length]).toEqual([path, Math.min(100, most)]);
    expect([path, path === "klines" || most > 100]).toEqual([path, true]);
  }
});
