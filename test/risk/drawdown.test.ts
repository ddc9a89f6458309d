import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import {
  observeEquity,
  type PeakEquity,
  resetPeak,
  restorePeak,
  serialisePeak,
} from "#risk/drawdown.js";

const MAX = 500n;
const read = (before: PeakEquity | undefined, equity: bigint, netDeposits = 0n) =>
  observeEquity(before, { equity, netDeposits }, MAX);

describe("the loss from peak equity", () => {
  it("is counted from the highest value ever, not from the start", () => {
    const risen = read(read(undefined, 1_000n).peak, 3_000n).peak;
    expect(read(risen, 2_500n)).toMatchObject({ loss: 500n, isOver: false });
    expect(read(risen, 2_499n)).toMatchObject({ loss: 501n, isOver: true });
  });

  it("does not halt a bot that has not lost: the first reading is the first peak", () => {
    expect(read(undefined, 10n)).toMatchObject({ loss: 0n, isOver: false });
    expect(read(undefined, -10n)).toMatchObject({ loss: 0n });
  });

  it("counts neither a deposit as profit nor a withdrawal as loss", () => {
    const peak = read(undefined, 1_000n, 1_000n).peak;
    const withdrawn = read(peak, 100n, 100n);
    expect(withdrawn).toMatchObject({ loss: 0n, peak: { peak: 100n } });
    const deposited = read(withdrawn.peak, 5_100n, 5_100n);
    expect(read(deposited.peak, 4_599n, 5_100n).isOver).toBe(true);
    expect(read(read(peak, 1_400n, 2_000n).peak, 1_400n, 2_000n)).toMatchObject({ loss: 600n });
  });

  it("survives a restart, including a deposit in between", () => {
    const peak = restorePeak(serialisePeak(read(undefined, 2_000n, 1_500n).peak));
    expect(read(peak, 1_499n, 1_500n).isOver).toBe(true);
    expect(read(peak, 1_600n, 1_600n).loss).toBe(500n);
  });

  it.each([
    "",
    "{}",
    "[]",
    "null",
    '{"version":2,"peak":"1","netDeposits":"0"}',
    '{"version":1,"peak":1,"netDeposits":"0"}',
    '{"version":1,"peak":"1.5","netDeposits":"0"}',
  ])("refuses an unreadable stored peak (%s) rather than forget it", (text) => {
    expect(() => restorePeak(text)).toThrow(FormatError);
  });

  it("starts again from the present net value when a person has checked and resumed", () => {
    const tripped = read(read(undefined, 3_000n).peak, 2_000n);
    expect(tripped.isOver).toBe(true);
    const again = resetPeak({ equity: 2_000n, netDeposits: 0n });
    expect(read(again, 1_500n).isOver).toBe(false);
    expect(read(again, 1_499n).isOver).toBe(true);
  });

  it("is the largest fall of trading equity, for any path of profits and deposits", () => {
    const step = fc.record({
      profit: fc.bigInt({ min: -300n, max: 300n }),
      deposit: fc.bigInt({ min: -200n, max: 200n }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        let trading = 0n;
        let netDeposits = 0n;
        let highest: bigint | undefined;
        let state: PeakEquity | undefined;
        for (const { profit, deposit } of steps) {
          trading += profit;
          netDeposits += deposit;
          if (highest === undefined || trading > highest) highest = trading;
          const seen = observeEquity(state, { equity: trading + netDeposits, netDeposits }, MAX);
          state = restorePeak(serialisePeak(seen.peak));
          expect(seen.loss).toBe(highest - trading);
          expect(seen.isOver).toBe(seen.loss > MAX);
        }
      }),
    );
  });
});
