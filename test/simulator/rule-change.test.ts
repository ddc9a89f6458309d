import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { orderFlowFactory } from "#simulator/flow-config.js";
import type { RuleChange } from "#simulator/rule-change.js";
import { traders } from "./reference-client.js";

const COARSER = {
  tickSize: "0.5",
  priceQuote: { min: "0.5" },
  stepSize: "0.004",
  amountBase: { min: "0.004" },
  marketAmountBase: { min: "0.004" },
} as const satisfies RuleChange;
const TWO = {
  markets: {
    btcusdc: {},
    ethusdc: { tickSize: "0.01", priceQuote: { min: "0.01" }, baseAsset: "ETH" },
  },
};

describe("a market whose rules change while it runs", () => {
  it("reports them at once and accepts new orders only by them, for two markets at the same time", () => {
    const { alice, exchange } = traders(TWO);
    exchange.setMarketRules("btcusdc", COARSER);
    exchange.setMarketRules("ethusdc", {
      maxOpenOrders: 1,
      priceQuote: { max: "5000" },
      makerFeeRate: "0.0002",
    });
    const [btc, eth] = alice.raw("GET", "/v1/exchangeInfo").json.markets;
    expect(btc.filters.slice(0, 3)).toMatchObject([
      { minPrice: "0.5", maxPrice: "10000000", tickSize: "0.5" },
      { minAmount: "0.004", maxAmount: "1000", stepSize: "0.004" },
      { minAmount: "0.004", maxAmount: "100", stepSize: "0.004" },
    ]);
    expect(eth.filters).toMatchObject([
      { minPrice: "0.01", maxPrice: "5000", tickSize: "0.01" },
      {},
      {},
      { limit: 1 },
    ]);
    expect(eth.makerFee).toBe("0.0002");

    const codes = (
      marketId: string,
      orders: readonly (readonly [price: string, amount: string])[],
      makerRate?: bigint,
    ) =>
      orders.map(([price, amount]) => {
        const { status, json } = alice.place("BUY", price, amount, {
          marketId,
          ...(makerRate !== undefined && { makerRate }),
        });
        return status === 200 ? 200 : json.code;
      });
    expect(
      codes("btcusdc", [
        ["30000.5", "0.04"],
        ["30000.4", "0.04"],
        ["30000.5", "0.041"],
        ["0.1", "0.04"],
      ]),
    ).toEqual([200, 2016, 2016, 4011]);
    expect(codes("ethusdc", [["2000.01", "1"]], -(10n ** 14n))).toEqual([4012]);
    expect(
      codes("ethusdc", [
        ["5000.01", "1"],
        ["2000.01", "1"],
        ["2000.02", "1"],
      ]),
    ).toEqual([4010, 200, 2017]);
  });

  it("keeps resting orders with their price, amount, fee rates and place until they are filled or cancelled", async () => {
    const { alice, bob, clock, exchange } = traders();
    const { id } = alice.place("SELL", "30000.1", "0.007").json;
    const { id: other } = alice.place("SELL", "30000.3", "0.007").json;
    exchange.setMarketRules("btcusdc", {
      ...COARSER,
      makerFeeRate: "0.0005",
      takerFeeRate: "0.0009",
    });
    expect(alice.openOrders()).toMatchObject([
      { availableAmount: "0.007" },
      { availableAmount: "0.007" },
    ]);
    expect(bob.raw("GET", "/v1/orderbook", { marketId: "btcusdc" }).json.asks).toEqual([
      ["30000.1", "0.007"],
      ["30000.3", "0.007"],
    ]);

    bob.place("BUY", "30000.5", "0.008", { timeInForce: "IOC" });
    await clock.runFor(5_000);
    expect(alice.openOrders()).toMatchObject([
      { id: other, availableAmount: "0.006", filledAmount: "0.001" },
    ]);
    const [first] = alice.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json;
    // 0.007 at 30000.1 is 210.0007: a rebate of a ten-thousandth, as signed.
    expect(first).toMatchObject({ price: "30000.1", amount: "0.007", commission: "-0.021" });
    expect(bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json[0]).toMatchObject({
      commission: "0.189",
    });
    expect(
      alice.call("GET", "/v1/order", { marketId: "btcusdc", orderId: String(id) }).json.status,
    ).toBe("FILLED");
    expect(alice.cancel(other).status).toBe(204);
    expect(exchange.audit().isConserved).toBe(true);
    exchange.stop();
  });

  it("requires the margin of the new leverage at once, and lets accounts below the new maintenance only reduce", async () => {
    const { alice, bob, clock, exchange } = traders({ creditOnRegistration: "1000" });
    bob.place("SELL", "30000", "0.4");
    alice.place("BUY", "30000", "0.4");
    alice.place("BUY", "20000", "0.1");
    await clock.runFor(5_000);
    const margin = () => alice.call("GET", "/v1/balances").json.balances.positionMargin;
    expect(margin()).toBe("600");
    exchange.setMarketRules("btcusdc", { maxLeverage: 15 });
    expect(margin()).toBe("800");
    expect(alice.openOrders()).toHaveLength(1);
    exchange.setMarketRules("btcusdc", { maxLeverage: 5, liquidationThreshold: "0.15" });
    expect(alice.openOrders()).toEqual([]);
    expect(alice.place("BUY", "20000", "0.1").json).toMatchObject({ code: 2012 });
    exchange.setMarketRules("btcusdc", { maxLeverage: 20, liquidationThreshold: "0.03" });
    expect(alice.place("BUY", "20000", "0.1").status).toBe(200);
    exchange.stop();
  });

  it.each<[string, Record<string, unknown>]>([
    ["markets.btcusdc.tickSize", { tickSize: "0.05", priceQuote: { min: "0.05" } }],
    [
      "markets.btcusdc.stepSize",
      {
        ...COARSER,
        stepSize: "0.0025",
        amountBase: { min: "0.005" },
        marketAmountBase: { min: "0.005" },
      },
    ],
    ["markets.btcusdc.priceQuote.min", { tickSize: "0.5" }],
    ["markets.btcusdc.makerFeeRate", { makerFeeRate: "a lot" }],
    ["markets.btcusdc.liquidationThreshold", { maxLeverage: 100 }],
    ["markets.btcusdc.perp", { perp: `0x${"12".repeat(20)}` }],
  ])("refuses what it cannot have, by name: %s", (field, change) => {
    const { exchange } = traders();
    let refused: unknown;
    try {
      exchange.setMarketRules("btcusdc", change as RuleChange);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(ConfigError);
    expect(refused).toMatchObject({ field });
    expect(exchange.market("btcusdc").rules.config).toBe(exchange.market("btcusdc").configured);
  });

  it("has its order flow place on the new grid too", async () => {
    const config = {
      markets: { btcusdc: { flow: { kind: "synthetic", startPriceQuote: 30_000 } } },
    } as const;
    const flowOf = orderFlowFactory(parseExchangeConfig(config), {
      baseFolder: ".",
      onReplayEnd: () => {},
    });
    const { exchange, clock } = traders(config, { createFlow: flowOf });
    await clock.runFor(5_000);
    exchange.setMarketRules("btcusdc", COARSER);
    await clock.runFor(120_000);
    const { bids, asks } = exchange.book("btcusdc");
    expect(bids.length + asks.length).toBeGreaterThan(10);
    expect([...bids, ...asks].filter(([ticks]) => ticks % 5 !== 0)).toEqual([]);
    exchange.stop();
  });
});
