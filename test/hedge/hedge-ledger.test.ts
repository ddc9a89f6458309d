import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sideSign } from "#core/units.js";
import { HedgeLedger } from "#hedge/hedge-ledger.js";
import type { HedgeFill, HedgeFunding } from "#hedge/hedge-venue.js";
import { serialiseHedge, storedHedgeSchema } from "#hedge/stored-hedge.js";
import { CONTRACT, hedgeFill, lotsValue, SYMBOL } from "./hedge-records.js";

const BEGAN_AT = 1_000_000;
const MID = 600_000.5;

const newLedger = () => new HedgeLedger(CONTRACT, undefined, BEGAN_AT);

/** The ledger as a bot finds it that starts again: through the text on the disk. */
function restarted(ledger: HedgeLedger): HedgeLedger {
  const text = serialiseHedge({
    version: 1,
    venue: "deep",
    symbol: SYMBOL,
    ...ledger.store(),
    orders: [],
  });
  return new HedgeLedger(CONTRACT, storedHedgeSchema.parse(JSON.parse(text)), BEGAN_AT + 9);
}

function payment(id: string, amount: bigint, timeMs = BEGAN_AT + 1): HedgeFunding {
  return { id, symbol: SYMBOL, amount, asset: "USDT", timeMs };
}

describe("the money of a hedge", () => {
  it("is that of its fills, fees and funding, to the unit", () => {
    const ledger = newLedger();
    ledger.count(hedgeFill("1", "SELL", 10, { quote: lotsValue(600_010, 10), fee: 7n }));
    ledger.count(hedgeFill("2", "BUY", 4, { quote: lotsValue(599_990, 4), fee: -3n }));
    ledger.count(hedgeFill("3", "BUY", 1, { fee: 11n, feeAsset: "BNB" }));
    ledger.countFunding(payment("f", -5n));
    expect(ledger.positionLots).toBe(-5);
    expect(ledger.profit(600_000)).toEqual({
      trading: lotsValue(10, 10) + lotsValue(10, 4),
      fees: 4n,
      funding: -5n,
      total: lotsValue(10, 14) - 9n,
      otherFees: { BNB: 11n },
    });
  });

  it("is counted once for each fill and payment, and goes back once when a fill is taken back", () => {
    const ledger = newLedger();
    const fill = hedgeFill("1", "BUY", 10, { fee: 7n });
    const reversal = { ...fill, isReversed: true };
    expect(ledger.count(fill)).toBe("counted");
    expect(ledger.count(fill)).toBe("repeated");
    expect(ledger.count(reversal)).toBe("reversed");
    expect(ledger.count(reversal)).toBe("repeated");
    expect(ledger.count(fill), "a late report of before it was taken back").toBe("repeated");
    expect(ledger.countFunding(payment("f", 5n))).toBe(true);
    expect(ledger.countFunding(payment("f", 5n))).toBe(false);
    expect(ledger.positionLots).toBe(0);
    expect(ledger.profit(MID)).toMatchObject({ trading: 0n, fees: 0n, funding: 5n, total: 5n });
  });

  it("has nothing of a fill that is first heard of when it is taken back", () => {
    const ledger = newLedger();
    expect(ledger.count(hedgeFill("1", "BUY", 10, { fee: 7n, isReversed: true }))).toBe("void");
    expect(ledger.count(hedgeFill("1", "BUY", 10, { fee: 7n }))).toBe("repeated");
    expect(ledger.positionLots).toBe(0);
    expect(ledger.profit(MID).total).toBe(0n);
  });

  it("begins at nothing with the position that is there, and has no fill of before", () => {
    const ledger = newLedger();
    ledger.noteEarlier(hedgeFill("1", "BUY", 3));
    ledger.adjust(-7, MID);
    expect(ledger.count(hedgeFill("1", "BUY", 3))).toBe("repeated");
    expect(ledger.positionLots).toBe(-7);
    expect(ledger.profit(MID).total).toBe(0n);
    expect(ledger.profit(MID + 10).total, "a short position loses").toBe(-lotsValue(10, 7));
  });

  it("shows what of the account's change it does not explain", () => {
    const ledger = newLedger();
    expect(ledger.residual(1n, MID)).toBeUndefined();
    expect(ledger.noteEquity(1_000n, MID)).toBe(true);
    expect(ledger.noteEquity(2_000n, MID), "only the first is the base").toBe(false);
    ledger.count(hedgeFill("1", "BUY", 10, { quote: lotsValue(600_000, 10), fee: 7n }));
    const gain = lotsValue(3, 10) - 7n;
    expect(ledger.residual(1_000n + gain, 600_003)).toBe(0n);
    expect(ledger.residual(1_000n + gain + 50n, 600_003), "a transfer").toBe(50n);
    expect(restarted(ledger).residual(1_000n + gain + 50n, 600_003)).toBe(50n);
  });
});

