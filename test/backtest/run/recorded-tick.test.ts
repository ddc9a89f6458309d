import { describe, expect, it } from "vitest";
import { RecordedGridCheck } from "#backtest/recorded-grid-check.js";
import { LEAST_TICKS, MOST_TICKS } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";

const GRID = { marketId: "btcusdt", tickSize: "0.02", stepSize: "0.001" };

/** A book of so many levels a side whose prices are all multiples of five ticks, at an instant. */
function book(levels: number, us: number): TapeBuilder {
  const tape = new TapeBuilder(GRID).snapshot(us, us);
  for (let at = 0; at < levels; at++) tape.level("BUY", 5 * (1000 - at), 1);
  for (let at = 0; at < levels; at++) tape.level("SELL", 5 * (1001 + at), 1);
  return tape;
}

// A quote between two recorded prices has no queue ahead of it: with a tick of a fifth each quote
// improves the price for free, and earns an impossible profit.
describe("a tick that is finer than the recording's", () => {
  it("is reported for a whole book too, which is recorded with the ends of all prices", () => {
    const tick = new RecordedGridCheck();
    tick.addTape(book(60, 1000).level("SELL", MOST_TICKS, 0).level("BUY", LEAST_TICKS, 0).build());
    expect(tick.finerTickText).toMatch(
      /^a tick of 0\.02 is finer than that of the recording, whose first 120 prices are all multiples of 0\.1:/,
    );
  });

  it("is reported where one part has too few prices to show it, such as the first book of twenty levels", () => {
    const tick = new RecordedGridCheck();
    tick.addTape(book(20, 1000).build());
    expect(tick.finerTickText).toBeUndefined();
    tick.addTape(book(40, 2000).build());
    expect(tick.finerTickText).toMatch(/multiples of 0\.1:/);
  });

  it("is not reported where any price needs it", () => {
    const tick = new RecordedGridCheck();
    tick.addTape(book(60, 1000).trade(2000, 2000, "BUY", 5001, 1).build());
    expect(tick.finerTickText).toBeUndefined();
  });
});

const HOUR_US = 3_600_000_000;
const MIDNIGHT_US = Date.UTC(2025, 0, 1) * 1000;

/** Trades every ten seconds, at prices and of amounts of their own. */
function trades(
  fromUs: number,
  hours: number,
  ticksOf: (at: number) => number,
  lotsOf: (at: number) => number = () => 500,
): TapeBuilder {
  const tape = new TapeBuilder({ marketId: "btcusdt", tickSize: "0.01", stepSize: "0.001" });
  for (let at = 0; at < hours * 360; at++)
    tape.trade(fromUs + at * 10_000_000, fromUs + at * 10_000_000, "BUY", ticksOf(at), lotsOf(at));
  return tape;
}

const fine = (at: number): number => 10_000 + ((at * 7) % 61);
const coarse = (at: number): number => 10_000 + 10 * ((at * 7) % 41);

/** The warnings after these tapes, one after the other. */
function doubtsOf(...tapes: readonly TapeBuilder[]): readonly string[] {
  const tick = new RecordedGridCheck();
  for (const tape of tapes) tick.addTape(tape.build());
  return tick.warnings;
}

// An exchange changes its tick from one day to the next. The earlier days, whose prices need the
// run's tick, hid the warning.
describe("a tick or a step that changed during the recording", () => {
  it("is reported for the days that do not need it, whatever the days around them do", () => {
    const told = [
      /^a tick of 0\.01 is finer than that of the recording from 2025-01-01T00:00:00Z to 2025-01-01T02:00:00Z, whose 720 prices are all multiples of 0\.1: a quote .* run each period with its own rules$/,
    ];
    const [before, day, after] = [
      MIDNIGHT_US - 2 * HOUR_US,
      MIDNIGHT_US,
      MIDNIGHT_US + 24 * HOUR_US,
    ];
    for (const doubts of [
      doubtsOf(trades(before, 2, fine), trades(day, 2, coarse)),
      doubtsOf(trades(day, 2, coarse), trades(after, 2, fine)),
      doubtsOf(trades(before, 2, fine), trades(day, 2, coarse), trades(after, 2, fine)),
    ])
      expect(doubts).toEqual(told.map((text) => expect.stringMatching(text)));
  });

  it("is reported for the hours of a day before or after the change", () => {
    const [one, two] = [trades(MIDNIGHT_US, 5, fine), trades(MIDNIGHT_US + 5 * HOUR_US, 4, coarse)];
    expect(doubtsOf(one, two)).toEqual([
      expect.stringMatching(/from 2025-01-01T05:00:00Z to 2025-01-01T09:00:00Z, whose 1440 prices/),
    ]);
  });

  it("is reported once for consecutive days, and beside a single price that needs it", () => {
    const days = [0, 1, 2].map((day) => trades(MIDNIGHT_US + 24 * day * HOUR_US, 24, coarse));
    const before = trades(MIDNIGHT_US - 24 * HOUR_US, 24, fine);
    expect(doubtsOf(before, ...days)).toEqual([
      expect.stringMatching(/from 2025-01-01T00:00:00Z to 2025-01-04T00:00:00Z/),
    ]);
    const oddAt = (at: number): number => (at === 4000 ? 10_007 : coarse(at));
    expect(doubtsOf(trades(MIDNIGHT_US, 24, oddAt))).toEqual([
      expect.stringMatching(/from 2025-01-01T00:00:00Z to 2025-01-01T11:00:00Z/),
      expect.stringMatching(/from 2025-01-01T12:00:00Z to 2025-01-02T00:00:00Z/),
    ]);
  });

  it("is reported for steps as for ticks, also where the ticks stay the same", () => {
    const [small, large] = [
      (at: number) => 1 + ((at * 13) % 97),
      (at: number) => 10 * (1 + ((at * 13) % 97)),
    ];
    const before = trades(MIDNIGHT_US - 2 * HOUR_US, 2, fine, small);
    expect(doubtsOf(before, trades(MIDNIGHT_US, 2, fine, large))).toEqual([
      expect.stringMatching(
        /^a step of 0\.001 is finer than that of the recording from 2025-01-01T00:00:00Z .* 720 amounts are all multiples of 0\.01: the exchange would have rejected/,
      ),
    ]);
    expect(doubtsOf(trades(MIDNIGHT_US, 2, fine, large))).toEqual([
      expect.stringMatching(/whose first 720 amounts are all multiples of 0\.01/),
    ]);
  });

  it("is not reported for a day with only a few different prices or amounts", () => {
    const resting = (at: number): number => [10_000, 10_010, 10_020][at % 3] as number;
    expect(
      doubtsOf(trades(MIDNIGHT_US - 2 * HOUR_US, 2, fine), trades(MIDNIGHT_US, 2, resting)),
    ).toEqual([]);
  });
});
