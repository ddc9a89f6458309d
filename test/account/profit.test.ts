import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccountProfit } from "#account/account-profit.js";
import { entryValue } from "#account/entry-value.js";
import { FormatError } from "#core/errors.js";
import { Instrument } from "#core/instrument.js";
import type { Side } from "#core/units.js";
import type { VenueTrade } from "#exchange/records.js";
import { INSTRUMENT, MARKET, venueTrade } from "./exchange-story.js";

/** Marks are credit units per whole base: 60000.0 quote at 6 decimals. */
const MARK = 60_000_000_000n;

/** A market in which half a tick of a lot is far below a unit of credit. */
const FINE = new Instrument({
  marketId: "finequote",
  tickSize: "0.0025",
  stepSize: "0.00001",
  creditDecimals: 6,
  paperDecimals: 18,
});

describe("the profit split", () => {
  it("splits a round trip into half a spread each way and a rebate each, nothing else", () => {
    const profit = new AccountProfit(new Map([[MARKET, INSTRUMENT]]));
    profit.begin(MARKET, 0);
    profit.mark(MARKET, MARK);
    profit.mid(MARKET, 1_200_000);
    profit.fill(
      venueTrade(1, "BUY", 10, {
        ticks: 599_990,
        quote: INSTRUMENT.creditFloor(599_990, 10),
        commission: -60n,
      }),
    );
    profit.fill(
      venueTrade(2, "SELL", 10, {
        ticks: 600_010,
        quote: INSTRUMENT.creditFloor(600_010, 10),
        commission: -60n,
      }),
    );
    const { decimals, ...parts } = profit.parts();
    const unit = 10n ** BigInt(decimals - 6);
    // Ten ticks of 0.1 on 0.010 base, twice: 0.02 quote.
    expect(parts).toEqual({
      spread: 20_000n * unit,
      inventory: 0n,
      fees: 120n * unit,
      funding: 0n,
      basis: 0n,
      failed: 0n,
      liquidation: 0n,
      other: 0n,
      transfers: 0n,
      total: 20_120n * unit,
    });
  });

  it("keeps fees and fills that the incomes repeat from being counted twice, and deposits from being profit", () => {
    const profit = new AccountProfit(new Map([[MARKET, INSTRUMENT]]));
    const income = (type: string, amount: bigint) =>
      profit.income({ id: type, type, amount, timeMs: 1, marketId: MARKET });
    for (const type of ["MAKER_FEE", "TAKER_FEE", "BUY", "SELL"]) income(type, 1000n);
    income("FUNDING_FEE", -3n);
    income("DEPOSIT", 500n);
    income("WITHDRAWAL", -200n);
    income("BONUS", 7n);
    // The position that it moved is reported with its credit.
    income("LIQUIDATE", 900n);
    const { funding, transfers, other, total, decimals } = profit.parts();
    const unit = 10n ** BigInt(decimals - 6);
    expect([funding, transfers, other, total]).toEqual([
      -3n * unit,
      300n * unit,
      7n * unit,
      4n * unit,
    ]);
  });

  it("splits it by what is open: the position's gain at its entry price, and the rest", () => {
    const profit = new AccountProfit(new Map([[MARKET, INSTRUMENT]]));
    const split = (entryPrice?: string) => profit.split(() => entryPrice, MARKET);
    expect(split(), "flat").toMatchObject({ unrealised: 0n, realised: 0n });
    // Two lots that had cost 60000.333... on average, and have lost a third already.
    profit.begin(MARKET, 2, 0n, "60000.333333333333333333");
    expect(split("60000.333333333333333333"), "no mark yet").toBeUndefined();
    profit.mark(MARKET, MARK);
    profit.mid(MARKET, 1_200_000);
    expect(split(), "no entry price").toBeUndefined();
    // The least unit of credit is 0.000001: the cost is rounded to the nearest, 120.000667.
    expect(split("60000.333333333333333333")).toMatchObject({ unrealised: -667n, realised: 0n });
    const trade = { ticks: 600_010, quote: INSTRUMENT.creditFloor(600_010, 3), commission: 40n };
    profit.fill(venueTrade(1, "SELL", 3, trade));
    profit.mark(MARKET, MARK - 1_000_000n);
    const { total, decimals } = profit.parts(MARKET);
    const unit = 10n ** BigInt(decimals - 6);
    // One lot short from 60001, at 59999; what the two lots had lost before the start is not ours.
    expect(split("60001")).toEqual({
      unrealised: 2_000n,
      realised: total - 2_667n * unit,
      decimals,
    });
    expect(profit.split(() => "60001")).toEqual(split("60001"));
    profit.income({ id: "f", type: "FUNDING_FEE", amount: -9n, timeMs: 1, marketId: "elsewhere" });
    const sum = profit.split(() => "60001");
    expect([sum?.unrealised, sum?.realised]).toEqual([2_000n, total - 2_676n * unit]);
  });

  it("values a short at its entry price as a long, with the other sign", () => {
    for (const entryPrice of ["60000", "60000.5", "0.000000499999999", "123456.7890123456789"])
      for (const lots of [1n, 7n, 1_000_003n]) {
        const paper = lots * INSTRUMENT.paperPerLot;
        expect(entryValue(INSTRUMENT, -paper, entryPrice)).toBe(
          -entryValue(INSTRUMENT, paper, entryPrice),
        );
      }
    expect(entryValue(INSTRUMENT, INSTRUMENT.paperUnit, "60000.5")).toBe(60_000_500_000n);
    // Half a unit of credit is rounded up, anything less is dropped.
    expect(entryValue(INSTRUMENT, INSTRUMENT.paperUnit, "1.0000005")).toBe(1_000_001n);
    expect(entryValue(INSTRUMENT, INSTRUMENT.paperUnit, `1.000000${"4".repeat(50)}`)).toBe(
      1_000_000n,
    );
  });

  it("puts an income of a market that the bot does not trade under other, in the total", () => {
    const profit = new AccountProfit(new Map([[MARKET, INSTRUMENT]]));
    profit.income({ id: "1", type: "FUNDING_FEE", amount: 9n, timeMs: 1, marketId: "dogeusdc" });
    expect([profit.parts(MARKET).total, profit.parts().other > 0n]).toEqual([0n, true]);
  });

  it("refuses a mid that is not a positive integer", () => {
    const profit = new AccountProfit(new Map([[MARKET, INSTRUMENT]]));
    for (const mid of [0, -1, 0.5, Number.NaN])
      expect(() => profit.mid(MARKET, mid)).toThrow(FormatError);
  });

  it("sums to the contract's net value change to the last unit, on any grid, whatever happens", () => {
    const markets = [INSTRUMENT, FINE] as const;
    const sides: readonly Side[] = ["BUY", "SELL"];
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("fill" as const),
        side: fc.constantFrom(...sides),
        lots: fc.integer({ min: 1, max: 9999 }),
        ticks: fc.integer({ min: 500_001, max: 700_001 }),
        commission: fc.bigInt({ min: -999n, max: 999n }),
      }),
      fc.record({
        kind: fc.constant("mid" as const),
        half: fc.integer({ min: 1_000_001, max: 1_400_001 }),
      }),
      fc.record({
        kind: fc.constant("mark" as const),
        mark: fc.bigInt({ min: 50_000_000_001n, max: 70_000_000_001n }),
      }),
      fc.record({ kind: fc.constant("fail" as const), which: fc.nat(50) }),
      fc.record({
        kind: fc.constant("funding" as const),
        amount: fc.bigInt({ min: -99_999n, max: 99_999n }),
      }),
    );
    const story = fc.array(fc.record({ market: fc.nat(1), step }), { maxLength: 60 });
    const starts = fc.tuple(
      fc.integer({ min: -5000, max: 5000 }),
      fc.integer({ min: -5000, max: 5000 }),
    );
    fc.assert(
      fc.property(story, starts, (steps, [first, second]) => {
        const profit = new AccountProfit(
          new Map(markets.map((instrument) => [instrument.marketId, instrument])),
        );
        // The contract's valuation, computed independently: credit, paper and a mark, truncated
        // toward zero.
        const held = markets.map((instrument, index) => ({
          instrument,
          paper: BigInt(index === 0 ? first : second) * instrument.paperPerLot,
          mark: MARK,
          live: [] as VenueTrade[],
        }));
        let credit = 0n;
        const netValue = (): bigint =>
          held.reduce((sum, { paper, mark }) => sum + (paper * mark) / 10n ** 18n, credit);
        for (const { instrument, mark } of held) {
          profit.mark(instrument.marketId, mark);
          profit.begin(instrument.marketId, instrument === INSTRUMENT ? first : second);
        }
        const start = netValue();
        let id = 0;
        for (const { market, step: happening } of steps) {
          const at = held[market];
          if (at === undefined) throw new Error("two markets");
          const marketId = at.instrument.marketId;
          if (happening.kind === "mid") profit.mid(marketId, happening.half);
          if (happening.kind === "mark") {
            at.mark = happening.mark;
            profit.mark(marketId, happening.mark);
          }
          if (happening.kind === "funding") {
            credit += happening.amount;
            profit.income({
              id: `f${id++}`,
              type: "FUNDING_FEE",
              amount: happening.amount,
              timeMs: 1,
              marketId,
            });
          }
          if (happening.kind === "fill") {
            const { side, lots, ticks, commission } = happening;
            const trade = venueTrade(++id, side, lots, {
              marketId,
              ticks,
              quote: at.instrument.creditFloor(ticks, lots),
              commission,
            });
            const paper = BigInt(lots) * at.instrument.paperPerLot;
            at.paper += side === "BUY" ? paper : -paper;
            credit += (side === "BUY" ? -trade.quote : trade.quote) - commission;
            at.live.push(trade);
            profit.fill(trade);
          }
          if (happening.kind === "fail" && at.live.length > 0) {
            const [trade] = at.live.splice(happening.which % at.live.length, 1);
            if (trade === undefined) throw new Error("a live trade");
            const paper = BigInt(trade.lots) * at.instrument.paperPerLot;
            at.paper -= trade.side === "BUY" ? paper : -paper;
            credit += (trade.side === "BUY" ? trade.quote : -trade.quote) + trade.commission;
            profit.failed(trade);
          }
        }
        const { total, decimals, ...parts } = profit.parts();
        expect(total).toBe((netValue() - start) * 10n ** BigInt(decimals - 6));
        const { transfers, ...sources } = parts;
        expect(Object.values(sources).reduce((sum, part) => sum + part, transfers)).toBe(total);
        const perMarket = markets.map(({ marketId }) => profit.parts(marketId).total);
        expect(perMarket.reduce((sum, part) => sum + part, 0n)).toBe(total);
      }),
      { numRuns: 300 },
    );
  });
});
