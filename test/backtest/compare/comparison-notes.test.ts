import { describe, expect, it } from "vitest";
import {
  fitNote,
  guardHaltNotes,
  nothingFilledNote,
  rungNotes,
} from "#backtest/comparison-notes.js";
import { HaltHistory } from "#backtest/halt-history.js";
import type { FillMatch } from "#backtest/match-fills.js";
import type { RecordedFill } from "#backtest/recorded-orders.js";

const match: FillMatch<RecordedFill, never> = {
  matchedLots: 0,
  unionLots: 0,
  liveOnly: [],
  replayedOnly: [],
};
const shares = (fitted: number, unfitted: number) => ({
  best: { secondHalf: { match, share: fitted } },
  plain: { secondHalf: { match, share: unfitted } },
});

describe("the notes of a comparison on its fit", () => {
  // Delays that fitted the first half of a session by chance must not be copied into backtests.
  it("advise against it where the second half agrees better without it", () => {
    expect(fitNote("btcusdc", shares(0.9027, 0.9341))).toEqual([
      "in btcusdc the fit is worse than no fit in the second half of the session, 90.27 % against 93.41 %: its values come from chance, do not use them",
    ]);
  });

  it("are empty where the second half agrees at least as well with it", () => {
    expect([
      ...fitNote("btcusdc", shares(1, 0.972)),
      ...fitNote("btcusdc", shares(0.98, 0.98)),
    ]).toEqual([]);
  });
});

describe("the notes of a comparison on guards", () => {
  const TIME = { startedUs: 0, endedUs: 60_000_000 };
  const halt = (reason: string, marketId: string | undefined, ...spans: [number, number][]) => ({
    reason,
    marketId,
    spans,
  });

  // Live was halted by its drawdown for half a session, and the rerun kept earning. The comparison
  // must say why.
  it("state for how long which guards kept the quotes of each down, where that differs", () => {
    const live = [
      halt("drawdown", undefined, [30_000, 60_000]),
      halt("stale-book", "btcusdc", [28_000, 31_000], [59_000, 60_000]),
      halt("manual", undefined, [0, 20_000]),
    ];
    expect(
      guardHaltNotes(TIME, ["btcusdc", "ethusdc"], live, [
        halt("stale-book", "btcusdc", [1_000, 2_500]),
      ]),
    ).toEqual([
      "in btcusdc guards kept the session from quoting for 32.0 of its 60.0 s (drawdown 30.0 s, stale-book 4.0 s), and the rerun for 1.5 s (stale-book 1.5 s)",
      "in ethusdc guards kept the session from quoting for 30.0 of its 60.0 s (drawdown 30.0 s), and the rerun for 0.0 s",
    ]);
  });

  it("state separately for how long the risk ladder widened or reduced the quotes, which were not down", () => {
    const stood = new HaltHistory(0);
    const rung = (action: "widen" | "reduce" | "halt", atMs: number) =>
      stood.onBotEvent(
        {
          kind: "rung",
          measure: "drawdown",
          marketId: undefined,
          action,
          widenFactor: undefined,
          why: "lost",
        },
        atMs,
      );
    rung("widen", 10_000);
    rung("reduce", 20_000);
    rung("halt", 40_000);
    stood.onBotEvent(
      { kind: "halted", reason: "drawdown", marketId: undefined, on: true, why: "lost" },
      40_000,
    );
    const live = stood.haltsUntil(60_000);
    expect(guardHaltNotes(TIME, ["btcusdc"], live, [])).toEqual([
      expect.stringContaining("from quoting for 20.0 of its 60.0 s (drawdown 20.0 s)"),
    ]);
    expect(rungNotes(TIME, ["btcusdc"], live, [])).toEqual([
      "in btcusdc the risk ladder widened or reduced the session's quotes for 30.0 of its 60.0 s (drawdown 30.0 s), and the rerun's quotes for 0.0 s",
    ]);
  });

  it("are empty where guards of other names kept them down for as long", () => {
    const live = [halt("book-unsynchronised", "btcusdc", [8_000, 16_000])];
    expect(
      guardHaltNotes(TIME, ["btcusdc"], live, [halt("stale-book", "btcusdc", [8_900, 16_000])]),
    ).toEqual([]);
  });
});

describe("the notes of a comparison on shares of nothing", () => {
  const parts = (whole: number, firstHalf: number, secondHalf: number) => ({
    whole: { match: { unionLots: whole } },
    firstHalf: { match: { unionLots: firstHalf } },
    secondHalf: { match: { unionLots: secondHalf } },
  });

  // A session that was halted agreed to 100 % in both of its halves, like one whose backtest can be
  // believed.
  it("warn where the whole or one half has no fill", () => {
    expect(nothingFilledNote("btcusdc", parts(0, 0, 0))).toEqual([
      "in btcusdc none of the session's orders was filled, neither live nor in the replay: the agreement of 100 % there means nothing",
    ]);
    expect(nothingFilledNote("btcusdc", parts(7, 7, 0))).toEqual([
      expect.stringContaining("filled in the second half, neither"),
    ]);
    expect(nothingFilledNote("btcusdc", parts(7, 0, 7))).toEqual([
      expect.stringContaining("filled in the first half, neither"),
    ]);
  });

  it("are empty where each half has a fill", () => {
    expect(nothingFilledNote("btcusdc", parts(7, 3, 4))).toEqual([]);
  });
});
