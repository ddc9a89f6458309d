import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RunError } from "../../../src/core/errors.js";
import { seededRandom } from "../../../src/core/seeded-random.js";
import { ecdsaScheme } from "../../../src/core/signing.js";
import type { Hex, MarketId } from "../../../src/core/units.js";
import { VirtualClock } from "../../../src/core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "../../../src/simulator/config.js";
import { configuredExchange } from "../../../src/simulator/configured-exchange.js";
import type { EmbeddedExchange } from "../../../src/simulator/exchange.js";
import { traderKey } from "../../../src/simulator/flow/leveraged-flow.js";
import { MemoryRecords } from "../store/memory-records.js";

const START_MS = 1_760_000_000_000;
const LEVERAGE = { min: 21, max: 24 };

interface Traders {
  readonly seed?: number;
  readonly count?: number;
  readonly leveraged?: object;
  readonly shocks?: object;
  readonly exchange?: Partial<ExchangeConfigInput>;
  readonly records?: MemoryRecords;
}

/** Two markets that are quiet but for their leveraged traders, and the addresses of the first market's traders. */
function traders({ seed = 1, count = 8, leveraged = {}, shocks, exchange: given = {}, records }: Traders = {}) {
  const flow = (startPriceQuote: number) => ({
    kind: "synthetic" as const,
    preset: "quiet" as const,
    startPriceQuote,
    leveraged: { count, leverage: LEVERAGE, openWithinMs: 10_000, holdMs: 0, ...leveraged },
    ...(shocks === undefined ? {} : { shocks }),
  });
  const config = parseExchangeConfig({
    seed,
    markets: {
      btcusdc: { maxLeverage: 25, flow: flow(60_000) },
      ethusdc: {
        maxLeverage: 25,
        baseAsset: "ETH",
        stepSize: "0.01",
        amountBase: { min: "0.01" },
        marketAmountBase: { min: "0.01" },
        flow: flow(3_000),
      },
    },
    ...given,
  });
  const clock = new VirtualClock(START_MS);
  const random = seededRandom("exchange");
  const exchange = configuredExchange(config, { clock, random }, records === undefined ? {} : { records });
  const addresses = Array.from({ length: count }, (_, index) => addressOf(`${seed}/btcusdc`, index + 1));
  return { clock, exchange, addresses, config };
}

function addressOf(seed: string, number: number): Hex {
  return ecdsaScheme.signer(traderKey(seed, "btcusdc", number)).address;
}

/** The exchange's account of an address. */
function accountOf(exchange: EmbeddedExchange, address: Hex) {
  const account = exchange.account(address);
  if (account === undefined) throw new Error(`${address} is not registered`);
  return account;
}

function tradesOf(exchange: EmbeddedExchange, address: Hex, marketId: MarketId = "btcusdc") {
  return accountOf(exchange, address).markets.get(marketId)?.trades.page({ limit: 500 }) ?? [];
}

function riskyAccounts(exchange: EmbeddedExchange): { account: string; isSafe: boolean; risk: string; positions: object[] }[] {
  const { body } = exchange.handle({ method: "GET", path: "/v1/riskyAccounts", query: "", body: "", ip: "10.0.0.1" });
  return JSON.parse(body);
}

/** A liquidation of all of a position at the mark, as it comes from the chain: no order of the account has anything to do with it. */
function liquidate(exchange: EmbeddedExchange, address: Hex, marketId: MarketId, nowMs: number): void {
  const market = exchange.market(marketId);
  const { position } = accountOf(exchange, address).in(marketId);
  const { paper } = position.settled;
  const value = market.valueOf(paper);
  position.applySettled({ paper: -paper, quote: value < 0n ? -value : value, fee: 0n, timeMs: nowMs });
}

