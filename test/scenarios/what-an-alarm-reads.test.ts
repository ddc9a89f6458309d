import { describe, expect, it } from "vitest";
import { GuardHeartbeat } from "#bot/guard-heartbeat.js";
import { HEARTBEAT_FILE, parseHeartbeat } from "#bot/heartbeat.js";
import { RunMonitor } from "#bot/run-monitor.js";
import { silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { AcquiringStage } from "./acquiring-stage.js";
import { Stage } from "./stage.js";

/**
 * A stage's bot as Prometheus sees it.
 * @returns the samples of one metric, as a scrape of now has them
 */
function scraped(stage: Stage): (name: string) => Promise<readonly string[]> {
  const metrics = new Metrics();
  const monitor = new RunMonitor(metrics, silentLog, stage.clock, () => {});
  return async (name) => {
    monitor.attach(stage.rig.bot);
    monitor.refresh();
    return (await metrics.page())
      .split("\n")
      .filter(
        (line) =>
          line.startsWith(`marketwright_${name} `) || line.startsWith(`marketwright_${name}{`),
      );
  };
}

describe("an alarm on the heartbeat", () => {
  it("reads when the guard was last shown that the bot lives, not when it was scraped: of a bot that stands still it would never ring", async () => {
    const stage = new Stage();
    const samples = scraped(stage);
    await stage.botStarts(10_000);
    stage.machine.sleeps();
    await stage.passes(60_000);

    const { atMs } = parseHeartbeat(stage.store.read(HEARTBEAT_FILE) ?? "");
    expect(stage.clock.nowMs() - atMs).toBeGreaterThan(59_000);
    expect(await samples("heartbeat_timestamp_seconds")).toEqual([
      `marketwright_heartbeat_timestamp_seconds ${atMs / 1000}`,
    ]);
  });

  it("reads nothing before there was one, and not a beat in 1970", async () => {
    expect(
      (await new Metrics().page())
        .split("\n")
        .filter((line) => line.startsWith("marketwright_heartbeat")),
    ).toEqual([]);
  });
});

describe("an alarm on quotes that do not rest", () => {
  it("reads nothing of a market that no strategy quotes: a liquidator alone would ring for ever", async () => {
    const stage = new AcquiringStage({ alone: true });
    const samples = scraped(stage);
    await stage.botStarts();
    expect(await samples("quoting")).toEqual([]);
    expect(await samples("position_base")).toEqual([
      'marketwright_position_base{market="btcusdc"} 0',
    ]);
  });

  it("reads a market that a strategy quotes", async () => {
    const stage = new Stage();
    const samples = scraped(stage);
    await stage.botStarts();
    expect(await samples("quoting")).toEqual(['marketwright_quoting{market="btcusdc"} 1']);
  });
});

describe("an alarm on a missing guard", () => {
  const quotes = { timeInForce: "POST_ONLY" };

  it("rings while orders would outlive the bot, and not while a guard watches it", async () => {
    const stage = new Stage({ bot: { quotes } });
    const exchange = { chainId: 7, verifyingContract: `0x${"c1".repeat(20)}` };
    const owner = { version: 1, account: stage.address, exchange };
    stage.store.write("account.json", JSON.stringify(owner));
    const samples = scraped(stage);
    await stage.botStarts();
    expect(await samples("guarded")).toEqual(["marketwright_guarded 0"]);
    const guard = new GuardHeartbeat({
      clock: stage.clock,
      store: stage.store,
      account: stage.address,
      everyMs: 500,
      onFailure: (error) => {
        throw error;
      },
    });
    guard.start();
    await stage.passes(2_000);
    expect(await samples("guarded")).toEqual(["marketwright_guarded 1"]);
    guard.stop();
    expect(await samples("guarded")).toEqual(["marketwright_guarded 0"]);
  });

  it("reads nothing of orders that expire by themselves", async () => {
    const stage = new Stage({ bot: { quotes: { timeInForce: "GTT" } } });
    const samples = scraped(stage);
    await stage.botStarts();
    expect(await samples("guarded")).toEqual([]);
  });
});

describe("an alarm on the account's value", () => {
  it("reads nothing while nobody has read it: a zero at each start would be a loss of everything", async () => {
    const stage = new Stage();
    const samples = scraped(stage);
    await stage.botStarts(0, (network) => network.every("balances", { is: "request lost" }));
    expect(await samples("equity_quote")).toEqual([]);
    expect(await samples("peak_equity_quote")).toEqual([]);
    expect(await samples("account_age_seconds")).toEqual([]);
  });
});
