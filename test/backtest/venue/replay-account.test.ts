import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { marketTerms } from "#backtest/market-terms.js";
import { ReplayAccount } from "#backtest/replay-account.js";
import { Instrument } from "#core/instrument.js";
import type { MarketRules } from "#exchange/records.js";
import { GRID, stageRules } from "../engine/replay-stage.js";

const START = 1_000_000_000n;
const ONE = 10n ** 18n;
const IDS = ["btcusdc", "ethusdc"];

const RULES = stageRules(IDS, { maker: "-0.0001", taker: "0.0005" });

function terms(marketId: string) {
  const instrument = new Instrument({ marketId, ...GRID, creditDecimals: 6, paperDecimals: 18 });
  return marketTerms(RULES.markets[marketId] as MarketRules, instrument, {
    priceOff: ONE / 100n,
    insuranceFeeRate: ONE / 100n,
  });
}

const step = fc.record({
  marketId: fc.constantFrom(...IDS),
  what: fc.constantFrom("mark", "mark", "buy", "sell", "fund"),
  ticks: fc.integer({ min: 1, max: 900_000 }),
  lots: fc.integer({ min: 1, max: 3000 }),
  isMaker: fc.boolean(),
});

describe("the account of a replayed exchange", () => {
  // Equity, margin and own liquidation depend on it: a stale value would show a false profit, or
  // spare an account.
  it("is worth its credit and every position at the newest mark, after whatever happened", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const account = new ReplayAccount(new Map(IDS.map((id) => [id, terms(id)])), START);
        let credit = START;
        const held = new Map(IDS.map((id) => [id, { lots: 0, mark: 0n }]));
        for (const [at, { marketId, what, ticks, lots, isMaker }] of steps.entries()) {
          const holding = held.get(marketId) as { lots: number; mark: bigint };
          if (what === "mark") {
            holding.mark = BigInt(ticks) * 100_000n;
            account.mark(marketId, holding.mark);
          } else if (what === "fund") {
            credit += account.payFunding(
              { id: String(at), type: "FUNDING_FEE", timeMs: at, marketId },
              BigInt(ticks - 450_000) * 10n ** 10n,
            );
          } else {
            const side = what === "buy" ? "BUY" : "SELL";
            const { quote, commission } = account.fill(
              { id: String(at), marketId, side, isMaker, ticks, lots, timeMs: at },
              0n,
            );
            credit += (side === "BUY" ? -quote : quote) - commission;
            holding.lots += side === "BUY" ? lots : -lots;
          }
          let value = credit;
          let margin = 0n;
          for (const { lots: own, mark } of held.values()) {
            // 0.001 of a base unit a lot, truncated toward zero; 3 % of its size is the maintenance
            // margin.
            const worth = (BigInt(own) * mark) / 1000n;
            value += worth;
            margin += ((worth < 0n ? -worth : worth) * 3n) / 100n;
          }
          expect(account.netValue).toBe(value);
          expect(account.balances().netValue).toBe(value);
          expect(account.isSafe).toBe(value >= margin);
          expect(account.positions().map((position) => position.lots)).toEqual(
            [...held.values()].map((each) => each.lots),
          );
        }
        account.liquidate();
        expect(account.isSafe || account.positions().every(({ lots }) => lots === 0)).toBe(true);
      }),
    );
  });

  describe("what it may still buy and sell", () => {
    const QUOTE = 1_000_000n;
    /**
     * 1,000 of credit and 20 times that to trade with; 0.1 bought at 60,000 as a maker, which pays
     * 0.6.
     */
    const long = (): ReplayAccount => {
      const account = new ReplayAccount(new Map(IDS.map((id) => [id, terms(id)])), START);
      for (const marketId of IDS) account.mark(marketId, 60_000n * QUOTE);
      account.fill(
        {
          id: "1",
          marketId: "btcusdc",
          side: "BUY",
          isMaker: true,
          ticks: 600_000,
          lots: 100,
          timeMs: 0,
        },
        0n,
      );
      return account;
    };
    const free = 1_000_600_000n;

    it("is less on the side of its position and of its orders, and more on the other", () => {
      const account = long();
      expect(account.capacity("btcusdc").buy).toBe(20n * free - 6_000n * QUOTE);
      expect(account.capacity("btcusdc").sell).toBe(20n * free + 6_000n * QUOTE);
      account.open("btcusdc", "BUY", 590_000, 0, 50);
      account.open("btcusdc", "SELL", 610_000, 0, 10);
      expect(account.capacity("btcusdc").buy).toBe(20n * free - 6_000n * QUOTE - 2_950n * QUOTE);
      expect(account.capacity("btcusdc").sell).toBe(20n * free + 6_000n * QUOTE - 610n * QUOTE);
      account.open("btcusdc", "BUY", 590_000, 50, 0);
      expect(account.capacity("btcusdc").buy).toBe(20n * free - 6_000n * QUOTE);
    });

    it("is what other markets leave, when all orders of their worse side have filled, by a margin that is rounded up", () => {
      const account = long();
      account.open("btcusdc", "BUY", 590_000, 0, 50);
      for (const side of ["buy", "sell"] as const)
        expect(account.capacity("ethusdc")[side]).toBe(20n * free - 8_950n * QUOTE);
      // Shorting twice as much as is held and more makes the short side the worse one.
      account.open("btcusdc", "SELL", 610_000, 0, 300);
      for (const side of ["buy", "sell"] as const)
        expect(account.capacity("ethusdc")[side]).toBe(20n * free - 12_300n * QUOTE);
      account.mark("btcusdc", 60_000n * QUOTE + 10n);
      // One unit more of value and one less of short exposure: 615,000,000 less a twentieth of a
      // unit, rounded up.
      for (const side of ["buy", "sell"] as const)
        expect(account.capacity("ethusdc")[side]).toBe(20n * (free + 1n) - 12_300n * QUOTE);
    });

    it("is nothing where the margin is used up, but for what closes the position", () => {
      const account = long();
      account.mark("btcusdc", 50_000n * QUOTE);
      expect(account.netValue).toBe(600_000n);
      expect(account.capacity("btcusdc").buy).toBe(0n);
      expect(account.capacity("ethusdc").buy).toBe(0n);
      expect(account.isReduceOnly("btcusdc", "SELL", 100)).toBe(true);
      expect(account.isReduceOnly("btcusdc", "SELL", 101)).toBe(false);
      account.open("btcusdc", "SELL", 510_000, 0, 1);
      expect(account.isReduceOnly("btcusdc", "SELL", 100)).toBe(false);
      expect(account.isReduceOnly("btcusdc", "BUY", 1)).toBe(false);
    });
  });
});
