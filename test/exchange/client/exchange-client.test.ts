import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserTrade } from "#exchange/account.js";
import type { Connection } from "#exchange/connect.js";
import { toDecimal } from "#exchange/decimal.js";
import type { ExchangeClient } from "#exchange/exchange-client.js";
import { OPERATIONS } from "#exchange/operations.js";
import { type Embedded, KEYS, startEmbedded } from "./embedded.js";

const MARKET = "btcusdc";
/** Beyond 2^53, where a JSON number rounds. */
const FIRST_ID = "900719925474099301";

let embedded: Embedded;
let maker: Connection;
let taker: Connection;

beforeAll(async () => {
  embedded = await startEmbedded({ firstId: FIRST_ID });
  maker = await embedded.trader(KEYS[0]);
  taker = await embedded.trader(KEYS[1]);
  // Twelve trades, several within one millisecond.
  for (let count = 0; count < 12; count += 1) {
    await maker.client.place({ marketId: MARKET, side: "SELL", amount: "0.002", price: "30000" });
    await taker.client.place({
      marketId: MARKET,
      side: "BUY",
      amount: "0.002",
      price: "30000",
      timeInForce: "IOC",
    });
  }
  await settled(taker.client);
});

afterAll(() => embedded?.close());

async function settled(client: ExchangeClient): Promise<void> {
  for (let turn = 0; turn < 400; turn += 1) {
    const trades = await client.userTrades({ marketId: MARKET });
    if (trades.length > 0 && trades.every(({ status }) => status === "SETTLED")) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the trades never settled");
}

async function collect<T>(iterator: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterator) items.push(item);
  return items;
}

describe("every operation, over real HTTP", () => {
  it("reads the public ones without a key", async () => {
    const { client } = await embedded.connect();
    expect(Math.abs((await client.time()).serverTime - Date.now())).toBeLessThan(60_000);
    const info = await client.exchangeInfo();
    expect(info.markets.map(({ id }) => id)).toEqual([MARKET]);
    expect(info.markets[0]?.filters.map(({ filterType }) => filterType)).toContain("PRICE_FILTER");
    expect(String(info.markets[0]?.makerFee)).toBe("-0.0001");
    const book = await client.orderbook({ marketId: MARKET, limit: 10 });
    expect([book.ticker_id, book.bids, book.asks]).toEqual([MARKET, [], []]);
    const trades = await client.trades({ marketId: MARKET });
    expect(trades).toHaveLength(12);
    expect(trades[0]).toMatchObject({
      amount: toDecimal("0.002"),
      price: toDecimal("30000"),
      quoteAmount: toDecimal("60"),
    });
    expect(BigInt(trades[0]?.id ?? 0)).toBeGreaterThan(2n ** 53n);
    expect(
      await client.historicalTrades({ marketId: MARKET, limit: 3, fromId: trades[4]?.id ?? "" }),
    ).toEqual(trades.slice(4, 7));
    const bars = await client.klines({ marketId: MARKET, interval: "1MO" });
    expect(String(bars.at(-1)?.volume)).toBe("0.024");
    expect(await client.markPriceKlines({ marketId: MARKET, interval: "1M" })).toBeInstanceOf(
      Array,
    );
    expect(
      await client.offchainMarkPriceWithVolKlines({ marketId: MARKET, interval: "1M" }),
    ).toBeInstanceOf(Array);
    const traded = await client.tradeVolume();
    expect(traded.dailyVolume.map(({ v }) => String(v))).toEqual([String(traded.totalVolume)]);
    expect(await client.fundingRate({ marketId: MARKET })).toBeInstanceOf(Array);
    expect(await client.riskyAccounts()).toEqual([]);
    const { contracts } = await client.contracts();
    expect(contracts[0]).toMatchObject({
      ticker_id: MARKET,
      last_price: toDecimal("30000"),
      next_funding_rate_timestamp: expect.any(Number),
    });
    await expect(client.balances()).rejects.toThrow(/needs a key/);
  });

  it("reads and changes the account", async () => {
    const { client } = maker;
    expect((await client.account()).address).toBe(client.address.toLowerCase());
    await expect(client.registerAccount()).rejects.toMatchObject({
      code: 2018,
      codeName: "DUPLICATED_ACCOUNT_ERROR",
    });
    const terms = {
      marketId: MARKET,
      side: "BUY",
      orderType: "LIMIT",
      amount: "0.01",
      price: toDecimal("20000.10"),
      timeInForce: "GTC",
    } as const;
    const built = await client.buildOrder(terms);
    expect(built.order).toMatchObject({ paperAmount: 10n ** 16n, creditAmount: -200_001_000n });
    const open = await client.place(terms);
    expect(open).toMatchObject({ status: "NEW", side: "BUY", tif: "GTC", expiration: 0 });
    expect(open.averagePrice).toBeUndefined();
    expect(BigInt(open.id)).toBeGreaterThan(2n ** 53n);
    expect(await client.openOrder({ marketId: MARKET, orderId: open.id })).toEqual(open);
    expect((await client.openOrders()).map(({ id }) => id)).toEqual([open.id]);
    await expect(client.order({ marketId: MARKET, orderId: open.id })).rejects.toMatchObject({
      code: 2011,
    });
    await client.cancelOrder({ marketId: MARKET, orderId: BigInt(open.id) });
    expect(await client.order({ marketId: MARKET, orderId: open.id })).toMatchObject({
      status: "CANCELED",
      hash: open.hash,
    });
    await expect(client.cancelOrder({ marketId: MARKET, orderId: open.id })).rejects.toMatchObject({
      code: 2011,
    });
    await client.place(terms);
    await client.cancelAllOpenOrders();
    await client.place(terms);
    await client.cancelAllOpenOrders({ marketId: MARKET });
    expect(await client.openOrders({ marketId: MARKET })).toEqual([]);
    expect(
      (await client.historyOrders({ marketId: MARKET })).map(({ status }) => status),
    ).toContain("CANCELED");
    const [trade] = await client.userTrades({ marketId: MARKET, limit: 1 });
    expect(trade).toMatchObject({
      isMaker: true,
      isBuyer: false,
      commission: toDecimal("-0.006"),
      status: "SETTLED",
      orderType: "LIMIT",
    });
    expect(
      (await client.incomes({ marketId: MARKET, type: "DEPOSIT" })).map(({ amount }) =>
        String(amount),
      ),
    ).toEqual(["100000"]);
    const { balances, positions } = await client.balances();
    expect(String(balances.availableCreditAmounts[MARKET]?.buy)).toMatch(/^\d+(\.\d+)?$/);
    expect(positions[0]).toMatchObject({
      side: "SHORT",
      size: toDecimal("0.024"),
      closedAt: null,
      lastUpdatedAt: expect.any(Number),
    });
    expect((await client.positions())[0]?.lastUpdatedAt).toBeUndefined();
  });

  it("has a method for every operation of the table", () => {
    for (const name of Object.keys(OPERATIONS))
      expect(maker.client).toHaveProperty(name, expect.any(Function));
  });

  it("keeps the exact value of a decimal, and refuses a float before it is sent", async () => {
    const tiny = toDecimal("0.000000000000000000000000000000000001");
    expect(JSON.stringify({ sum: tiny.plus("1000000000000") })).toBe(
      '{"sum":"1000000000000.000000000000000000000000000000000001"}',
    );
    await expect(
      // @ts-expect-error a number's digits are not what was written
      maker.client.place({ marketId: MARKET, side: "BUY", amount: 0.1 + 0.2, price: "20000" }),
    ).rejects.toMatchObject({
      name: "ConfigError",
      field: "amount",
    });
  });
});

