import { describe, expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import { RunMonitor } from "#bot/run-monitor.js";
import { buildRunSummary } from "#bot/run-summary.js";
import { silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import type { ScriptedNetwork } from "./scripted-network.js";
import { BID, MARKET, Stage } from "./stage.js";

/**
 * Killed with both its quotes resting, and started again for so short a time that it has not
 * learned of them.
 */
async function startedOver(stage: Stage): Promise<void> {
  await stage.botStarts();
  stage.botIsKilled();
  await stage.passes(1_000);
  expect(stage.quotes()).toHaveLength(2);
}

const unreachable = (network: ScriptedNetwork): void => {
  network.down = true;
};

describe("a bot that is told to leave before it knows what its earlier run left", () => {
  it("takes those quotes down as soon as the exchange answers again, and not a manual order", async () => {
    const stage = new Stage();
    await startedOver(stage);
    stage.owner.rests("BUY", 3, BID - 500);
    await stage.botStarts(5_000, unreachable);
    stage.rig.bot.command({ command: "stop", reason: "SIGINT" });
    await stage.passes(5_000);
    stage.network.down = false;
    const result = await stage.botStops();

    expect(stage.allQuotes(), "the owner's own is left").toEqual([`BUY 3 @ ${BID - 500}`]);
    expect(result).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
  });

  it("names no position, whatever it remembers of the run before, while the exchange does not report it", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.owner.rests("BUY", 3, BID + 1);
    await stage.passes(1_000);
    stage.botIsKilled();
    await stage.botStarts(5_000, unreachable);
    expect(buildBotStatus(stage.rig.bot).markets[MARKET]?.positionBase).toBe(null);
    await stage.botStops(60_000);
    const monitor = new RunMonitor(new Metrics(), silentLog, stage.clock, () => {});
    expect(buildRunSummary(stage.rig.bot, monitor, null).positionBase).toEqual({ [MARKET]: null });
  });

  it("does not say that nothing is open while the exchange does not tell", async () => {
    const stage = new Stage();
    await startedOver(stage);
    await stage.botStarts(5_000, unreachable);
    const result = await stage.botStops(60_000);

    expect(stage.quotes()).toHaveLength(2);
    expect(result.openOrdersLeft, "unknown, which is no zero").toBeUndefined();
  });
});

describe("a bot that stops while a fill of the last moment is not settled", () => {
  it("leaves at once and says that nothing is open: a filled order cannot fill again", async () => {
    const stage = new Stage({ exchange: { settlement: { delayMs: 60_000 } } });
    await stage.botStarts();
    stage.counterparty.sells(10, BID);
    await stage.passes(500);
    expect(stage.positionLots()).toBe(10);
    const filled = stage.exchange
      .openOrders(stage.address)
      .filter(({ openLots }) => openLots === 0);
    expect(filled.length, "the exchange still lists it").toBeGreaterThan(0);
    const sinceMs = stage.clock.nowMs();
    const result = await stage.botStops(60_000);

    expect(result).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
    expect(stage.clock.nowMs() - sinceMs).toBeLessThan(5_000);
  });
});
