import { describe, expect, it } from "vitest";
import { fitNote } from "../../../src/backtest/compare/comparison-notes.js";
import type { FillMatch } from "../../../src/backtest/compare/match-fills.js";
import type { RecordedFill } from "../../../src/backtest/session/recorded-orders.js";

const match: FillMatch<RecordedFill, never> = { matchedLots: 0, unionLots: 0, liveOnly: [], replayedOnly: [] };
const shares = (fitted: number, unfitted: number) => ({
  best: { secondHalf: { match, share: fitted } },
  plain: { secondHalf: { match, share: unfitted } },
});

describe("what a comparison says of its fit", () => {
  // A trader took delays over into his backtests that chance had made in the first half of a session.
  it("is that it is not to be used, where the half that it did not see is more alike without it", () => {
    expect(fitNote("btcusdc", shares(0.9027, 0.9341))).toEqual([
      "in btcusdc the fit does worse than no fit in the half that it did not see, 90.27 % against 93.41 %: what it found is chance, and not to be used",
    ]);
  });

  it("is nothing where that half is no less alike with it", () => {
    expect([...fitNote("btcusdc", shares(1, 0.972)), ...fitNote("btcusdc", shares(0.98, 0.98))]).toEqual([]);
  });
});
