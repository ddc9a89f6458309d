import { describe, expect, it } from "vitest";
import { LEAST_INDEPENDENT_MOVES } from "#backtest/signal-horizon.js";
import { SIGNAL_SECONDS, SignalRecord } from "#backtest/signal-record.js";
import { recordSynthetic, type SyntheticSignal } from "./synthetic-signal.js";

const SECOND = 1_000_000;
const SEEDS = 300;
/** Three deviations of a share of 0.95 in so many runs, and what overlapping blocks may take. */
const LEAST_COVERAGE = 0.95 - 3 * Math.sqrt((0.95 * 0.05) / SEEDS) - 0.01;

function horizonsOf(synthetic: SyntheticSignal) {
  return recordSynthetic(synthetic).result() ?? [];
}

/** By horizon: share of the runs whose interval has the value, where each run has figures. */
function coverage(
  synthetic: Omit<SyntheticSignal, "seed">,
  figure: "slope" | "hitRate",
  value: number,
): readonly number[] {
  const covered = SIGNAL_SECONDS.map(() => 0);
  const told = SIGNAL_SECONDS.map(() => 0);
  for (let seed = 0; seed < SEEDS; seed += 1) {
    for (const [at, { figures }] of horizonsOf({ ...synthetic, seed: String(seed) }).entries()) {
      if (figures === undefined) continue;
      const { low, high } = figures[figure];
      told[at] = (told[at] as number) + 1;
      covered[at] = (covered[at] as number) + (low <= value && value <= high ? 1 : 0);
    }
  }
  return covered.flatMap((runs, at) => (told[at] === SEEDS ? [runs / SEEDS] : []));
}

/** A mid that is set at instants, and predictions between them. */
function recorded(
  events: readonly { atUs: number; midHalfTicks?: number; predicts?: number }[],
  endUs: number,
) {
  const record = new SignalRecord();
  let now = Number.NaN;
  for (const { atUs, midHalfTicks, predicts } of events) {
    if (atUs > record.nextDueUs) record.settle(atUs, now);
    if (predicts !== undefined) record.predict(atUs, predicts);
    now = midHalfTicks ?? now;
  }
  record.settle(endUs + 1, now);
  return record.result() ?? [];
}

describe("the worth of a signal", () => {
  it("is known to the digit where the mid moves by half of each prediction", () => {
    // Each 20 s the mid is predicted to move by 2 or 4 ticks, and moves half of it at once.
    const moves = [2, -4, 4, -2];
    let midHalfTicks = 20_000;
    const events = Array.from({ length: 200 }, (_, at) => {
      const predicts = moves[at % 4] as number;
      const atUs = at * 20 * SECOND;
      const first = { atUs, midHalfTicks, predicts };
      midHalfTicks += predicts;
      return [first, { atUs: atUs + 1, midHalfTicks }];
    }).flat();
    for (const { predictions, independentMoves, figures } of recorded(events, 4000 * SECOND)) {
      expect([predictions, independentMoves]).toEqual([200, 200]);
      expect(figures?.slope).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
      expect(figures?.correlation).toBeCloseTo(1, 12);
      // Wilson's interval of 200 hits in 200, with Student's quantile for 99 to 199 degrees
      // of freedom: blocks of 40 s have two.
      const squared = 1.98 ** 2;
      expect(figures?.hitRate).toEqual({
        value: 1,
        low: expect.closeTo(200 / (200 + squared), 3),
        high: 1,
      });
      // Moves of 3 and 1.5 ticks on average, of about 10,000: three and one and a half points.
      expect(figures?.predictedBps).toBeCloseTo(3, 2);
      expect(figures?.realisedBps.value).toBeCloseTo(1.5, 2);
    }
  });

  it("does not count what the mid moved at or before the instant of the prediction", () => {
    const events = Array.from({ length: 240 }, (_, at) => ({
      atUs: at * 20 * SECOND,
      midHalfTicks: 20_000 + 2 * (at % 2),
      predicts: at % 2 === 0 ? -1 : 1,
    }));
    for (const { predictions, independentMoves, figures } of recorded(events, 4800 * SECOND))
      expect([predictions, independentMoves, figures]).toEqual([240, 0, undefined]);
  });

  it("finds the slope of a mid that follows its predictions", () => {
    const [tenth] = horizonsOf({ seed: "follows", seconds: 400, follows: 1 });
    const { slope, hitRate, realisedBps } = tenth?.figures ?? {};
    expect(slope?.low).toBeLessThan(1);
    expect(slope?.high).toBeGreaterThan(1);
    expect(slope?.low).toBeGreaterThan(0.8);
    expect(hitRate?.low).toBeGreaterThan(0.5);
    expect(realisedBps?.low).toBeGreaterThan(0);
  });

  it("does not take a signal for worth something that the mid ignores, in 95 of 100 runs", () => {
    const ignoring = { seconds: 400, follows: 0 };
    for (const [figure, value] of [
      ["slope", 0],
      ["hitRate", 0.5],
    ] as const) {
      const shares = coverage(ignoring, figure, value);
      expect(shares).toHaveLength(4);
      for (const share of shares) {
        expect(share, figure).toBeGreaterThan(LEAST_COVERAGE);
        expect(share, figure).toBeLessThan(0.985);
      }
    }
  });

  it("holds a calibrated signal's slope in 95 of 100 runs that are just long enough", () => {
    const [share] = coverage({ seconds: 18, follows: 1 }, "slope", 1);
    expect(share).toBeGreaterThan(LEAST_COVERAGE);
  });

  it("is no surer because each prediction is made ten times", () => {
    const once = horizonsOf({ seed: "a", seconds: 200, follows: 1 });
    const often = horizonsOf({ seed: "a", seconds: 200, follows: 1, repeats: 10 });
    for (const [at, { predictions, independentMoves, figures }] of once.entries()) {
      expect(often[at]?.predictions).toBe(10 * predictions);
      expect(often[at]?.independentMoves).toBe(independentMoves);
      for (const bound of ["low", "high"] as const)
        if (figures !== undefined)
          expect(often[at]?.figures?.slope[bound]).toBeCloseTo(figures.slope[bound], 9);
    }
  });

  it("gives no figure to a run with too few independent moves, however many predictions it has", () => {
    const few = horizonsOf({ seed: "short", seconds: 60, follows: 1, repeats: 20 });
    expect(few.map(({ figures }) => figures !== undefined)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    for (const { predictions, independentMoves, figures } of few) {
      expect(predictions).toBeGreaterThan(9000);
      expect(independentMoves >= LEAST_INDEPENDENT_MOVES).toBe(figures !== undefined);
    }
  });

  it("has no direction where a prediction is the rounding of its arithmetic", () => {
    const events = Array.from({ length: 400 }, (_, at) => ({
      atUs: at * 20 * SECOND,
      midHalfTicks: 20_000 + 2 * (at % 3),
      predicts: 1e-11,
    }));
    for (const { predictions, independentMoves } of recorded(events, 8000 * SECOND))
      expect([predictions, independentMoves]).toEqual([400, 0]);
  });

  it("leaves out what was predicted before any mid was known", () => {
    const events = [
      { atUs: 0, predicts: 1 },
      { atUs: SECOND, midHalfTicks: 20_000 },
    ];
    for (const { predictions } of recorded(events, 30 * SECOND)) expect(predictions).toBe(0);
    expect(new SignalRecord().result()).toBeUndefined();
  });
});