describe("traders near their highest leverage", () => {
  it("are accounts like everybody's: a deposit of their own, orders that they signed, trades and fees, and all money accounted for", async () => {
    const { clock, exchange, addresses } = traders();
    exchange.start();
    await clock.runFor(30_000);
    for (const address of addresses) {
      const account = accountOf(exchange, address);
      const incomes = account.incomes.page({ limit: 100 });
      expect(incomes.filter(({ type }) => type === "DEPOSIT")).toHaveLength(1);
      expect(incomes.some(({ type }) => type === "BONUS")).toBe(false);
      expect(account.deposits).toBeGreaterThan(100_000_000n);
      expect(account.deposits).toBeLessThan(10_000_000_000n);
      const orders = account.markets.get("btcusdc")?.history.page({ limit: 100 }) ?? [];
      expect(orders.length).toBeGreaterThan(0);
      for (const { terms } of orders) {
        expect(terms.timeInForce).toBe("IOC");
        expect(terms.signedBy).toBe(address.toLowerCase());
        // Checked when it came; only the contracts would need it again.
        expect(terms.signature).toBeNull();
      }
      expect(tradesOf(exchange, address).every(({ isMaker, commission }) => !isMaker && commission > 0n)).toBe(true);
    }
    expect(exchange.audit()).toMatchObject({ isConserved: true });
    exchange.stop();
  });

  it("open within the configured time, near the configured leverage, as many long as short", async () => {
    const { clock, exchange, addresses } = traders({ count: 20 });
    exchange.start();
    await clock.runFor(25_000);
    const sides = addresses.map((address) => Math.sign(exchange.positionLots(address, "btcusdc")));
    expect(sides.filter((side) => side === 1)).toHaveLength(10);
    expect(sides.filter((side) => side === -1)).toHaveLength(10);
    for (const address of addresses) {
      const leverage = Number(exchange.balances(address).balances.leverage);
      expect(leverage).toBeGreaterThan(LEVERAGE.min * 0.95);
      // The fee of opening is paid out of what the leverage was chosen from.
      expect(leverage).toBeLessThan(LEVERAGE.max * 1.05);
    }
    exchange.stop();
  });

  it("spread over several markets where they are told to, with one account's credit", async () => {
    const { clock, exchange, addresses } = traders({ leveraged: { severalMarketsShare: 1 } });
    exchange.start();
    await clock.runFor(30_000);
    for (const address of addresses) {
      const lots = ["btcusdc", "ethusdc"].map((id) => exchange.positionLots(address, id));
      expect(lots.every((held) => held !== 0)).toBe(true);
      const leverage = Number(exchange.balances(address).balances.leverage);
      expect(leverage).toBeGreaterThan(LEVERAGE.min * 0.9);
      expect(leverage).toBeLessThan(LEVERAGE.max * 1.1);
    }
    exchange.stop();
  });

  it("change size and side while they hold, and never go beyond the market's leverage", async () => {
    const { clock, exchange, addresses } = traders({ leveraged: { holdMs: 20_000 } });
    exchange.start();
    const seen = { added: 0, reduced: 0, turned: 0 };
    const held = new Map<string, number>();
    for (let second = 0; second < 300; second += 5) {
      await clock.runFor(5_000);
      for (const address of addresses) {
        const lots = exchange.positionLots(address, "btcusdc");
        const before = held.get(address) ?? 0;
        held.set(address, lots);
        if (before === 0 || lots === before) continue;
        if (Math.sign(lots) !== Math.sign(before)) seen.turned += 1;
        else if (Math.abs(lots) > Math.abs(before)) seen.added += 1;
        else seen.reduced += 1;
        expect(Number(exchange.balances(address).balances.leverage)).toBeLessThan(27);
      }
    }
    expect(Math.min(seen.added, seen.reduced, seen.turned)).toBeGreaterThan(0);
    expect(exchange.audit()).toMatchObject({ isConserved: true });
    exchange.stop();
  });

  it.each([1, 2, 3, 4])(
    "come below maintenance by a shock, most of one side of them, and are listed, riskiest first (seed %i)",
    async (seed) => {
      const shocks = { firstMs: 20_000, everyMs: 0, direction: "down", sizeBps: { min: 180, max: 180 } };
      const { clock, exchange, addresses } = traders({ seed, count: 10, shocks });
      exchange.start();
      await clock.runFor(19_000);
      expect(riskyAccounts(exchange).filter(({ isSafe }) => !isSafe)).toEqual([]);
      await clock.runFor(6_000);
      const risky = riskyAccounts(exchange);
      const unsafe = risky.filter(({ isSafe }) => !isSafe).map(({ account }) => account);
      const long = addresses.filter((address) => exchange.positionLots(address, "btcusdc") > 0);
      expect(long).toHaveLength(5);
      expect(long.filter((address) => unsafe.includes(address)).length).toBeGreaterThanOrEqual(4);
      const risks = risky.map(({ risk }) => Number(risk));
      expect(risks).toEqual([...risks].sort((a, b) => b - a));
      for (const address of unsafe) expect(accountOf(exchange, address as Hex).reduceOnly).toBe(true);
      exchange.stop();
    },
  );

  it("keep still as long as they are below maintenance", async () => {
    const shocks = { firstMs: 20_000, everyMs: 0, direction: "down", sizeBps: { min: 180, max: 180 } };
    const { clock, exchange, addresses } = traders({ count: 10, shocks, leveraged: { holdMs: 5_000 } });
    exchange.start();
    await clock.runFor(25_000);
    const unsafe = addresses.filter((address) => accountOf(exchange, address).reduceOnly);
    expect(unsafe.length).toBeGreaterThan(2);
    const before = unsafe.map((address) => [tradesOf(exchange, address).length, accountOf(exchange, address).deposits]);
    let stayed = 0;
    for (let second = 0; second < 30; second += 1) {
      await clock.runFor(1_000);
      for (const [index, address] of unsafe.entries()) {
        if (!accountOf(exchange, address).reduceOnly) continue;
        stayed += 1;
        expect([tradesOf(exchange, address).length, accountOf(exchange, address).deposits]).toEqual(before[index]);
      }
    }
    expect(stayed).toBeGreaterThan(60);
    exchange.stop();
  });

  it("wait after a liquidation, deposit what they lost, and begin again", async () => {
    const { clock, exchange, addresses } = traders({ leveraged: { pauseMs: 15_000, sizeSigma: 0, creditQuote: 1_000 } });
    exchange.start();
    await clock.runFor(30_000);
    const [victim = "0x"] = addresses;
    const account = accountOf(exchange, victim);
    const trades = tradesOf(exchange, victim).length;
    liquidate(exchange, victim, "btcusdc", clock.nowMs());
    // What the discount and the insurance fee of a liquidation cost it.
    account.deposits -= 600_000_000n;
    await clock.runFor(14_000);
    expect([tradesOf(exchange, victim).length, account.deposits]).toEqual([trades, 400_000_000n]);
    await clock.runFor(20_000);
    expect(exchange.positionLots(victim, "btcusdc")).not.toBe(0);
    const deposits = account.incomes.page({ limit: 100 }).filter(({ type }) => type === "DEPOSIT");
    expect(deposits).toHaveLength(2);
    expect(Number(exchange.balances(victim).balances.netValue)).toBeCloseTo(1_000, -2);
    expect(Number(exchange.balances(victim).balances.leverage)).toBeGreaterThan(LEVERAGE.min * 0.95);
    exchange.stop();
  });

  it("take a match whose settlement failed for what it is: nothing held, so they wait and begin again", async () => {
    const { clock, exchange, addresses } = traders({
      count: 4,
      leveraged: { pauseMs: 10_000 },
      exchange: { settlement: { failureRate: 0.5 } },
    });
    exchange.start();
    await clock.runFor(120_000);
    const statuses = addresses.flatMap((address) => tradesOf(exchange, address).map(({ trade }) => trade.status));
    expect(new Set(statuses)).toEqual(new Set(["SETTLED", "FAILED"]));
    expect(exchange.audit()).toMatchObject({ isConserved: true });
    exchange.stop();
  });

  it("ask again later where the market takes no orders", async () => {
    const { clock, exchange, addresses } = traders();
    exchange.start();
    exchange.setMarketStatus("btcusdc", "SUSPENDED");
    await clock.runFor(30_000);
    expect(addresses.every((address) => exchange.positionLots(address, "btcusdc") === 0)).toBe(true);
    exchange.setMarketStatus("btcusdc", "TRADING");
    await clock.runFor(20_000);
    expect(addresses.every((address) => exchange.positionLots(address, "btcusdc") !== 0)).toBe(true);
    exchange.stop();
  });

  it("stop with the exchange, and go on with what they hold when it starts again, also from its records", async () => {
    const records = new MemoryRecords();
    const first = traders({ records });
    first.exchange.start();
    await first.clock.runFor(30_000);
    first.exchange.stop();
    const held = first.addresses.map((address) => first.exchange.positionLots(address, "btcusdc"));
    expect(first.clock.pendingTimers).toBe(0);
    const second = traders({ records: records.copy() });
    await second.clock.runFor(60_000);
    second.exchange.start();
    await second.clock.runFor(30_000);
    expect(second.addresses.map((address) => second.exchange.positionLots(address, "btcusdc"))).toEqual(held);
    for (const address of second.addresses) {
      const deposits = accountOf(second.exchange, address)
        .incomes.page({ limit: 100 })
        .filter(({ type }) => type === "DEPOSIT");
      expect(deposits).toHaveLength(1);
    }
    second.exchange.stop();
  });

  it("are refused at the start where others have taken the last accounts", () => {
    const { exchange } = traders({ count: 2, exchange: { maxAccounts: 4 } });
    exchange.register("0x00000000000000000000000000000000000000aa");
    expect(() => exchange.start()).toThrow(RunError);
    exchange.stop();
  });
});

