import { describe, expect, it } from "vitest";
import { buildScreenModel } from "#bot/bot-screen.js";
import { buildBotStatus } from "#bot/bot-status.js";
import { RunMonitor } from "#bot/run-monitor.js";
import { silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { renderScreen } from "#monitoring/screen.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

function screenOf({ rig, clock }: Stage) {
  const monitor = new RunMonitor(new Metrics(), silentLog, clock, () => {});
  const setting = {
    clock,
    startedMs: clock.nowMs(),
    startedMonotonicMs: clock.monotonicMs(),
    logFile: "bot.log",
    cockpitCommand: "marketwright cockpit",
  };
  const model = buildScreenModel(rig.bot, monitor, setting);
  const [market] = model.markets;
  if (market === undefined) throw new Error("no market");
  return { model, market, text: renderScreen(model, 80, 24) };
}

describe("the live screen of a bot", () => {
  it("shows its quotes with their distance, however many levels are before them", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.wants({ bid: BID - 500, ask: ASK });
    for (let tick = 0; tick < 15; tick++) stage.counterparty.rests("BUY", 3, BID - 10 * tick);
    await stage.passes(2_000);
    const { market, text } = screenOf(stage);
    expect(market.bids).toHaveLength(11);
    // 50.0 quote behind a best bid of 59,999.0.
    expect(market.bids.at(-1)).toEqual({
      price: "59949.0",
      amount: "0.010",
      own: { amount: "0.010", distanceBps: "8.33", state: "open" },
      isBeyond: true,
    });
    expect(market.asks.find(({ own }) => own !== undefined)).toMatchObject({
      price: "60001.0",
      own: { distanceBps: "0.00" },
    });
    expect(text).toMatch(/^⋮▸ 59949\.0 {2}0\.010 0\.010 +8\.33 /m);
    expect(text).toMatch(/^ ▸ 60001\.0 {2}0\.010 0\.010 +0\.00 /m);
  });

  it("shows its quotes without a book too, and no distance then", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.rig.bot.context.traders.get(MARKET)?.invalidate("the test takes the book away");
    const { market, text } = screenOf(stage);
    expect([...market.bids, ...market.asks]).toMatchObject([
      { price: "59999.0", amount: undefined, own: { distanceBps: undefined } },
      { price: "60001.0", amount: undefined, own: { distanceBps: undefined } },
    ]);
    expect(text).toMatch(/▸ 59999\.0 unknown 0\.010 unknown/);
  });

  it("shows the figures of its status, and none of a position that is not known", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.counterparty.sells(4, BID);
    await stage.passes(5_000);
    const status = buildBotStatus(stage.rig.bot);
    const { market, model } = screenOf(stage);
    const shown = (text: string | null | undefined) => Number(text).toFixed(2);
    expect(market.entryPrice).toBe("59999.00");
    expect(market.notionalQuote).toBe(shown(status.markets[MARKET]?.notionalQuote));
    expect(model.drawdownQuote).toBe(shown(status.drawdownQuote));
    expect(Number(market.unrealisedQuote)).toBeCloseTo(Number(status.unrealisedQuote), 3);
    stage.botIsKilled();
    await stage.botStarts(5_000, (network) => {
      network.down = true;
    });
    const young = screenOf(stage);
    expect(young.text).toMatch(/position BTC +unknown/);
    expect(young.text).toMatch(/unrealised +unknown/);
  });

  it("says how many orders are being cancelled while the bot stops", async () => {
    const stage = new Stage();
    await stage.botStarts();
    expect(screenOf(stage).text).not.toContain("stopping");
    stage.network.every("cancelOrder", { is: "answer late", byMs: 1_000 });
    stage.rig.bot.command({ command: "stop", reason: "SIGINT" });
    expect(screenOf(stage).text).toContain("stopping: 2 orders being cancelled");
    await stage.passes(10_000);
    expect(screenOf(stage).model.stoppingOrders).toBe(0);
  });
});
