import { describe, expect, it } from "vitest";
import { ConfigError, RunError } from "../../../src/core/errors.js";
import { seededRandom } from "../../../src/core/seeded-random.js";
import { VirtualClock } from "../../../src/core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "../../../src/simulator/config.js";
import { EmbeddedExchange } from "../../../src/simulator/exchange.js";
import { createOrderFlow, parseFlowConfig } from "../../../src/simulator/flow/flow-config.js";
import type { RecordChange } from "../../../src/simulator/store/record-store.js";
import { KEYS, namedSignatures, ReferenceClient, START_MS } from "../reference-client.js";
import { MemoryRecords } from "./memory-records.js";

type Input = Partial<ExchangeConfigInput>;
const MARKETS = { btcusdc: { funding: { mode: "fixed", intervalMs: 60_000, rate: "0.0001" } } } as const;

/** An exchange on records, started, and a trader on it. */
function started(records: MemoryRecords, clock: VirtualClock, input: Input = {}) {
  const exchange = made(records, clock, input);
  exchange.start();
  return { exchange, ...traders(exchange, clock) };
}

function made(records: MemoryRecords, clock: VirtualClock, input: Input = {}): EmbeddedExchange {
  const config = parseExchangeConfig({ markets: MARKETS, ...input });
  return new EmbeddedExchange(config, { clock, random: seededRandom("exchange") }, { scheme: namedSignatures, records });
}

function traders(exchange: EmbeddedExchange, clock: VirtualClock) {
  const [alice, bob] = KEYS.map((key, place) => new ReferenceClient(exchange, () => clock.nowMs(), key, `10.0.0.${place}`, true)) as [
    ReferenceClient,
    ReferenceClient,
  ];
  for (const trader of [alice, bob]) {
    exchange.register(trader.address);
  }
  return { alice, bob };
}

/** A market with two orders that have matched. */
async function traded(input: Input = {}) {
  const clock = new VirtualClock(START_MS);
  const records = new MemoryRecords();
  const { exchange, alice, bob } = started(records, clock, input);
  alice.place("SELL", "30000", "0.5");
  bob.place("BUY", "30000", "0.2");
  return { clock, records, exchange, alice, bob };
}

/** A machine whose process was killed: its clock goes on, nothing else does. */
function laterBy(ms: number): VirtualClock {
  return new VirtualClock(START_MS + ms);
}

describe("an exchange that was away for a while", () => {
  it("settles at once what came due meanwhile, and the rest when it is due", async () => {
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
      expect(bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json[0].status).toBe("SETTLED");
      expect(exchange.audit()).toMatchObject({ isConserved: true });
      exchange.stop();
    }
  });

  it("ends orders whose time ran out meanwhile", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const { alice } = started(records, clock);
    const { id } = alice.place("SELL", "30000", "0.5", { timeInForce: "GTT", expirationMs: START_MS + 90_000 }).json;
    const later = laterBy(100_000);
    const back = started(records.copy(), later);
    await later.runFor(0);
    expect(back.alice.openOrders()).toEqual([]);
    expect(back.alice.call("GET", "/v1/order", { marketId: "btcusdc", orderId: String(id) }).json.status).toBe("EXPIRED");
  });

  it("pays one funding for all the boundaries that passed, and the next on time", async () => {
    const { records } = await traded();
    const clock = laterBy(10 * 60_000);
    const { exchange, bob } = started(records, clock);
    await clock.runFor(30_000);
    expect(bob.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "FUNDING_FEE" }).json).toHaveLength(1);
    await clock.runFor(30_000);
    expect(bob.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "FUNDING_FEE" }).json).toHaveLength(2);
    exchange.stop();
  });

  it("never goes back in its records' time, though the machine's clock was set back", async () => {
    const { records, bob } = await traded();
    const before = bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json[0].time;
    const { alice } = started(records, laterBy(-3_600_000));
    expect(alice.place("BUY", "20000", "0.1").json.createdAt).toBeGreaterThanOrEqual(before);
  });

  it("takes an order's hash once, and knows whom an account let sign", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const first = started(records, clock);
    const order = first.alice.order("BUY", "20000", "0.1");
    expect(first.alice.call("POST", "/v1/order", order).status).toBe(200);
    first.alice.call("POST", "/operator", { operator: first.bob.address, isValid: "true" });
    const { alice, exchange, bob } = started(records.copy(), laterBy(1000));
    expect(alice.call("POST", "/v1/order", order).json.code).toBe(2016);
    expect([...(exchange.account(alice.address)?.operators ?? [])]).toEqual([bob.address.toLowerCase()]);
  });

  it("gives orders at one price back their turn", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const { alice, bob } = started(records, clock);
    alice.place("SELL", "30000", "0.1");
    bob.place("SELL", "30000", "0.1");
    alice.place("SELL", "30000", "0.1");
    const back = started(records.copy(), laterBy(1000));
    const carol = new ReferenceClient(back.exchange, () => START_MS + 1000, KEYS[2], "10.0.0.9", true).register();
    carol.place("BUY", "30000", "0.15");
    expect(back.bob.openOrders()).toMatchObject([{ availableAmount: "0.05" }]);
    expect(back.alice.openOrders().map(({ availableAmount }: { availableAmount: string }) => availableAmount)).toEqual(["0", "0.1"]);
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
        flowOf: (marketId, restart) =>
          createOrderFlow(parseFlowConfig(flow), { marketId, restart, seed: "flow", baseFolder: ".", onReplayEnd: () => {} }),
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
    expect(back.book("btcusdc")).toEqual({ sequence: before.sequence + 1, bids: [[290_000, 700]], asks: [] });
    expect(back.audit()).toEqual(exchange.audit());
    expect(back.audit().isConserved).toBe(true);
    const held = back.market("btcusdc").house.in("btcusdc").position.matched;
    expect({ ...held }).toEqual({ ...exchange.market("btcusdc").house.in("btcusdc").position.matched });
    expect(back.market("btcusdc").prices.mark).toBe(exchange.market("btcusdc").prices.mark);
  });
});

