import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import {
  computeDayLoss,
  observeDay,
  restoreDayStart,
  serialiseDayStart,
  toUtcDay,
} from "#risk/day-loss.js";

const DAY = 86_400_000;

describe("the loss of a day", () => {
  it("counts from the day's first reading, at midnight UTC", () => {
    expect([toUtcDay(DAY - 1), toUtcDay(DAY)]).toEqual([0, 1]);
    const monday = observeDay(undefined, { equity: 1_000n, netDeposits: 0n }, 4);
    expect(computeDayLoss(monday, { equity: 700n, netDeposits: 0n })).toBe(300n);
    const tuesday = observeDay(monday, { equity: 700n, netDeposits: 0n }, 5);
    expect(computeDayLoss(tuesday, { equity: 650n, netDeposits: 0n })).toBe(50n);
    expect(
      observeDay(tuesday, { equity: 1n, netDeposits: 0n }, 4),
      "a clock that steps back over midnight",
    ).toBe(tuesday);
  });

  it("ignores deposits and withdrawals, reported or in transit", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -10_000n, max: 10_000n }),
        fc.bigInt({ min: 0n, max: 500n }),
        (transfer, lost) => {
          const start = observeDay(undefined, { equity: 20_000n, netDeposits: 7n }, 1);
          expect(
            computeDayLoss(start, {
              equity: 20_000n + transfer - lost,
              netDeposits: 7n + transfer,
            }),
          ).toBe(lost);
          const untold = computeDayLoss(start, {
            equity: 20_000n + transfer,
            netDeposits: 7n,
            possibleTransfer: transfer,
          });
          expect(untold).toBe(0n);
        },
      ),
    );
    const begun = observeDay(
      undefined,
      { equity: 1_500n, netDeposits: 0n, possibleTransfer: 500n },
      1,
    );
    expect(
      computeDayLoss(begun, { equity: 1_500n, netDeposits: 500n }),
      "a deposit that was on its way at midnight",
    ).toBe(0n);
  });

  it("is stored exactly, and refused if corrupt: a bot must not forget today's loss", () => {
    const start = { day: 20_000, equity: 123_456_789_012_345_678n, netDeposits: -5n };
    expect(restoreDayStart(JSON.parse(JSON.stringify(serialiseDayStart(start))))).toEqual(start);
    expect(restoreDayStart(undefined), "of an earlier version").toBeUndefined();
    for (const broken of [
      null,
      1,
      {},
      { ...serialiseDayStart(start), fromMs: 5 },
      { ...serialiseDayStart(start), equity: "much" },
    ])
      expect(() => restoreDayStart(broken)).toThrow(FormatError);
  });
});
