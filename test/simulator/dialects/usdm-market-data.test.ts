import { describe, expect, it } from "vitest";
import { ReferenceClient, START_MS } from "../reference-client.js";
import { usdmWorld } from "./usdm-world.js";

/** A world in which a client of the exchange's own interface rests a bid and an ask. */
function quoted() {
  const world = usdmWorld();
  const maker = new ReferenceClient(world.exchange, () => world.clock.nowMs()).register();
  maker.place("BUY", "30000", "0.5");
  maker.place("SELL", "30001", "0.25");
  return { ...world, maker };
}

describe("public market data of the dialect", () => {
  it("lists the market with the exchange's own rules as filters", () => {
    const { alice } = quoted();
    const { symbols, rateLimits } = alice.send("GET", "/v1/exchangeInfo").json;

    expect(symbols).toHaveLength(1);
    expect(symbols[0]).toMatchObject({
      symbol: "BTCUSDC",
      contractType: "PERPETUAL",
      status: "TRADING",
      marginAsset: "USDC",
      pricePrecision: 1,
      quantityPrecision: 3,
      onboardDate: START_MS,
      maintMarginPercent: "3.0000",
      requiredMarginPercent: "5.0000",
    });
    expect(symbols[0].filters).toEqual([
      { filterType: "PRICE_FILTER", minPrice: "0.1", maxPrice: "10000000.0", tickSize: "0.1" },
      { filterType: "LOT_SIZE", minQty: "0.001", maxQty: "1000.000", stepSize: "0.001" },
      { filterType: "MARKET_LOT_SIZE", minQty: "0.001", maxQty: "100.000", stepSize: "0.001" },
      { filterType: "MAX_NUM_ORDERS", limit: 200 },
      { filterType: "MAX_NUM_ALGO_ORDERS", limit: 0 },
      { filterType: "MIN_NOTIONAL", notional: "5" },
      {
        filterType: "PERCENT_PRICE",
        multiplierUp: "1.15",
        multiplierDown: "0.85",
        multiplierDecimal: "4",
      },
    ]);
    expect(rateLimits).toContainEqual({
      rateLimitType: "REQUEST_WEIGHT",
      interval: "MINUTE",
      intervalNum: 1,
      limit: 2400,
    });
  });

  it("shows the engine's book, trades, bars and tickers", () => {
    const { alice, maker, exchange } = quoted();
    maker.place("SELL", "30000", "0.1", { timeInForce: "IOC" });
    const taker = new ReferenceClient(
      exchange,
      maker.nowMs,
      "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    ).register();
    maker.place("BUY", "30000", "0.5");
    taker.place("SELL", "30000", "0.1", { timeInForce: "IOC" });
    const symbol = "BTCUSDC";

    const depth = alice.send("GET", "/v1/depth", { symbol, limit: 5 }).json;
    expect([depth.bids, depth.asks]).toEqual([[["30000.0", "0.400"]], [["30001.0", "0.250"]]]);
    expect(depth.lastUpdateId).toBe(exchange.book("btcusdc").sequence);
    const [trade] = alice.send("GET", "/v1/trades", { symbol }).json;
    expect(trade).toMatchObject({
      price: "30000.0",
      qty: "0.100",
      quoteQty: "3000",
      isBuyerMaker: true,
    });
    expect(alice.send("GET", "/v1/historicalTrades", { symbol, fromId: trade.id }).json).toEqual([
      trade,
    ]);
    expect(alice.send("GET", "/v1/aggTrades", { symbol }).json).toEqual([
      { a: trade.id, p: "30000.0", q: "0.100", f: trade.id, l: trade.id, T: trade.time, m: true },
    ]);
    const [bar] = alice.send("GET", "/v1/klines", { symbol, interval: "1m" }).json;
    expect(bar.slice(1, 6)).toEqual(["30000.0", "30000.0", "30000.0", "30000.0", "0.100"]);
    expect(bar[6] - bar[0]).toBe(59_999);
    expect(alice.send("GET", "/v1/ticker/24hr", { symbol }).json).toMatchObject({
      lastPrice: "30000.0",
      volume: "0.100",
      quoteVolume: "3000",
      weightedAvgPrice: "30000",
    });
    expect(alice.send("GET", "/v1/ticker/bookTicker").json).toMatchObject([
      { symbol, bidPrice: "30000.0", bidQty: "0.400", askPrice: "30001.0", askQty: "0.250" },
    ]);
    expect(alice.send("GET", "/v2/ticker/price", { symbol }).json.price).toBe("30000.0");
    expect(alice.send("GET", "/v1/premiumIndex", { symbol }).json).toMatchObject({
      markPrice: "30000.5",
      indexPrice: "30000.5",
    });
    expect(alice.send("GET", "/v1/openInterest", { symbol }).json.openInterest).toBe("0.1");
    expect(alice.send("GET", "/v1/fundingRate", { symbol }).json).toMatchObject([
      { symbol, fundingRate: "0" },
    ]);
    expect(alice.send("GET", "/v1/fundingInfo").json[0].fundingIntervalHours).toBe(8);
  });

  it("counts the weight of each request and reports it in a header", () => {
    const { alice } = quoted();
    const used = (path: string, values = {}) =>
      Number(alice.send("GET", path, values).headers["x-mbx-used-weight-1m"]);

    expect(used("/v1/ping")).toBe(1);
    expect(used("/v1/depth", { symbol: "BTCUSDC", limit: 1000 })).toBe(21);
    expect(used("/v1/ticker/24hr")).toBe(61);
  });
});