describe("a bounded store", () => {
  it("holds no more of any list than its retention, however long the exchange trades", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const retention = { publicTrades: 500, historyOrders: 500, userTrades: 500, incomes: 500, orderHashes: 500, candles: 500 };
    const input: Input = {
      retention,
      settlement: { delayMs: 0 },
      rateLimits: { common: 0, order: 0 },
      markets: MARKETS,
    };
    const { exchange, alice, bob } = started(records, clock, input);
    for (let round = 0; round < 520; round += 1) {
      expect(alice.place("SELL", "30000", "0.01").status).toBe(200);
      expect(bob.place("BUY", "30000", "0.01").status).toBe(200);
      clock.stepWall(59_000);
      await clock.runFor(1000);
    }
    const kinds = new Map<string, number>();
    for (const key of records.texts.keys()) {
      const list = key.slice(0, key.lastIndexOf("/"));
      kinds.set(list, (kinds.get(list) ?? 0) + 1);
    }
    expect([...kinds].filter(([list]) => !list.startsWith("minute/")).every(([, count]) => count <= 500)).toBe(true);
    for (const full of ["hash", "trade/btcusdc", "history/00000000000000000001/btcusdc"]) {
      expect(kinds.get(full), full).toBe(500);
    }
    expect(kinds.get("bar/btcusdc/trades/1M"), "and the one under way").toBe(499);
    const back = made(records.copy(), clock, input);
    expect(back.audit()).toEqual(exchange.audit());
    expect(back.account(bob.address)?.incomes.length).toBe(500);
  });
});

