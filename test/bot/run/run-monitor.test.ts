import { describe, expect, it } from "vitest";
import { RunMonitor } from "#bot/run-monitor.js";
import { protectSecret } from "#core/secrets.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { Opportunity, UnwindProgress } from "#liquidator/opportunity.js";
import { createLog, silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";

const WON: Opportunity = {
  id: "one",
  victim: `0x${"51".repeat(20)}`,
  perp: `0x${"52".repeat(20)}`,
  marketId: "btcusdc",
  outcome: "won",
  atMs: {},
};

/** The notes of a run in which a takeover's unwinding has ended. */
function notesOf(unwound: UnwindProgress): readonly (readonly [string, string])[] {
  const monitor = new RunMonitor(new Metrics(), silentLog, new VirtualClock(0), () => {});
  monitor.liquidation.onLedgerChange({
    opportunity: { ...WON, unwound },
    stage: { name: "unwound", seconds: 1 },
  });
  return monitor.notes.map(({ level, text }) => [level, text.replace(/ marketId=.*/, "")]);
}

describe("the metrics of an opportunity", () => {
  it("count its stages and its outcome separately", async () => {
    const metrics = new Metrics();
    const { liquidation } = new RunMonitor(metrics, silentLog, new VirtualClock(0), () => {});
    const open: Opportunity = { ...WON, outcome: "open" };
    for (const name of ["seen", "confirmed", "mined"] as const)
      liquidation.onLedgerChange({ opportunity: open, stage: { name, seconds: 2 } });
    liquidation.onLedgerChange({ opportunity: WON, outcome: "won" });
    const lines = (await metrics.page())
      .split("\n")
      .filter((line) =>
        /^marketwright_liquidation(s_total|_stages|_seconds_(sum|count))/.test(line),
      );
    expect(lines).toEqual([
      'marketwright_liquidations_total{market="btcusdc",outcome="won"} 1',
      'marketwright_liquidation_stages_total{market="btcusdc",stage="seen"} 1',
      'marketwright_liquidation_stages_total{market="btcusdc",stage="confirmed"} 1',
      'marketwright_liquidation_stages_total{market="btcusdc",stage="mined"} 1',
      'marketwright_liquidation_seconds_sum{stage="confirmed"} 2',
      'marketwright_liquidation_seconds_count{stage="confirmed"} 1',
      'marketwright_liquidation_seconds_sum{stage="mined"} 2',
      'marketwright_liquidation_seconds_count{stage="mined"} 1',
    ]);
  });
});

describe("the gas of an opportunity", () => {
  it("keeps its counter if another receipt names less, and the bot continues", async () => {
    const metrics = new Metrics();
    const { liquidation } = new RunMonitor(metrics, silentLog, new VirtualClock(0), () => {});
    for (const gasWei of [3n, 1n, 2n])
      liquidation.onLedgerChange({ opportunity: { ...WON, gasWei: gasWei * 10n ** 18n } });
    expect(await metrics.page()).toMatch(/^marketwright_liquidation_gas_eth_total 4$/m);
  });
});

const SALE = { remainingLots: 0, earnedCredit: 1n };

describe("a takeover whose unwinding is over", () => {
  it.each(["done", "dust", "expired"] as const)(
    "is reported as sold if nothing remains (%s)",
    (state) => {
      expect(notesOf({ ...SALE, state })).toEqual([["info", "the acquired position is sold"]]);
    },
  );

  it("is not reported as sold if it was laid off: nothing was sold", () => {
    expect(notesOf({ ...SALE, state: "laid-off" })).toEqual([
      ["info", "the acquired position is laid off: the market's own position has it"],
    ]);
  });

  it.each([3, -3])(
    "is reported as not sold in time if %d lots remain at its deadline",
    (remainingLots) => {
      expect(notesOf({ ...SALE, state: "expired", remainingLots })).toEqual([
        ["warn", "the acquired position was not sold in time"],
      ]);
    },
  );
});

describe("a strategy that failed", () => {
  it("is logged with its stack, but without a key that its error contains", () => {
    const key = `0x${"4a".repeat(32)}`;
    const lines: string[] = [];
    const log = createLog(
      { write: (line) => void lines.push(line) },
      { level: "info", clock: new VirtualClock(0) },
    );
    protectSecret(key);
    const monitor = new RunMonitor(new Metrics(), log, new VirtualClock(0), () => {});
    const stack = `Error: ${key} is no price\n    at quote (/home/me/mine.ts:12:7)`;
    monitor.onBotEvent({
      kind: "strategy-failed",
      marketId: "btcusdc",
      why: "strategy failed",
      stack,
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: "error",
        msg: "the strategy failed",
        marketId: "btcusdc",
        stack: "Error: 0x[secret] is no price\n    at quote (/home/me/mine.ts:12:7)",
      }),
    ]);
  });
});
