import { describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import type { Hex } from "#core/units.js";
import { MemoryRecords } from "../store/memory-records.js";
import {
  accountOf,
  LEVERAGE,
  liquidate,
  riskyAccounts,
  traders,
  tradesOf,
} from "./leveraged-markets.js";

describe("traders near their highest leverage", () => {
  it("are ordinary accounts: they deposit, sign orders, trade and pay fees, and all credit is conserved", async () => {
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
        // Checked on arrival; only the contracts would need it again.
        expect(terms.signature).toBeNull();
      }
      expect(
        tradesOf(exchange, address).every(({ isMaker, commission }) => !isMaker && commission > 0n),
      ).toBe(true);
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
      // The opening fee is paid out of the credit that the leverage was chosen from.
      expect(leverage).toBeLessThan(LEVERAGE.max * 1.05);
    }
    exchange.stop();
  });

  it("hold positions in several markets with one account's credit if configured", async () => {
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

  it("change size and side of their positions, and never exceed the market's leverage", async () => {
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
      const shocks = {
        firstMs: 20_000,
        everyMs: 0,
        direction: "down",
        sizeBps: { min: 180, max: 180 },
      };
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
      for (const address of unsafe)
        expect(accountOf(exchange, address as Hex).reduceOnly).toBe(true);
      exchange.stop();
    },
  );

  it("do nothing while they are below maintenance margin", async () => {
    const shocks = {
      firstMs: 20_000,
      everyMs: 0,
      direction: "down",
      sizeBps: { min: 180, max: 180 },
    };
    const { clock, exchange, addresses } = traders({
      count: 10,
      shocks,
      leveraged: { holdMs: 5_000 },
    });
    exchange.start();
    await clock.runFor(25_000);
    const unsafe = addresses.filter((address) => accountOf(exchange, address).reduceOnly);
    expect(unsafe.length).toBeGreaterThan(2);
    const before = unsafe.map((address) => [
      tradesOf(exchange, address).length,
      accountOf(exchange, address).deposits,
    ]);
    let stayed = 0;
    for (let second = 0; second < 30; second += 1) {
      await clock.runFor(1_000);
      for (const [index, address] of unsafe.entries()) {
        if (!accountOf(exchange, address).reduceOnly) continue;
        stayed += 1;
        expect([tradesOf(exchange, address).length, accountOf(exchange, address).deposits]).toEqual(
          before[index],
        );
      }
    }
    expect(stayed).toBeGreaterThan(60);
    exchange.stop();
  });

  it("wait after a liquidation, deposit what they lost, and begin again", async () => {
    const { clock, exchange, addresses } = traders({
      leveraged: { pauseMs: 15_000, sizeSigma: 0, creditQuote: 1_000 },
    });
    exchange.start();
    await clock.runFor(30_000);
    const [victim = "0x"] = addresses;
    const account = accountOf(exchange, victim);
    const trades = tradesOf(exchange, victim).length;
    liquidate(exchange, victim, "btcusdc", clock.nowMs());
    // The cost of a liquidation's discount and insurance fee.
    account.deposits -= 600_000_000n;
    await clock.runFor(14_000);
    expect([tradesOf(exchange, victim).length, account.deposits]).toEqual([trades, 400_000_000n]);
    await clock.runFor(20_000);
    expect(exchange.positionLots(victim, "btcusdc")).not.toBe(0);
    const deposits = account.incomes.page({ limit: 100 }).filter(({ type }) => type === "DEPOSIT");
    expect(deposits).toHaveLength(2);
    expect(Number(exchange.balances(victim).balances.netValue)).toBeCloseTo(1_000, -2);
    expect(Number(exchange.balances(victim).balances.leverage)).toBeGreaterThan(
      LEVERAGE.min * 0.95,
    );
    exchange.stop();
  });

  it("treat a failed settlement as a lost position: they wait and begin again", async () => {
    const { clock, exchange, addresses } = traders({
      count: 4,
      leveraged: { pauseMs: 10_000 },
      exchange: { settlement: { failureRate: 0.5 } },
    });
    exchange.start();
    await clock.runFor(120_000);
    const statuses = addresses.flatMap((address) =>
      tradesOf(exchange, address).map(({ trade }) => trade.status),
    );
    expect(new Set(statuses)).toEqual(new Set(["SETTLED", "FAILED"]));
    expect(exchange.audit()).toMatchObject({ isConserved: true });
    exchange.stop();
  });

  it("try again later if the market accepts no orders", async () => {
    const { clock, exchange, addresses } = traders();
    exchange.start();
    exchange.setMarketStatus("btcusdc", "SUSPENDED");
    await clock.runFor(30_000);
    expect(addresses.every((address) => exchange.positionLots(address, "btcusdc") === 0)).toBe(
      true,
    );
    exchange.setMarketStatus("btcusdc", "TRADING");
    await clock.runFor(20_000);
    expect(addresses.every((address) => exchange.positionLots(address, "btcusdc") !== 0)).toBe(
      true,
    );
    exchange.stop();
  });

  it("stop with the exchange, and continue with their positions when it starts again, also from its records", async () => {
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
    expect(
      second.addresses.map((address) => second.exchange.positionLots(address, "btcusdc")),
    ).toEqual(held);
    for (const address of second.addresses) {
      const deposits = accountOf(second.exchange, address)
        .incomes.page({ limit: 100 })
        .filter(({ type }) => type === "DEPOSIT");
      expect(deposits).toHaveLength(1);
    }
    second.exchange.stop();
  });

  it("fail the start if no accounts are left for them", () => {
    const { exchange } = traders({ count: 2, exchange: { maxAccounts: 4 } });
    exchange.register("0x00000000000000000000000000000000000000aa");
    expect(() => exchange.start()).toThrow(RunError);
    exchange.stop();
  });
});
