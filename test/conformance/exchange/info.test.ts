import { expect } from "vitest";
import { conforms } from "../conforms.js";
import { expectRecord, type TABLES } from "../tables.js";
import { type Trader, trade, worlds } from "./world.js";

const world = worlds();
const info = async (trader: Trader) => (await trader.read("/v1/exchangeInfo")).json;

conforms("I1", "exchange", "exchangeInfo has every part with every field", async () => {
  const { alice } = await world({ markets: { btcusdc: {}, ethusdc: { baseAsset: "ETH" } } });
  const answer = await info(alice);
  expectRecord(answer, "exchangeInfo");
  for (const asset of answer.assets) expectRecord(asset, "asset");
  expect(answer.assets.map((asset: { name: string }) => asset.name)).toEqual([
    "BTC",
    "USDC",
    "ETH",
  ]);
  expectRecord(answer.dealerInfo, "dealerInfo");
  expect(answer.dealerInfo).toMatchObject({ creditDecimals: 6, paperDecimals: 18 });
  expectRecord(answer.eip712, "eip712");
  expectRecord(answer.gasFeeInfo, "gasFeeInfo");
  expect(answer.markets.map((market: { id: string }) => market.id)).toEqual(["btcusdc", "ethusdc"]);
  for (const limit of answer.rateLimits) expectRecord(limit, "rateLimit");
});

conforms("I9", "exchange", "traders and volume count as they come", async () => {
  const { alice, bob, carol, clock } = await world({}, { registered: false });
  expect((await info(alice)).dealerInfo).toMatchObject({ totalTraders: 0, totalVolume: "0" });
  await alice.register();
  await bob.register();
  expect((await info(carol)).dealerInfo).toMatchObject({ totalTraders: 2 });
  await trade(alice, bob, "BUY", "30000", "0.1");
  await trade(alice, bob, "SELL", "30000", "0.2");
  await clock.runFor(3000);
  expect((await info(carol)).dealerInfo).toMatchObject({ totalVolume: "9000" });
});

conforms(
  "I9",
  "exchange",
  "the insurance account pays a debt that is left without a position",
  async () => {
    const { alice, bob, carol, clock, setMark } = await world(
      {
        creditOnRegistration: "2000",
        markets: { btcusdc: { makerFeeRate: "0", takerFeeRate: "0" } },
        insurance: { initialQuote: "5000" },
      },
      { steadyMark: true },
    );
    expect((await info(carol)).dealerInfo.insuranceAmount).toBe("5000");
    await trade(alice, bob, "BUY", "30000", "1");
    setMark(27_500);
    await trade(alice, bob, "SELL", "27500", "1");
    await clock.runFor(3000);
    expect((await info(carol)).dealerInfo.insuranceAmount).toBe("4500");
    expect((await alice.ask("/v1/balances")).balances.netValue).toBe("0");
  },
);

conforms(
  "I9",
  "exchange",
  "the gas price follows the matches, ETH its market's index, and the waiver both",
  async () => {
    const gasFee = {
      gasLimit: 100_000,
      minGasPriceWei: "1000000000",
      maxGasPriceWei: "9000000000",
      blockGasTarget: 200_000,
      ethMarketId: "btcusdc",
      waiverMultiple: 10,
    };
    const { alice, bob, clock, setMark } = await world(
      { gasFee, choices: { waiveGasFeeMinimumAmount: "dynamic", gasPriceUnit: "wei" } },
      { steadyMark: true },
    );
    // 100,000 gas at 1 gwei are 0.0001 ETH: 3 quote at 30,000, of which the waiver is ten times.
    expect((await info(alice)).gasFeeInfo).toEqual({
      gasLimit: "100000",
      gasPrice: "1000000000",
      lastEthIndexPrice: "30000",
      waiveGasFeeMinimumAmount: "30",
    });
    setMark(40_000);
    expect((await info(alice)).gasFeeInfo).toMatchObject({
      lastEthIndexPrice: "40000",
      waiveGasFeeMinimumAmount: "40",
    });
    for (let count = 0; count < 4; count += 1) await trade(alice, bob, "BUY", "40000", "0.1");
    await clock.runFor(2000);
    const { gasPrice, waiveGasFeeMinimumAmount } = (await info(alice)).gasFeeInfo;
    expect([Number(gasPrice) > 1_000_000_000, Number(waiveGasFeeMinimumAmount) > 40]).toEqual([
      true,
      true,
    ]);
    await clock.runFor(60_000);
    expect((await info(alice)).gasFeeInfo.gasPrice).toBe("1000000000");
  },
);

conforms("I2", "exchange", "a market has every field, its OrderType so spelled", async () => {
  const { alice } = await world();
  const [market] = (await info(alice)).markets;
  expectRecord(market, "market");
  expect(market).toMatchObject({
    id: "btcusdc",
    pair: "btcusdc",
    symbol: "btcusdc",
    OrderType: ["LIMIT", "MARKET"],
    stage: "TRADING",
    status: "TRADING",
  });
  expect(market.timeInForce).toEqual(expect.arrayContaining(["GTC", "IOC", "FOK", "POST_ONLY"]));
  expectRecord(market.indexPriceSource, "priceSource");
  expectRecord(market.markPriceSource, "priceSource");
  const kinds = market.filters.map(
    ({ filterType }: { filterType: keyof typeof TABLES }) => filterType,
  );
  expect(kinds).toEqual([
    "PRICE_FILTER",
    "AMOUNT_FILTER",
    "MARKET_AMOUNT_FILTER",
    "MAX_OPEN_ORDERS_FILTER",
  ]);
  for (const filter of market.filters) expectRecord(filter, filter.filterType);
});

