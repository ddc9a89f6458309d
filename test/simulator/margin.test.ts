import { describe, expect, it } from "vitest";
import { marked } from "./marked-market.js";

describe("initial margin on order entry", () => {
  it("lets an account buy exactly what availableCreditAmounts says, and not one lot more", () => {
    const { alice } = marked({ creditOnRegistration: "1500" });
    expect(alice.balances().balances.availableCreditAmounts.btcusdc).toEqual({
      buy: "30000",
      sell: "30000",
    });
    expect(alice.place("BUY", "30000", "1.001").json).toMatchObject({
      code: 2012,
      codeText: "Margin insufficient",
    });
    expect(alice.place("BUY", "30000", "1").status).toBe(200);
    expect(alice.balances().balances).toMatchObject({
      availableCreditAmounts: { btcusdc: { buy: "0", sell: "30000" } },
      frozenMargin: "1500",
      availableMargin: "0",
    });
  });

  it("counts both sides of a quote once: only the worse one can fill against the margin", () => {
    const { alice } = marked({ creditOnRegistration: "1500" });
    expect(alice.place("BUY", "30000", "1").status).toBe(200);
    expect(alice.place("SELL", "30001", "0.999").status).toBe(200);
    expect(alice.balances().balances.frozenMargin).toBe("1500");
  });

  it("values a SELL far below the market at the mark, the price at which it would trade", () => {
    const { alice } = marked({ creditOnRegistration: "1500" });
    expect(alice.place("SELL", "100", "1.001", { timeInForce: "IOC" }).json).toMatchObject({
      code: 2012,
    });
  });

  it("always accepts an order that only reduces, even at a price above the mark", () => {
    const { alice, bob } = marked({ creditOnRegistration: "1500" });
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    expect(alice.place("SELL", "31000", "1").status).toBe(200);
    expect(alice.balances().balances.frozenMargin).toBe("0");
  });

  it("says 4013 where the market's exposure limit binds and more margin would not help", () => {
    const { alice } = marked({ markets: { btcusdc: { maxExposureQuote: "60000" } } });
    expect(alice.balances().balances.availableCreditAmounts.btcusdc).toEqual({
      buy: "60000",
      sell: "60000",
    });
    expect(alice.place("BUY", "30000", "2.001").json).toMatchObject({ code: 4013 });
    expect(alice.place("BUY", "30000", "2").status).toBe(200);
  });

  it("is one margin for all markets", () => {
    const { alice } = marked({
      creditOnRegistration: "1500",
      markets: { btcusdc: {}, ethusdc: {} },
    });
    expect(alice.place("BUY", "30000", "0.5").status).toBe(200);
    expect(alice.balances().balances.availableCreditAmounts.ethusdc).toEqual({
      buy: "15000",
      sell: "15000",
    });
  });
});

describe("below maintenance margin", () => {
  it("cancels the account's orders and lets it only reduce, until it is safe again", () => {
    const { alice, bob, setMark } = marked({ creditOnRegistration: "2000" });
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    alice.place("BUY", "29000", "0.01");
    // Net value 2000 - 1140 = 860; maintenance 0.03 x 28,860 = 865.8.
    setMark(28_860);
    expect(alice.balances().balances).toMatchObject({ netValue: "860", isSafe: false });
    expect(
      alice
        .openOrders()
        .filter((order: { availableAmount: string }) => order.availableAmount !== "0"),
    ).toEqual([]);
    expect(alice.place("BUY", "28000", "0.001").json).toMatchObject({ code: 2012 });
    expect(alice.place("SELL", "28900", "1.001").json).toMatchObject({ code: 2012 });
    expect(alice.place("SELL", "28900", "0.5").status).toBe(200);
    setMark(30_000);
    expect(alice.place("BUY", "28000", "0.001").status).toBe(200);
  });

  it("lists the account as high-risk from 80 % of risk on, read at most once a second", async () => {
    const { alice, bob, setMark, clock } = marked({ creditOnRegistration: "2000" });
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    expect(alice.raw("GET", "/v1/riskyAccounts").json).toEqual([]);
    // Net value 1,000; maintenance 0.03 x 29,000 = 870.
    setMark(29_000);
    expect(alice.raw("GET", "/v1/riskyAccounts").json).toEqual([]);
    await clock.runFor(1000);
    expect(alice.raw("GET", "/v1/riskyAccounts").json).toMatchObject([
      {
        account: alice.address,
        isSafe: true,
        risk: "0.87",
        positions: [{ side: "LONG", size: "1" }],
      },
    ]);
  });

  it("is detected at the trade that brings an account there", () => {
    const { alice, bob } = marked({ creditOnRegistration: "2000" });
    bob.place("SELL", "31200", "1");
    alice.place("BUY", "29000", "0.01");
    // At the mark of 30,000 the buyer has lost 1,200 at once: 800 left, 900 needed.
    alice.place("BUY", "31200", "1");
    expect(alice.balances().balances.isSafe).toBe(false);
    expect(alice.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { price: "29000", status: "CANCELED" },
    ]);
  });

  it("has the liquidation price that the contracts have", () => {
    const { alice, bob } = marked({
      creditOnRegistration: "10000",
      markets: { btcusdc: { makerFeeRate: "0.0001", takerFeeRate: "0.0005" } },
    });
    // The published case of 10,000 credit, one BTC at 30,000, the taker long:
    // docs/reference/protocol.md#reference-cases.
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    expect(alice.balances().positions[0]).toMatchObject({
      side: "LONG",
      liquidationPrice: "20634.020618",
    });
    expect(bob.balances().positions[0]).toMatchObject({
      side: "SHORT",
      liquidationPrice: "38832.038834",
    });
  });
});

