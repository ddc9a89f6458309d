import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock, Runtime } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange, type ExchangeOptions } from "#simulator/exchange.js";
import { KEYS, namedSignatures, ReferenceClient, START_MS } from "../reference-client.js";
import { MemoryRecords } from "./memory-records.js";
import { stateDifferences } from "./state-differences.js";

const MARKETS = ["btcusdc", "ethusdc"] as const;

const CONFIG: Partial<ExchangeConfigInput> = {
  // Products that are not whole numbers of credit units, so that rounding is used.
  creditDecimals: 3,
  markets: {
    btcusdc: {
      perp: "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
      funding: { mode: "fixed", intervalMs: 60_000, rate: "0.00313" },
    },
    ethusdc: { baseAsset: "ETH", tickSize: "0.05", priceQuote: { min: "0.05" } },
  },
  settlement: { delayMs: 1500, failureRate: 0.3 },
  choices: { gttWithoutExpiration: "default-life" },
};

/** A machine's clock as a process sees it: once the process is killed, none of its timers fires. */
class ProcessClock implements Clock {
  isAlive = true;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly setTimer: Clock["setTimer"];

  constructor(machine: Clock) {
    this.nowMs = () => machine.nowMs();
    this.monotonicMs = () => machine.monotonicMs();
    this.setTimer = (delayMs, fire) =>
      machine.setTimer(delayMs, () => (this.isAlive ? fire() : undefined));
  }
}

/** An exchange with records, which can be killed between two events and restarted. */
class KillableExchange {
  readonly clock = new VirtualClock(START_MS);
  readonly records = new MemoryRecords();
  readonly #config: ReturnType<typeof parseExchangeConfig>;
  readonly #options: ExchangeOptions;
  readonly #random = seededRandom("exchange");
  #process!: ProcessClock;
  #exchange!: EmbeddedExchange;
  #clients: readonly ReferenceClient[] = [];

  constructor(config: Partial<ExchangeConfigInput>, options: ExchangeOptions = {}) {
    this.#config = parseExchangeConfig({ markets: {}, ...config });
    this.#options = { scheme: namedSignatures, ...options };
    this.start();
    this.#clients = KEYS.map(
      (key, place) =>
        new ReferenceClient(this.#exchange, () => this.clock.nowMs(), key, `10.0.0.${place}`, true),
    );
    for (const client of this.#clients) {
      client.register();
    }
  }

  get exchange(): EmbeddedExchange {
    return this.#exchange;
  }

  client(place: number): ReferenceClient {
    const client = this.#clients[place] as ReferenceClient;
    client.exchange = this.#exchange;
    return client;
  }

  get clients(): readonly ReferenceClient[] {
    return this.#clients.map((_client, place) => this.client(place));
  }

  kill(): void {
    this.#process.isAlive = false;
  }

  start(): void {
    this.#process = new ProcessClock(this.clock);
    this.#exchange = this.#made(this.#process, this.records);
    this.#exchange.start();
  }

  /**
   * The exchange that another process would restore from the records now. It is not started and
   * changes nothing.
   */
  rebuilt(): EmbeddedExchange {
    return this.#made(this.clock, this.records.copy());
  }