describe("what a store is opened with", () => {
  it("goes on with other limits, rates and delays, and with one more market", async () => {
    const { records } = await traded();
    const back = made(records.copy(), laterBy(1000), {
      markets: { btcusdc: { ...MARKETS.btcusdc, tickSize: "0.10", takerFeeRate: "0.001", maxLeverage: 10 }, ethusdc: {} },
      settlement: { delayMs: 1 },
    });
    expect(back.audit().isConserved).toBe(true);
    expect(back.book("ethusdc").bids).toEqual([]);
  });

  it("has a market's status from whoever set it last, the venue or its file", async () => {
    const { records, exchange } = await traded();
    exchange.setMarketStatus("btcusdc", "SUSPENDED");
    expect(made(records.copy(), laterBy(1000)).market("btcusdc").status).toBe("SUSPENDED");
    const delisted = { markets: { btcusdc: { ...MARKETS.btcusdc, status: "DELISTED" as const } } };
    expect(made(records.copy(), laterBy(1000), delisted).market("btcusdc").status).toBe("DELISTED");
  });

  it.each<[string, Input]>([
    ["markets.btcusdc.tickSize", { markets: { btcusdc: { ...MARKETS.btcusdc, tickSize: "0.5", priceQuote: { min: "0.5" } } } }],
    ["markets.btcusdc.stepSize", { markets: { btcusdc: { ...MARKETS.btcusdc, stepSize: "0.0005" } } }],
    ["markets.btcusdc.perp", { markets: { btcusdc: { ...MARKETS.btcusdc, perp: `0x${"12".repeat(20)}` } } }],
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

  it("is refused when it holds something else, or another format", () => {
    const clock = new VirtualClock(START_MS);
    expect(() => made(new MemoryRecords(new Map([["greeting", "hello"]])), clock)).toThrow(/no exchange's state/);
    expect(() => made(new MemoryRecords(new Map([["format", '{"format":"marketwright exchange","version":7}']])), clock)).toThrow(
      /format 7/,
    );
  });

  it("names a damaged record", async () => {
    const { records } = await traded();
    const [key] = [...records.texts.keys()].filter((name) => name.startsWith("order/"));
    records.texts.set(key as string, '{"account":');
    expect(() => made(records, laterBy(1))).toThrow(new RegExp(`memory: ${key}`));
  });
});

describe("nobody is told of anything that does not last", () => {
  it("has in its records what a stream tells, when it tells it", () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const { exchange, alice, bob } = started(records, clock, { streams: { bookIntervalMs: 0 } });
    const told: string[] = [];
    const follow = (path: string) =>
      exchange.connect(path, {
        send: (text) => {
          const message = JSON.parse(text) as Record<string, { id?: number; availableAmount?: string } & number>;
          told.push(String(message.event));
          const known = made(records.copy(), clock);
          if (message.order !== undefined) {
            expect(known.openOrders(alice.address).some(({ terms }) => terms.id === String(message.order?.id))).toBe(true);
          }
          if (message.trade !== undefined) {
            expect(known.account(alice.address)?.in("btcusdc").trades.find(String(message.trade.id))).toBeDefined();
          }
          if (message.endSequence !== undefined) {
            expect(known.book("btcusdc").sequence).toBe(message.endSequence);
          }
        },
        sendBytes: () => {},
        ping: () => {},
        close: () => {},
        terminate: () => {},
        bufferedBytes: () => 0,
      });
    const { timestamp, signature } = alice.signed();
    follow(`/v1/single/account@${alice.address}?timestamp=${timestamp}&signature=${signature}`);
    follow("/v1/single/btcusdc@orderbook");
    alice.place("SELL", "30000", "0.5");
    bob.place("BUY", "30000", "0.2");
    expect(told).toEqual(expect.arrayContaining(["ORDER_UPDATE", "TRADE_UPDATE", "ACCOUNT_UPDATE", "update"]));
  });

  it("stops, and answers and tells nothing, when the store takes nothing more", () => {
    class FullRecords extends MemoryRecords {
      isFull = false;
      override commit(change: RecordChange): void {
        if (this.isFull) {
          throw new RunError("the exchange's state cannot be written", { expected: "MDB_MAP_FULL" });
        }
        super.commit(change);
      }
    }
    const records = new FullRecords();
    const clock = new VirtualClock(START_MS);
    const { exchange, alice, bob } = started(records, clock);
    const told: string[] = [];
    const { timestamp, signature } = alice.signed();
    exchange.connect(`/v1/single/account@${alice.address}?timestamp=${timestamp}&signature=${signature}`, {
      send: (text) => told.push(text),
      sendBytes: () => {},
      ping: () => {},
      close: (code) => told.push(`closed ${code}`),
      terminate: () => {},
      bufferedBytes: () => 0,
    });
    records.isFull = true;
    expect(() => alice.place("SELL", "30000", "0.5")).toThrow(RunError);
    expect(told).toEqual(["closed 1001"]);
    expect(exchange.isRunning).toBe(false);
    expect(bob.place("SELL", "30000", "0.5").status).toBe(503);
    expect(() => exchange.start()).toThrow(/a new process/);
    expect(made(records.copy(), clock).openOrders(alice.address)).toEqual([]);
  });
});