describe("the history of leveraged traders", () => {
  /** Everything that an account holder or a reader of the market could have seen. */
  async function history(seed: number, stepMs: number): Promise<string> {
    const shocks = { firstMs: 15_000, everyMs: 15_000, sizeBps: { min: 100, max: 200 } };
    const leveraged = { holdMs: 10_000, pauseMs: 5_000, severalMarketsShare: 0.5 };
    const { clock, exchange, addresses } = traders({ seed, count: 5, shocks, leveraged, exchange: { settlement: { failureRate: 0.1 } } });
    exchange.start();
    const seen: unknown[] = [];
    for (let elapsed = stepMs; elapsed <= 60_000; elapsed += stepMs) {
      await clock.runFor(stepMs);
      if (elapsed % 20_000 === 0)
        seen.push(
          riskyAccounts(exchange),
          addresses.map((address) => exchange.balances(address)),
        );
    }
    for (const id of ["btcusdc", "ethusdc"]) {
      const { ip, method } = { ip: "10.0.0.1", method: "GET" };
      seen.push(exchange.handle({ method, path: "/v1/historicalTrades", query: `marketId=${id}&limit=500`, body: "", ip }).body);
      for (const address of addresses) {
        const orders = accountOf(exchange, address).markets.get(id)?.history.page({ limit: 500 }) ?? [];
        seen.push(orders.map(({ terms, status }) => [terms.hash, terms.signature, status]));
      }
    }
    exchange.stop();
    return JSON.stringify(seen);
  }

  it("is the same to the byte under the same seed, in whatever steps time passes, and another under another", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), fc.constantFrom(500, 2_000, 10_000), async (seed, stepMs) => {
        const first = await history(seed, 1_000);
        expect(await history(seed, stepMs)).toBe(first);
        expect(await history(seed + 1, 10_000)).not.toBe(first);
      }),
      { numRuns: 4 },
    );
  });
});
