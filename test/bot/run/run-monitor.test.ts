import { describe, expect, it } from "vitest";
import { RunMonitor } from "../../../src/bot/run/run-monitor.js";
import { VirtualClock } from "../../../src/core/virtual-clock.js";
import type { Opportunity, Unwound } from "../../../src/liquidator/ledger/opportunity.js";
import { silentLog } from "../../../src/monitoring/log.js";
import { Metrics } from "../../../src/monitoring/metrics.js";

const WON: Opportunity = {
  id: "one",
  victim: `0x${"51".repeat(20)}`,
  perp: `0x${"52".repeat(20)}`,
  marketId: "btcusdc",
  outcome: "won",
  atMs: {},
};

/** The notes of a run in which a takeover's unwinding has come to its end. */
function notesOf(unwound: Unwound): readonly (readonly [string, string])[] {
  const monitor = new RunMonitor(new Metrics(), silentLog, new VirtualClock(0), () => {});
  monitor.liquidation.hear({ opportunity: { ...WON, unwound }, stage: { name: "unwound", seconds: 1 } });
  return monitor.notes.map(({ level, text }) => [level, text.replace(/ marketId=.*/, "")]);
}

const SALE = { remainingLots: 0, earnedCredit: 1n };

describe("a takeover whose unwinding is over", () => {
  it.each(["done", "dust", "expired"] as const)("is sold when nothing of it is left (%s)", (state) => {
    expect(notesOf({ ...SALE, state })).toEqual([["info", "what was taken over is sold"]]);
  });

  it.each([3, -3])("was not sold in time when %d lots are left at its deadline", (remainingLots) => {
    expect(notesOf({ ...SALE, state: "expired", remainingLots })).toEqual([["warn", "what was taken over was not sold in time"]]);
  });
});
