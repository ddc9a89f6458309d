import { describe, expect, it } from "vitest";
import type { Clock } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { down, MARKET, MIDNIGHT, Session, snapshot, trade, up, update } from "./recorder-stage.js";

const NOON = MIDNIGHT + 43_200_000;

/** Covered time of a kind, in milliseconds after noon, and the recorder's findings about it. */
function told({ store }: Session, kind: "book" | "trades") {
  const [day] = store.days({ market: MARKET, kind });
  return {
    covered: day?.covered.map((span) => span.map((ms) => ms - NOON)),
    findings: day?.findings.map((finding) => finding.replace(/^\S+ /, "")),
  };
}

/** The clock of a machine that advances while the recorder's process is stopped. */
function stoppedBy({ clock }: Session, stoodMs: () => number): Clock {
  return {
    nowMs: () => clock.nowMs() + stoodMs(),
    monotonicMs: () => clock.monotonicMs() + stoodMs(),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
  };
}

describe("A recorder that receives nothing", () => {
  // Forty seconds of a stopped process, or a paused machine, were once stored as covered: a
  // backtest had no gap there, and a frozen book.
  it("because it stalled does not cover that time, and says so", async () => {
    const session = new Session(NOON);
    let stoodMs = 0;
    const clock = stoppedBy(session, () => stoodMs);
    await session.open({ runtime: { clock, random: seededRandom("stopped") } });
    await session.hear(up("market"), snapshot(1, [1000, 5], [1010, 1]), trade(1, NOON + 3));
    stoodMs = 40_000;
    // The delayed messages come at once, before the connection is closed.
    await session.hear(update(2, [1000, 6], []), down("market"));
    await session.recorder.close();
    const findings = [
      "the recorder stalled for 40.0 s: data of that time is missing or late",
      "the market stream was lost: a cable",
    ];
    expect(told(session, "book")).toEqual({
      covered: [
        [2, 4],
        [40_004, 40_005],
      ],
      findings,
    });
    expect(told(session, "trades")).toEqual({
      covered: [
        [1, 4],
        [40_004, 40_005],
      ],
      findings,
    });
  });

  it("keeps its book after minutes of a stall without losses", async () => {
    const session = new Session(NOON);
    let stoodMs = 0;
    const clock = stoppedBy(session, () => stoodMs);
    await session.open({ runtime: { clock, random: seededRandom("stopped") } });
    await session.hear(up("market"), snapshot(1, [1000, 5, 999, 3], [1010, 1]), trade(1, NOON + 3));
    stoodMs = 120_000;
    await session.hear(update(2, [1000, 6], []));
    await session.recorder.close();
    expect(await session.endingBook()).toEqual([
      [1000, 6],
      [999, 3],
      [-1010, 1],
    ]);
  });

  it("because its connection is dead covers the time up to the last message, not until the disconnect", async () => {
    const session = await new Session(NOON).open();
    await session.hear(up("market"), snapshot(1, [1000, 5], [1010, 1]), trade(1, NOON + 3));
    await session.clock.runFor(15_000);
    await session.hear(down("market"), up("market"), snapshot(9, [990, 2], [995, 2]));
    await session.recorder.close();
    const findings = ["the market stream was lost: a cable"];
    expect(told(session, "book")).toEqual({
      covered: [
        [2, 4],
        [15_006, 15_007],
      ],
      findings,
    });
    expect(told(session, "trades")).toEqual({
      covered: [
        [1, 4],
        [15_005, 15_007],
      ],
      findings,
    });
  });
});
