import { describe, expect, it } from "vitest";
import { IncomeLedger } from "#account/income-ledger.js";
import type { VenueIncome } from "#exchange/records.js";
import { MARKET, T0 } from "./exchange-story.js";

const income = (id: number, timeMs: number): VenueIncome => ({
  id: String(id),
  type: "FUNDING_FEE",
  amount: 5n,
  timeMs,
  marketId: MARKET,
});

describe("incomes", () => {
  it("are counted once, and not from before the beginning", () => {
    const ledger = new IncomeLedger();
    ledger.begin(T0);
    expect([
      ledger.income(income(1, T0 - 1)),
      ledger.income(income(2, T0)),
      ledger.income(income(2, T0)),
    ]).toEqual([false, true, false]);
  });

  it("with a shared id are each counted, since an exchange may write several incomes of one event", () => {
    const ledger = new IncomeLedger();
    ledger.begin(T0);
    const paid = income(7, T0);
    expect([
      ledger.income({ ...paid, type: "TAKER_FEE" }),
      ledger.income(paid),
      ledger.income({ ...paid, amount: 6n }),
    ]).toEqual([true, true, true]);
    expect([ledger.income({ ...paid, type: "TAKER_FEE" }), ledger.income(paid)]).toEqual([
      false,
      false,
    ]);
  });

  it("are forgotten once they will not be queried again, and stay counted", () => {
    const ledger = new IncomeLedger();
    ledger.begin(T0);
    for (let minute = 0; minute < 60; minute += 1) {
      ledger.income(income(minute, T0 + minute * 60_000));
      ledger.listed(T0 + minute * 60_000);
    }
    expect(ledger.nextQueryFromMs()).toBe(T0 + 58 * 60_000);
    expect(ledger.income(income(3, T0 + 3 * 60_000))).toBe(false);
    expect(ledger.income(income(59, T0 + 59 * 60_000))).toBe(false);
  });
});
