import { describe, expect, it } from "vitest";
import { RunMonitor } from "#bot/run-monitor.js";
import { createLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { BID, Stage } from "./stage.js";

/** A stage whose exchange grants few orders a minute, and the log and metrics of its bot. */
async function scarceStage() {
  const stage = new Stage({
    exchange: { rateLimits: { order: 40, common: 2_000, intervalMs: 60_000 } },
  });
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    { write: (line) => void lines.push(JSON.parse(line)) },
    { level: "info", clock: stage.clock },
  );
  const metrics = new Metrics();
  const monitor = new RunMonitor(metrics, log, stage.clock, () => {});
  stage.listeners.push((notice) => monitor.onBotEvent(notice));
  await stage.botStarts();
  monitor.attach(stage.rig.bot);
  const gauge = async () => {
    monitor.refresh();
    return (await metrics.page())
      .split("\n")
      .filter((line) => /^marketwright_tokens_short\{/.test(line));
  };
  return { stage, gauge, told: () => lines.filter(({ msg }) => /tokens/.test(String(msg))) };
}

/** The strategy moves its quotes again and again, further than any tolerance. */
async function moves(stage: Stage, times: number): Promise<void> {
  for (let at = 0; at < times; at++) {
    stage.wants({ bid: BID - 400 * (at % 2) });
    await stage.passes(400);
  }
}

describe("a bot that has spent its ORDER tokens, and stands without the quotes that its strategy wants", () => {
  it("says so once while that lasts, with its position and when it can go on, and says when it is over", async () => {
    const { stage, gauge, told } = await scarceStage();
    stage.counterparty.sells(3, BID);
    await stage.passes(1_000);
    expect(told()).toEqual([]);
    expect(await gauge()).toEqual([]);

    await moves(stage, 60);
    expect(told()).toEqual([
      expect.objectContaining({
        level: "warn",
        msg: "out of ORDER tokens: requests wait",
        waits: "place",
        why: expect.stringMatching(
          /^\d+ ORDER tokens are left, \d+ needed with those kept for cancels and the guard$/,
        ),
        forMs: expect.any(Number),
        positions: { btcusdc: "0.003" },
      }),
    ]);
    expect(told()[0]?.forMs).toBeGreaterThan(0);
    expect(await gauge()).toEqual(['marketwright_tokens_short{bucket="ORDER"} 1']);

    await stage.passes(90_000);
    expect(await gauge()).toEqual(['marketwright_tokens_short{bucket="ORDER"} 0']);
    expect(told().slice(1)).toEqual([
      expect.objectContaining({
        level: "info",
        msg: "ORDER tokens are available again",
        lastedMs: expect.any(Number),
        refusals: expect.any(Number),
      }),
    ]);

    await moves(stage, 60);
    expect(
      told().map(({ level }) => level),
      "the next time is told anew",
    ).toEqual(["warn", "info", "warn"]);
  });
});