describe("whole histories of the embedded exchange", () => {
  it("hold each record once at every page size, by id and by time", async () => {
    const { client } = taker;
    const trades = await client.userTrades({ marketId: MARKET });
    const publicTrades = await client.trades({ marketId: MARKET });
    const incomes = await client.incomes({ marketId: MARKET });
    const orders = await client.historyOrders({ marketId: MARKET });
    const perInstant = (times: readonly number[]): number =>
      Math.max(...times.map((time) => times.filter((other) => other === time).length));
    const most = Math.max(
      ...[incomes, trades].map((list) => perInstant(list.map(({ time }) => time))),
      perInstant(orders.map(({ createdAt }) => createdAt)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: most + 1, max: most + 12 }),
        fc.nat({ max: trades.length - 1 }),
        async (pageSize, place) => {
          const { time, id } = trades[place] as UserTrade;
          expect(await collect(client.all.userTrades({ marketId: MARKET, pageSize }))).toEqual(
            trades,
          );
          expect(
            await collect(client.all.userTrades({ marketId: MARKET, pageSize, fromId: id })),
          ).toEqual(trades.slice(place));
          expect(
            await collect(client.all.userTrades({ marketId: MARKET, pageSize, startTime: 0 })),
          ).toEqual(trades);
          const within = trades.filter((trade) => trade.time < time);
          expect(
            await collect(
              client.all.userTrades({ marketId: MARKET, pageSize, startTime: 0, endTime: time }),
            ),
          ).toEqual(within);
          expect(
            await collect(client.all.historicalTrades({ marketId: MARKET, pageSize })),
          ).toEqual(publicTrades);
          expect(await collect(client.all.incomes({ marketId: MARKET, pageSize }))).toEqual(
            incomes,
          );
          expect(
            await collect(client.all.incomes({ marketId: MARKET, pageSize, type: "BUY" })),
          ).toEqual(incomes.filter(({ type }) => type === "BUY"));
          expect(
            await collect(client.all.historyOrders({ marketId: MARKET, pageSize, startTime: 1 })),
          ).toEqual(orders);
        },
      ),
      { numRuns: 8 },
    );
  });

  it("pages candles and funding rates", async () => {
    const { client } = taker;
    const bars = await client.klines({ marketId: MARKET, interval: "1M" });
    expect(
      await collect(
        client.all.klines({ marketId: MARKET, interval: "1M", startTime: 0, pageSize: 2 }),
      ),
    ).toEqual(bars);
    expect(
      await collect(client.all.markPriceKlines({ marketId: MARKET, interval: "1D", pageSize: 2 })),
    ).toBeInstanceOf(Array);
    expect(await collect(client.all.fundingRate({ marketId: MARKET }))).toEqual(
      await client.fundingRate({ marketId: MARKET }),
    );
  });
});