conforms(
  "I2",
  "exchange",
  "suspendedAt is null until the market is suspended, and again when it trades",
  async () => {
    const { alice, exchange, clock } = await world();
    expect((await info(alice)).markets[0]).toMatchObject({ suspendedAt: null, liquidatedAt: null });
    await clock.runFor(5000);
    exchange.setMarketStatus("btcusdc", "SUSPENDED");
    expect((await info(alice)).markets[0]).toMatchObject({
      suspendedAt: clock.nowMs(),
      liquidatedAt: null,
      status: "SUSPENDED",
    });
    exchange.setMarketStatus("btcusdc", "TRADING");
    expect((await info(alice)).markets[0]).toMatchObject({ suspendedAt: null, status: "TRADING" });
  },
);

/** The answer's code to placing at a price and amount: 200 where it was taken. */
async function outcome(
  trader: Trader,
  price: string,
  amount: string,
  options: Parameters<Trader["place"]>[3] = {},
): Promise<number> {
  const { status, json } = await trader.place("BUY", price, amount, options);
  return status === 200 ? 200 : json.code;
}

const filterOf = async (trader: Trader, filterType: string) =>
  (await info(trader)).markets[0].filters.find(
    (filter: { filterType: string }) => filter.filterType === filterType,
  );

conforms(
  "I3",
  "exchange",
  "a price is taken between the bounds and on the tick, and nowhere else",
  async () => {
    const { alice } = await world({
      markets: { btcusdc: { tickSize: "0.5", priceQuote: { min: "10", max: "50000" } } },
    });
    expect(await filterOf(alice, "PRICE_FILTER")).toEqual({
      filterType: "PRICE_FILTER",
      minPrice: "10",
      maxPrice: "50000",
      tickSize: "0.5",
    });
    expect([
      await outcome(alice, "10", "0.1"),
      await outcome(alice, "50000", "0.1"),
      await outcome(alice, "10.5", "0.1"),
    ]).toEqual([200, 200, 200]);
    expect(await outcome(alice, "50000.5", "0.1")).toBe(4010);
    expect(await outcome(alice, "9.5", "0.1")).toBe(4011);
    expect(await outcome(alice, "100.25", "0.1")).toBe(2016);
  },
);

conforms(
  "I4",
  "exchange",
  "a LIMIT amount is taken between its bounds and on the step, and nowhere else",
  async () => {
    const { alice } = await world({
      markets: {
        btcusdc: {
          stepSize: "0.02",
          amountBase: { min: "0.04", max: "0.2" },
          marketAmountBase: { min: "0.02", max: "10" },
        },
      },
    });
    expect(await filterOf(alice, "AMOUNT_FILTER")).toEqual({
      filterType: "AMOUNT_FILTER",
      minAmount: "0.04",
      maxAmount: "0.2",
      stepSize: "0.02",
    });
    expect([await outcome(alice, "100", "0.04"), await outcome(alice, "100", "0.2")]).toEqual([
      200, 200,
    ]);
    expect([
      await outcome(alice, "100", "0.02"),
      await outcome(alice, "100", "0.22"),
      await outcome(alice, "100", "0.05"),
    ]).toEqual([2016, 2016, 2016]);
  },
);

conforms("I5", "exchange", "a MARKET amount has bounds of its own", async () => {
  const { alice } = await world({
    markets: {
      btcusdc: {
        stepSize: "0.02",
        amountBase: { min: "0.04", max: "0.2" },
        marketAmountBase: { min: "0.02", max: "0.1" },
      },
    },
  });
  expect(await filterOf(alice, "MARKET_AMOUNT_FILTER")).toMatchObject({
    minAmount: "0.02",
    maxAmount: "0.1",
    stepSize: "0.02",
  });
  const market = { type: "MARKET", timeInForce: "IOC" };
  expect([
    await outcome(alice, "100", "0.02", market),
    await outcome(alice, "100", "0.1", market),
  ]).toEqual([200, 200]);
  expect([
    await outcome(alice, "100", "0.12", market),
    await outcome(alice, "100", "0.03", market),
  ]).toEqual([2016, 2016]);
  expect(await outcome(alice, "100", "0.12")).toBe(200);
});

conforms(
  "I6",
  "exchange",
  "no more orders rest than the filter says; those that cannot rest, and those of others, are not counted",
  async () => {
    const { alice, bob } = await world({ markets: { btcusdc: { maxOpenOrders: 2 } } });
    expect(await filterOf(alice, "MAX_OPEN_ORDERS_FILTER")).toEqual({
      filterType: "MAX_OPEN_ORDERS_FILTER",
      limit: 2,
    });
    const { id } = (await alice.place("BUY", "100", "0.1")).json;
    expect(await outcome(alice, "101", "0.1")).toBe(200);
    expect(await outcome(alice, "102", "0.1")).toBe(2017);
    expect(await outcome(alice, "102", "0.1", { timeInForce: "IOC" })).toBe(200);
    expect(await outcome(bob, "102", "0.1")).toBe(200);
    expect((await alice.cancel(id)).status).toBe(204);
    expect(await outcome(alice, "102", "0.1")).toBe(200);
  },
);

conforms(
  "I7",
  "exchange",
  "both rate limits are listed with interval and limit as they are in force",
  async () => {
    const { alice } = await world({ rateLimits: { common: 77, order: 33, intervalMs: 30_000 } });
    expect((await info(alice)).rateLimits).toEqual([
      { name: "COMMON", intervalSeconds: 30, limit: 77 },
      { name: "ORDER", intervalSeconds: 30, limit: 33 },
    ]);
  },
);
