import { describe, expect, it } from "vitest";
import { constantLatency } from "#backtest/latency.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage } from "./replay-stage.js";

describe("a replayed bot", () => {
  // A decision timer takes whole milliseconds. A tick may come between the instant at which a
  // decision is due and that timer.
  it("finds a decision that is due before its timer fires", () => {
    const level = (tape: TapeBuilder, mid: number): unknown =>
      tape.level("BUY", mid - 1, 30).level("SELL", mid + 1, 30);
    const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
    level(tape.snapshot(NOON_US, NOON_US + 1_300), 600_000);
    // Decided at 4,099.6 ms, due again at 4,199.6; the earlier timer fires at 4,163.301 and is set
    // again, for 4,200.301.
    level(
      tape
        .update(NOON_US + 4_098_000, NOON_US + 4_099_600)
        .level("BUY", 599_999, 0)
        .level("SELL", 600_001, 0),
      600_010,
    );
    const stage = new ReplayStage({
      markets: { [MARKET]: { grade: "books", tape: tape.build() } },
      strategies: { [MARKET]: quoting(() => []) },
      latency: constantLatency(10.1, 10),
    });
    stage.run.play(NOON_US + 5_000_000);
    const decidedUs = stage.notices.flatMap(({ notice, atUs }) =>
      notice.kind === "intent" ? [atUs - NOON_US] : [],
    );
    expect(decidedUs).toContain(4_200_000);
  });
});
