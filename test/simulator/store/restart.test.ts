import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { createOrderFlow, parseFlowConfig } from "#simulator/flow-config.js";
import { KEYS, namedSignatures, ReferenceClient, START_MS } from "../reference-client.js";
import { MemoryRecords } from "./memory-records.js";
import {
  type Input,
  laterBy,
  MARKETS,
  made,
  started,
  traded,
  traders,
} from "./restarted-exchange.js";

describe("an exchange that was away for a while", () => {
  it("settles overdue trades at once, and the rest when they are due", async () => {
    const { records } = await traded({ settlement: { delayMs: 5000 } });
    for (const [awayMs, settled] of [
      [6000, true],
      [2000, false],
    ] as const) {
      const clock = laterBy(awayMs);
      const { exchange, bob } = started(records.copy(), clock, { settlement: { delayMs: 5000 } });
      await clock.runFor(0);
      expect(exchange.unsettledTrades).toBe(settled ? 0 : 1);
      await clock.runFor(2999);
      expect(exchange.unsettledTrades).toBe(settled ? 0 : 1);
      await clock.runFor(1);
      expect(exchange.unsettledTrades).toBe(0);
      expect(bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json[0].status).toBe(
        "SETTLED",
      );
      expect(exchange.audit()).toMatchObject({ isConserved: true });
      exchange.stop();
    }
  });

  it("refuses a repeated signed withdrawal, and forgets it once its timestamp is outside the window", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const { alice } = started(records, clock);
    const signed = alice.signed({ amount: "10" });
    expect(alice.raw("POST", "/withdraw", signed, "form").status).toBe(200);
    const back = started(records.copy(), laterBy(1000));
    expect(back.alice.raw("POST", "/withdraw", signed, "form").json).toMatchObject({ code: 1012 });
    expect(back.alice.balances().balances.netValue).toBe("99990");
    const kept = (store: MemoryRecords) => [...store.withPrefix("spent-request/")].length;
    const copy = records.copy();
    const later = laterBy(60_000);
    const { alice: aliceLater } = started(copy, later);
    expect(kept(copy)).toBe(1);
    for (let count = 0; count < 50; count += 1) {
      expect(aliceLater.call("POST", "/withdraw", { amount: "1" }).status).toBe(200);
      await later.runFor(1000);
    }
    expect(kept(copy)).toBeLessThan(10);
  });

  it("expires orders whose time ran out in the meantime", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const { alice } = started(records, clock);
    const { id } = alice.place("SELL", "30000", "0.5", {
      timeInForce: "GTT",
      expirationMs: START_MS + 90_000,
    }).json;
    const later = laterBy(100_000);
    const back = started(records.copy(), later);
    await later.runFor(0);
    expect(back.alice.openOrders()).toEqual([]);
    expect(
      back.alice.call("GET", "/v1/order", { marketId: "btcusdc", orderId: String(id) }).json.status,
    ).toBe("EXPIRED");
  });

  it("pays one funding for all the boundaries that passed, and the next on time", async () => {
    const { records } = await traded();
    const clock = laterBy(10 * 60_000);
    const { exchange, bob } = started(records, clock);
    await clock.runFor(30_000);
    expect(
      bob.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "FUNDING_FEE" }).json,
    ).toHaveLength(1);
    await clock.runFor(30_000);
    expect(
      bob.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "FUNDING_FEE" }).json,
    ).toHaveLength(2);
    exchange.stop();
  });

  it("never goes back in its records' time, though the machine's clock was set back", async () => {
    const { records, bob } = await traded();
    const before = bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json[0].time;
    const { alice } = started(records, laterBy(-3_600_000));
    expect(alice.place("BUY", "20000", "0.1").json.createdAt).toBeGreaterThanOrEqual(before);
  });

  it("accepts an order's hash once, and keeps the operators of accounts", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const first = started(records, clock);
    const order = first.alice.order("BUY", "20000", "0.1");
    expect(first.alice.call("POST", "/v1/order", order).status).toBe(200);
    first.alice.call("POST", "/operator", { operator: first.bob.address, isValid: "true" });
    const { alice, exchange, bob } = started(records.copy(), laterBy(1000));
    expect(alice.call("POST", "/v1/order", order).json.code).toBe(2016);
    expect([...(exchange.account(alice.address)?.operators ?? [])]).toEqual([
      bob.address.toLowerCase(),
    ]);
  });

  it("restores the queue of orders at one price", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const { alice, bob } = started(records, clock);
    alice.place("SELL", "30000", "0.1");
    bob.place("SELL", "30000", "0.1");
    alice.place("SELL", "30000", "0.1");
    const back = started(records.copy(), laterBy(1000));
    const carol = new ReferenceClient(
      back.exchange,
      () => START_MS + 1000,
      KEYS[2],
      "10.0.0.9",
      true,
    ).register();
    carol.place("BUY", "30000", "0.15");
    expect(back.bob.openOrders()).toMatchObject([{ availableAmount: "0.05" }]);
    expect(
      back.alice
        .openOrders()
        .map(({ availableAmount }: { availableAmount: string }) => availableAmount),
    ).toEqual(["0", "0.1"]);
  });
});