  #made(clock: Clock, records: MemoryRecords): EmbeddedExchange {
    const runtime: Runtime = { clock, random: this.#random };
    return new EmbeddedExchange(this.#config, runtime, { ...this.#options, records });
  }
}

const trader = fc.nat(2);
const marketId = fc.constantFrom(...MARKETS);
const place = fc.record({
  kind: fc.constant("place" as const),
  trader,
  marketId,
  side: fc.constantFrom("BUY" as const, "SELL" as const),
  offset: fc.integer({ min: -30, max: 30 }),
  lots: fc.integer({ min: 1, max: 500 }),
  timeInForce: fc.constantFrom("GTC", "GTC", "GTC", "GTT", "IOC", "FOK", "POST_ONLY"),
  type: fc.constantFrom("LIMIT", "LIMIT", "LIMIT", "MARKET"),
});
const step = fc.oneof(
  { weight: 12, arbitrary: place },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("cancel" as const), trader, which: fc.nat(20) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel-all" as const), trader }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("faucet" as const), trader }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), trader }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("operator" as const), trader, isValid: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("suspend" as const),
      marketId,
      status: fc.constantFrom("TRADING", "TRADING", "TRADING", "SUSPENDED"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.integer({ min: 1, max: 3000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.integer({ min: 60_000, max: 200_000 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const ask = (offset: number): Step => ({
  kind: "place",
  trader: 0,
  marketId: "btcusdc",
  side: "SELL",
  offset,
  lots: 100,
  timeInForce: "GTC",
  type: "LIMIT",
});
/** Of two prices the one that came first is, by the orders left there, the later one. */
const LEVEL_OUTLIVES_ITS_FIRST_ORDER: Step[] = [
  ask(5),
  ask(6),
  ask(5),
  { kind: "cancel", trader: 0, which: 0 },
];

async function take(world: KillableExchange, action: Step): Promise<void> {
  switch (action.kind) {
    case "place": {
      const btc = action.marketId === "btcusdc";
      const ticks = 300_000 + action.offset;
      const price = btc
        ? `${Math.floor(ticks / 10)}.${ticks % 10}`
        : (2000 + action.offset * 0.05).toFixed(2);
      const timeInForce =
        action.type === "MARKET" && action.timeInForce !== "FOK" ? "IOC" : action.timeInForce;
      world.client(action.trader).place(action.side, price, (action.lots / 1000).toFixed(3), {
        marketId: action.marketId,
        type: action.type,
        timeInForce,
        ...(timeInForce === "GTT" ? { expirationMs: world.clock.nowMs() + 90_000 } : {}),
      });
      return;
    }
    case "cancel": {
      const client = world.client(action.trader);
      const open = world.exchange.openOrders(client.address);
      const order = open[action.which % Math.max(1, open.length)];
      if (order !== undefined) {
        client.cancel(order.terms.id, order.terms.market.id);
      }
      return;
    }
    case "cancel-all":
      world.client(action.trader).call("DELETE", "/v1/allOpenOrders");
      return;
    case "faucet":
      world.exchange.deposit(world.client(action.trader).address, "12.345");
      return;
    case "withdraw":
      world.client(action.trader).call("POST", "/withdraw", { amount: "1.5" });
      return;
    case "operator":
      world.client(action.trader).call("POST", "/operator", {
        operator: `0x${"ab".repeat(20)}`,
        isValid: String(action.isValid),
      });
      return;
    case "suspend":
      world.exchange.setMarketStatus(action.marketId, action.status as "TRADING" | "SUSPENDED");
      return;
    case "pass":
      await world.clock.runFor(action.ms);
  }
}

/** Every REST response, of all accounts. */
function answers(exchange: EmbeddedExchange, world: KillableExchange): string[] {
  const told: string[] = [];
  for (const client of world.clients) {
    const reader = new ReferenceClient(
      exchange,
      () => world.clock.nowMs(),
      client.wallet.privateKey,
      "10.1.0.1",
      true,
    );
    for (const path of ["account", "balances", "positions", "openOrders"]) {
      told.push(reader.call("GET", `/v1/${path}`).body);
    }
    for (const id of MARKETS) {
      for (const path of ["historyOrders", "userTrades", "incomes"]) {
        told.push(reader.call("GET", `/v1/${path}`, { marketId: id, limit: "500" }).body);
      }
    }
  }
  const anybody = world.client(0);
  const reader = new ReferenceClient(
    exchange,
    anybody.nowMs,
    anybody.wallet.privateKey,
    "10.1.0.2",
    true,
  );
  for (const id of MARKETS) {
    for (const [path, more] of [
      ["orderbook", {}],
      ["trades", {}],
      ["klines", { interval: "1M" }],
      ["klines", { interval: "1MO" }],
      ["markPriceKlines", { interval: "5M" }],
      ["offchainMarkPriceWithVolKlines", { interval: "5M" }],
      ["platform/tradeVolume", {}],
      ["fundingRate", {}],
    ] as const) {
      told.push(reader.raw("GET", `/v1/${path}`, { marketId: id, ...more }).body);
    }
  }
  told.push(
    reader.raw("GET", "/v1/exchangeInfo").body,
    reader.raw("GET", "/v1/riskyAccounts").body,
  );
  return told;
}

describe("an exchange that is killed between any two events", () => {
  it("restores every field of its durable state, private ones too, after random trading", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
        const world = new KillableExchange(CONFIG);
        for (const [place, action] of steps.entries()) {
          await take(world, action);
          if (place % 12 === 0 || place === steps.length - 1) {
            expect(stateDifferences(world.exchange, world.rebuilt())).toEqual([]);
          }
        }
        world.kill();
      }),
      { numRuns: 8, examples: [[LEVEL_OUTLIVES_ITS_FIRST_ORDER]] },
    );
  });

  it("and killed repeatedly trades on as if it had never been stopped", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.boolean()), { minLength: 5, maxLength: 60 }),
        async (steps) => {
          const [mortal, immortal] = [new KillableExchange(CONFIG), new KillableExchange(CONFIG)];
          for (const [action, dies] of steps) {
            await take(mortal, action);
            await take(immortal, action);
            if (dies) {
              mortal.kill();
              mortal.start();
            }
          }
          await mortal.clock.runFor(2000);
          await immortal.clock.runFor(2000);
          expect(answers(mortal.exchange, mortal)).toEqual(answers(immortal.exchange, immortal));
          expect(mortal.exchange.audit()).toEqual(immortal.exchange.audit());
          expect(mortal.exchange.audit().isConserved).toBe(true);
          mortal.kill();
          immortal.kill();
        },
      ),
      { numRuns: 25 },
    );
  });
});
