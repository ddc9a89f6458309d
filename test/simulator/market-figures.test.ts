import { describe, expect, it } from "vitest";
import { marked } from "./marked-market.js";
import { type ReferenceClient, START_MS } from "./reference-client.js";
import { StreamReader } from "./stream-reader.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function trade(
  maker: ReferenceClient,
  taker: ReferenceClient,
  price: string,
  amount: string,
): void {
  maker.place("SELL", price, amount);
  expect(taker.place("BUY", price, amount, { timeInForce: "IOC" }).status).toBe(200);
}

function world() {
  const made = marked({
    markets: { btcusdc: { makerFeeRate: "0", takerFeeRate: "0", maxExposureQuote: "100000000" } },
  });
  const contract = () => made.alice.raw("GET", "/v1/contracts").json.contracts[0];
  const state = () => {
    const reader = new StreamReader(made.exchange, "/v1/single/btcusdc@market");
    reader.connection.closed();
    return reader.take()[0];
  };
  return { ...made, contract, state };
}

describe("a market's live figures", () => {
  it("of a market that never traded are zero or the mark, and every field of the summary is there", () => {
    const { contract, state } = world();
    expect(contract()).toEqual({
      ticker_id: "btcusdc",
      base_currency: "BTC",
      quote_currency: "USDC",
      last_price: "0",
      base_volume: "0",
      quote_volume: "0",
      high: "0",
      low: "0",
      product_type: "PERP",
      open_interest: "0",
      index_price: "30000",
      index_name: "BTC/USDC",
      index_currency: "USDC",
      start_timestamp: String(START_MS - DAY_MS),
      end_timestamp: String(START_MS),
      funding_rate: "0",
      next_funding_rate: "0",
      next_funding_rate_timestamp: String(Math.ceil(START_MS / (8 * HOUR_MS)) * 8 * HOUR_MS),
    });
    expect(state()).toEqual({
      fundingRate: "0",
      nextFundingTime: Math.ceil(START_MS / (8 * HOUR_MS)) * 8 * HOUR_MS,
      markPrice: "30000",
      indexPrice: "30000",
      lastTradePrice: "0",
      liquidationPriceOff: "0.01",
      liquidationThreshold: "0.03",
      openInterest: "0",
      "24hVolume": "0",
      price24HAgo: "0",
      "24hQuoteVolume": "0",
      offchainMarkPrice: "30000",
      offchainMarkPrice24HAgo: "30000",
    });
  });

  it("follow the trades of the last 24 hours as they come and as they go", async () => {
    const { alice, bob, clock, contract, setMark, state } = world();
    trade(alice, bob, "30000", "0.1");
    await clock.runFor(HOUR_MS);
    setMark(30_100);
    trade(alice, bob, "30200", "0.2");
    await clock.runFor(HOUR_MS);
    trade(alice, bob, "29900", "0.3");
    expect(contract()).toMatchObject({
      last_price: "29900",
      base_volume: "0.6",
      quote_volume: "18010",
      high: "30200",
      low: "29900",
    });
    expect(state()).toMatchObject({
      "24hVolume": "0.6",
      "24hQuoteVolume": "18010",
      price24HAgo: "30000",
      lastTradePrice: "29900",
    });
    await clock.runFor(DAY_MS - HOUR_MS);
    expect(state(), "the first trade is out, and was the price a day ago").toMatchObject({
      "24hVolume": "0.5",
      "24hQuoteVolume": "15010",
      price24HAgo: "30000",
      offchainMarkPrice24HAgo: "30000",
    });
    await clock.runFor(HOUR_MS / 2);
    expect(state()).toMatchObject({
      "24hVolume": "0.3",
      price24HAgo: "30200",
      offchainMarkPrice24HAgo: "30100",
    });
    expect(contract()).toMatchObject({ base_volume: "0.3", high: "29900", low: "29900" });
    await clock.runFor(HOUR_MS);
    expect(state()).toMatchObject({
      "24hVolume": "0",
      "24hQuoteVolume": "0",
      price24HAgo: "29900",
      lastTradePrice: "29900",
    });
    expect(contract(), "without a trade both extremes are the price that held").toMatchObject({
      high: "29900",
      low: "29900",
    });
  });

  it("count open interest once for every long and its short, and take it off when they close", () => {
    const { alice, bob, carol, contract, state } = world();
    trade(alice, bob, "30000", "0.5");
    expect(state().openInterest).toBe("0.5");
    trade(bob, carol, "30000", "0.2");
    expect(state().openInterest, "bob has handed a part on").toBe("0.5");
    trade(bob, alice, "30000", "0.3");
    expect([state().openInterest, contract().open_interest]).toEqual(["0.2", "0.2"]);
  });

  it("state index and mark as the order flow refers to them, and the off-chain mark as the index with the book's mean basis", async () => {
    const { alice, clock, setMark, state } = world();
    setMark(30_006, 30_000);
    expect(state()).toMatchObject({
      markPrice: "30006",
      indexPrice: "30000",
      offchainMarkPrice: "30000",
    });
    alice.place("BUY", "30010", "0.1");
    alice.place("SELL", "30030", "0.1");
    await clock.runFor(10_000);
    expect(state().offchainMarkPrice).toBe("30020");
    alice.call("DELETE", "/v1/allOpenOrders");
    alice.place("BUY", "30025", "0.1");
    alice.place("SELL", "30045", "0.1");
    await clock.runFor(15_000);
    // Ten samples of a basis of 20 and fifteen of 35.
    expect(state().offchainMarkPrice).toBe("30029");
    await clock.runFor(30_000);
    expect(state().offchainMarkPrice, "thirty readings, and no more").toBe("30035");
    setMark(30_106, 30_100);
    expect(state().offchainMarkPrice).toBe("30135");
  });

  it("are sent each second to the market's followers", async () => {
    const { exchange, clock, setMark } = world();
    const reader = new StreamReader(exchange, "/v1/single/btcusdc@market");
    reader.take();
    setMark(30_001);
    await clock.runFor(999);
    expect(reader.take()).toEqual([]);
    await clock.runFor(1);
    expect(reader.take()).toMatchObject([{ markPrice: "30001" }]);
  });
});