describe("the fills that a hedge asks for", () => {
  it("include one that was missed while the streams were down, though a newer one is known", () => {
    const ledger = newLedger();
    const later = BEGAN_AT + 3_600_000;
    ledger.count(hedgeFill("2", "BUY", 1, { timeMs: later }));
    expect(ledger.fillsSinceMs).toBeLessThanOrEqual(BEGAN_AT);
    expect(restarted(ledger).fillsSinceMs).toBeLessThanOrEqual(BEGAN_AT);
    expect(ledger.count(hedgeFill("1", "BUY", 1, { timeMs: BEGAN_AT + 5 }))).toBe("counted");
    ledger.noteAllRead();
    expect(ledger.fillsSinceMs, "all of them were read").toBeGreaterThan(later - 600_000);
    expect(ledger.fillsSinceMs).toBeLessThan(later);
  });

  it("are all known after a restart, so that none counts twice", () => {
    const ledger = newLedger();
    for (let index = 0; index < 200; index += 1) {
      const timeMs = BEGAN_AT + index * 10_000;
      ledger.count(hedgeFill(`${index}`, "BUY", 1, { timeMs }));
      if (index % 3 === 0) ledger.noteAllRead();
      const again = restarted(ledger);
      for (let old = 0; old <= index; old += 1) {
        const oldMs = BEGAN_AT + old * 10_000;
        if (oldMs < again.fillsSinceMs) continue;
        expect(again.count(hedgeFill(`${old}`, "BUY", 1, { timeMs: oldMs }))).toBe("repeated");
      }
    }
  });
});

describe("any mixture of fills, reversals and funding", () => {
  const fills = fc.uniqueArray(
    fc.record({
      id: fc.nat(30).map(String),
      side: fc.constantFrom("BUY" as const, "SELL" as const),
      lots: fc.integer({ min: 1, max: 50 }),
      ticks: fc.integer({ min: 590_000, max: 610_000 }),
      fee: fc.bigInt({ min: -1_000n, max: 100_000n }),
      feeAsset: fc.constantFrom("USDT", "BNB"),
      afterMs: fc.nat(500_000),
      isTakenBack: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 20 },
  );
  const funding = fc.uniqueArray(
    fc.record({ id: fc.nat(10).map(String), amount: fc.bigInt({ min: -9_999n, max: 9_999n }) }),
    { selector: ({ id }) => id, maxLength: 5 },
  );

  it("adds up to the unit, in any order, with repeats, over restarts", () => {
    fc.assert(
      fc.property(fills, funding, fc.infiniteStream(fc.nat(1_000)), (traded, paid, seed) => {
        const draws = seed[Symbol.iterator]();
        const drawn = (below: number): number => draws.next().value % below;
        let [lots, cash, fees, otherFees] = [0, 0n, 0n, 0n];
        const reports: (() => void)[] = [];
        let ledger = newLedger();
        for (const { ticks, afterMs, isTakenBack, ...one } of traded) {
          const more = { ...one, quote: lotsValue(ticks, one.lots), timeMs: BEGAN_AT + afterMs };
          const fill: HedgeFill = hedgeFill(one.id, one.side, one.lots, more);
          reports.push(
            () => ledger.count(fill),
            () => ledger.count(fill),
          );
          if (isTakenBack) {
            reports.push(() => ledger.count({ ...fill, isReversed: true }));
            continue;
          }
          lots += sideSign(one.side) * one.lots;
          cash -= BigInt(sideSign(one.side)) * lotsValue(ticks, one.lots);
          if (one.feeAsset === "USDT") fees += one.fee;
          else otherFees += one.fee;
        }
        let received = 0n;
        for (const { id, amount } of paid) {
          received += amount;
          for (let time = 0; time < 2; time += 1)
            reports.push(() => ledger.countFunding(payment(id, amount)));
        }
        while (reports.length > 0) {
          reports.splice(drawn(reports.length), 1)[0]?.();
          if (drawn(4) === 0) ledger = restarted(ledger);
          if (drawn(4) === 0) ledger.noteAllRead();
        }
        const profit = ledger.profit(600_000);
        expect(ledger.positionLots).toBe(lots);
        expect(profit.trading).toBe(cash + BigInt(lots) * lotsValue(600_000, 1));
        expect([profit.fees, profit.funding]).toEqual([fees, received]);
        expect(profit.otherFees.BNB ?? 0n).toBe(otherFees);
        expect(profit.total).toBe(profit.trading - fees + received);
        expect(restarted(ledger).profit(600_000)).toEqual(profit);
      }),
      { numRuns: 200 },
    );
  });
});
