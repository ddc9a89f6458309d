import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { marketTerms } from "../../../src/backtest/venue/market-terms.js";
import { ReplayAccount } from "../../../src/backtest/venue/replay-account.js";
import { Instrument } from "../../../src/core/instrument.js";
import type { MarketRules } from "../../../src/exchange/records.js";
import { GRID, stageRules } from "../engine/replay-stage.js";

const START = 1_000_000_000n;
const ONE = 10n ** 18n;
const IDS = ["btcusdc", "ethusdc"];

const RULES = stageRules(IDS, { maker: "-0.0001", taker: "0.0005" });

function terms(marketId: string) {
  const instrument = new Instrument({ marketId, ...GRID, creditDecimals: 6, paperDecimals: 18 });
  return marketTerms(RULES.markets[marketId] as MarketRules, instrument, { priceOff: ONE / 100n, insuranceFeeRate: ONE / 100n });
}

const step = fc.record({
  marketId: fc.constantFrom(...IDS),
  what: fc.constantFrom("mark", "mark", "buy", "sell", "fund"),
  ticks: fc.integer({ min: 1, max: 900_000 }),
  lots: fc.integer({ min: 1, max: 3000 }),
  isMaker: fc.boolean(),
});

describe("the account of a replayed exchange", () => {
  // Equity, margin and own liquidation all rest on it: a stale value would show a profit that is not there, or spare an account.
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
            credit += account.fund({ id: String(at), type: "FUNDING_FEE", timeMs: at, marketId }, BigInt(ticks - 450_000) * 10n ** 10n);
          } else {
            const side = what === "buy" ? "BUY" : "SELL";
            const { quote, commission } = account.fill({ id: String(at), marketId, side, isMaker, ticks, lots, timeMs: at }, 0n);
            credit += (side === "BUY" ? -quote : quote) - commission;
            holding.lots += side === "BUY" ? lots : -lots;
          }
          let value = credit;
          let margin = 0n;
          for (const { lots: own, mark } of held.values()) {
            // 0.001 of a base unit a lot, truncated toward zero; 3 % of its size is the maintenance margin.
            const worth = (BigInt(own) * mark) / 1000n;
            value += worth;
            margin += ((worth < 0n ? -worth : worth) * 3n) / 100n;
          }
          expect(account.netValue).toBe(value);
          expect(account.balances().netValue).toBe(value);
          expect(account.isSafe).toBe(value >= margin);
          expect(account.positions().map((position) => position.lots)).toEqual([...held.values()].map((each) => each.lots));
        }
        account.liquidate();
        expect(account.isSafe || account.positions().every(({ lots }) => lots === 0)).toBe(true);
      }),
    );
  });
});