describe("funding", () => {
  it("has longs pay shorts rate times mark for each base unit, on the boundary of the interval", async () => {
    const { alice, bob, clock, exchange } = marked({
      markets: {
        btcusdc: {
          makerFeeRate: "0",
          takerFeeRate: "0",
          funding: { mode: "fixed", intervalMs: 3_600_000, rate: "0.0001" },
        },
      },
    });
    bob.place("SELL", "30000", "0.5");
    alice.place("BUY", "30000", "0.5");
    await clock.runFor(3_600_000);
    expect(alice.balances().balances.netValue).toBe("99998.5");
    expect(bob.balances().balances.netValue).toBe("100001.5");
    expect(
      alice.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "FUNDING_FEE" }).json,
    ).toMatchObject([{ type: "FUNDING_FEE", amount: "-1.5", marketId: "btcusdc" }]);
    const record = alice.raw("GET", "/v1/fundingRate", { marketId: "btcusdc" }).json.at(-1);
    expect(record).toMatchObject({ marketId: "btcusdc", fundingRate: "0.0001" });
    expect(record.fundingTime % 3_600_000).toBe(0);
    expect(exchange.audit().isConserved).toBe(true);
  });
});

describe("incomes", () => {
  it("are every change of the settled credit, so that they sum to it", async () => {
    const { alice, bob, clock, exchange } = marked({ markets: { btcusdc: {} } });
    bob.place("SELL", "30000", "0.5");
    alice.place("BUY", "30000", "0.5");
    bob.place("BUY", "29000", "0.2");
    alice.place("SELL", "29000", "0.2");
    await clock.runFor(2000);
    const incomes = alice.call("GET", "/v1/incomes", { marketId: "btcusdc" }).json;
    const sum = incomes.reduce(
      (total: number, income: { amount: string }) =>
        total + Math.round(Number(income.amount) * 1e6),
      0,
    );
    const account = exchange.account(alice.address);
    expect(BigInt(sum)).toBe(
      (account?.settledPrimaryCredit ?? 0n) +
        (account?.inMarket("btcusdc").position.settled.credit ?? 0n),
    );
    expect(new Set(incomes.map((income: { type: string }) => income.type))).toEqual(
      new Set(["DEPOSIT", "BUY", "SELL", "TAKER_FEE"]),
    );
  });
});

describe("a position", () => {
  it("keeps its figures over open, add, reduce, close and flip", () => {
    const { alice, bob } = marked();
    const trade = (side: "BUY" | "SELL", price: string, amount: string) => {
      bob.place(side === "BUY" ? "SELL" : "BUY", price, amount);
      alice.place(side, price, amount);
      return alice.call("GET", "/v1/positions").json[0];
    };
    expect(trade("BUY", "30000", "1")).toMatchObject({
      side: "LONG",
      size: "1",
      entryPrice: "30000",
      sumOpen: "1",
      sumClose: "0",
    });
    expect(trade("BUY", "30300", "2")).toMatchObject({
      size: "3",
      entryPrice: "30200",
      maxSize: "3",
      sumOpen: "3",
    });
    expect(trade("SELL", "30500", "1")).toMatchObject({
      size: "2",
      entryPrice: "30200",
      exitPrice: "30500",
      realizedPnl: "300",
    });
    const closed = trade("SELL", "30400", "2");
    expect(closed).toMatchObject({
      status: "CLOSED",
      size: "0",
      realizedPnl: "700",
      sumOpen: "3",
      sumClose: "3",
      maxSize: "3",
    });
    expect(closed.closedAt).toBeTypeOf("number");
    expect(closed).not.toHaveProperty("lastUpdatedAt");
    trade("BUY", "30000", "1");
    expect(trade("SELL", "30100", "3")).toMatchObject({
      side: "SHORT",
      status: "OPEN",
      size: "2",
      entryPrice: "30100",
      realizedPnl: "0",
      sumOpen: "2",
      closedAt: null,
      unrealizedPnl: "200",
    });
  });

  it("is not listed after it closed, if the venue chose that", () => {
    const { alice, bob } = marked({ choices: { closedPositions: "omit" } });
    for (const [ours, theirs] of [
      ["BUY", "SELL"],
      ["SELL", "BUY"],
    ] as const) {
      bob.place(theirs, "30000", "1");
      alice.place(ours, "30000", "1");
    }
    expect(alice.call("GET", "/v1/positions").json).toEqual([]);
  });

  it("drops an earlier trade that failed, as if it had never been made", async () => {
    // A rate of one half and a fixed seed: some of the five settle, some fail.
    const { alice, bob, clock, exchange } = marked({ settlement: { failureRate: 0.5 }, seed: 3 });
    for (const price of ["30000", "30100", "30200", "30300", "30400"]) {
      bob.place("SELL", price, "1");
      alice.place("BUY", price, "1");
    }
    await clock.runFor(2000);
    const trades = alice.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json as {
      status: string;
      price: string;
    }[];
    const kept = trades
      .filter((trade) => trade.status === "SETTLED")
      .map((trade) => Number(trade.price));
    expect(kept.length).toBeLessThan(trades.length);
    expect(kept.length).toBeGreaterThan(0);
    const [position] = alice.call("GET", "/v1/positions").json;
    expect(Number(position.size)).toBe(kept.length);
    expect(Number(position.entryPrice)).toBeCloseTo(
      kept.reduce((sum, price) => sum + price, 0) / kept.length,
      6,
    );
    expect(exchange.audit().isConserved).toBe(true);
  });
});