describe("a market with an order flow, killed", () => {
  it("comes back with the house's position and without its orders, one step of the book later", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const flow = { kind: "synthetic", startPriceQuote: 30_000 } as const;
    const config = parseExchangeConfig({ markets: { btcusdc: { flow } } });
    const exchange = new EmbeddedExchange(
      config,
      { clock, random: seededRandom("exchange") },
      {
        scheme: namedSignatures,
        records,
        createFlow: (marketId, restart) =>
          createOrderFlow(parseFlowConfig(flow), {
            marketId,
            restart,
            seed: "flow",
            baseFolder: ".",
            onReplayEnd: () => {},
          }),
      },
    );
    exchange.start();
    const { alice } = traders(exchange, clock);
    await clock.runFor(5000);
    alice.place("BUY", "29000", "0.7");
    alice.place("BUY", "31000", "0.3", { timeInForce: "IOC" });
    const before = exchange.book("btcusdc");
    const back = new EmbeddedExchange(
      config,
      { clock, random: seededRandom("other") },
      { scheme: namedSignatures, records: records.copy() },
    );
    expect(back.book("btcusdc")).toEqual({
      sequence: before.sequence + 1,
      bids: [[290_000, 700]],
      asks: [],
    });
    expect(back.audit()).toEqual(exchange.audit());
    expect(back.audit().isConserved).toBe(true);
    const held = back.house("btcusdc").inMarket("btcusdc").position.matched;
    expect({ ...held }).toEqual({
      ...exchange.house("btcusdc").inMarket("btcusdc").position.matched,
    });
    expect(back.market("btcusdc").prices.mark).toBe(exchange.market("btcusdc").prices.mark);
  });
});

describe("what a store is opened with", () => {
  it("goes on with other limits, rates and delays, and with one more market", async () => {
    const { records } = await traded();
    const back = made(records.copy(), laterBy(1000), {
      markets: {
        btcusdc: { ...MARKETS.btcusdc, tickSize: "0.10", takerFeeRate: "0.001", maxLeverage: 10 },
        ethusdc: {},
      },
      settlement: { delayMs: 1 },
    });
    expect(back.audit().isConserved).toBe(true);
    expect(back.book("ethusdc").bids).toEqual([]);
  });

  it("uses a market's status that was set last, by the venue or its file", async () => {
    const { records, exchange } = await traded();
    exchange.setMarketStatus("btcusdc", "SUSPENDED");
    expect(made(records.copy(), laterBy(1000)).market("btcusdc").status).toBe("SUSPENDED");
    const delisted = { markets: { btcusdc: { ...MARKETS.btcusdc, status: "DELISTED" as const } } };
    expect(made(records.copy(), laterBy(1000), delisted).market("btcusdc").status).toBe("DELISTED");
  });

  it("uses a market's rules that were set last, by the venue or its file", async () => {
    const { records, exchange } = await traded();
    exchange.setMarketRules("btcusdc", {
      tickSize: "0.5",
      priceQuote: { min: "0.5" },
      makerFeeRate: "0.0002",
    });
    const rulesOf = (input: Input = {}) => {
      const { tickStep, config } = made(records.copy(), laterBy(1000), input).market(
        "btcusdc",
      ).rules;
      return [tickStep, config.makerFeeRate];
    };
    expect(rulesOf()).toEqual([5, "0.0002"]);
    const dearer = { markets: { btcusdc: { ...MARKETS.btcusdc, makerFeeRate: "0.0003" } } };
    expect(rulesOf(dearer)).toEqual([1, "0.0003"]);
  });

  it.each<[string, Input]>([
    [
      "markets.btcusdc.tickSize",
      { markets: { btcusdc: { ...MARKETS.btcusdc, tickSize: "0.5", priceQuote: { min: "0.5" } } } },
    ],
    [
      "markets.btcusdc.stepSize",
      { markets: { btcusdc: { ...MARKETS.btcusdc, stepSize: "0.0005" } } },
    ],
    [
      "markets.btcusdc.perp",
      { markets: { btcusdc: { ...MARKETS.btcusdc, perp: `0x${"12".repeat(20)}` } } },
    ],
    ["markets.btcusdc", { markets: { ethusdc: {} } }],
    ["creditDecimals", { creditDecimals: 5 }],
    ["paperDecimals", { paperDecimals: 12 }],
    ["domain.chainId", { domain: { chainId: 1 } }],
    ["domain.verifyingContract", { domain: { verifyingContract: `0x${"12".repeat(20)}` } }],
  ])("is refused where %s is another than that of the state", async (field, input) => {
    const { records } = await traded();
    let refused: unknown;
    try {
      made(records.copy(), laterBy(1000), input);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(ConfigError);
    expect(refused).toMatchObject({ field });
    expect(String(refused)).toContain("another dataDir");
  });

  it("is refused when it has other content, or another format", () => {
    const clock = new VirtualClock(START_MS);
    expect(() => made(new MemoryRecords(new Map([["greeting", "hello"]])), clock)).toThrow(
      /something other than an exchange's state/,
    );
    expect(() =>
      made(
        new MemoryRecords(new Map([["format", '{"format":"marketwright exchange","version":7}']])),
        clock,
      ),
    ).toThrow(/format 7/);
  });

  it("names a damaged record", async () => {
    const { records } = await traded();
    const [key] = [...records.texts.keys()].filter((name) => name.startsWith("order/"));
    records.texts.set(key as string, '{"account":');
    expect(() => made(records, laterBy(1))).toThrow(new RegExp(`memory: ${key}`));
  });
});
