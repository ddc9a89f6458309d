import { expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import { RunMonitor } from "#bot/run-monitor.js";
import { createLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

/**
 * To the bot the market has steps of so much, while the exchange still matches what was placed in
 * steps of 0.001.
 */
const step = (size: string) =>
  ({
    is: "rewritten",
    body: (body: string) => body.replaceAll('"stepSize":"0.001"', `"stepSize":"${size}"`),
  }) as const;
const tick = (size: string) =>
  ({
    is: "rewritten",
    body: (body: string) => body.replaceAll('"tickSize":"0.1"', `"tickSize":"${size}"`),
  }) as const;

/**
 * Expects the bot's position to equal the exchange's, to the unit of paper, and its profit to sum
 * to the change of the net value.
 */
function expectSameMoney(stage: Stage): void {
  const { account } = stage.rig.bot.context;
  const { total, transfers, decimals } = account.profit();
  const scale = 10n ** BigInt(decimals - stage.rig.rules.creditDecimals);
  expect(account.equity, "the bot's net value").toBe(stage.netValue());
  expect(total + transfers, "profit by its parts").toBe(
    (stage.netValue() - (account.startEquity ?? 0n)) * scale,
  );
}

function fillsTold(stage: Stage): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    { write: (line) => void lines.push(JSON.parse(line)) },
    { level: "info", clock: stage.clock },
  );
  const monitor = new RunMonitor(new Metrics(), log, stage.clock, () => {});
  stage.listeners.push((notice) => monitor.onBotEvent(notice));
  const attach = () => monitor.attach(stage.rig.bot);
  stage.clock.setTimer(1, attach);
  return lines;
}

it("an order of before a coarser step fills between the steps: the bot goes on, with the position and the profit that the exchange has", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.botIsKilled();
  stage.wants({ lots: 5 });
  const lines = fillsTold(stage);
  stage.clock.setTimer(1_000, () => stage.counterparty.sells(3, BID));
  await stage.botStarts(15_000, (network) => {
    network.every("exchangeInfo", step("0.002"));
    network.every("cancelOrder", { is: "request late", byMs: 1_500 });
  });

  expect(stage.halts()).toEqual([]);
  expect(stage.positionLots()).toBe(3);
  expect(
    stage.rig.bot.context.account.positionLots(MARKET),
    "0.003 is one whole step of 0.002 and a rest",
  ).toBe(1);
  expect(
    buildBotStatus(stage.rig.bot).markets,
    "the position as people read it: the rest was not told",
  ).toMatchObject({
    [MARKET]: { positionBase: "0.003" },
  });
  expect(lines.filter(({ msg }) => msg === "fill")).toMatchObject([
    { side: "BUY", price: "59999", amount: "0.003" },
  ]);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.differences()).toEqual([]);
  expectSameMoney(stage);
  const { spread, decimals } = stage.rig.bot.context.account.profit();
  expect(spread, "0.003 bought a whole unit below the mid").toBe(3n * 10n ** BigInt(decimals - 3));
  await stage.botStops();
  expect(stage.allQuotes()).toEqual([]);
});

it("fills between the steps sum to whole ones: two of a step and a half are three", async () => {
  const stage = new Stage();
  stage.wants({ lots: 5 });
  await stage.botStarts(3_000, (network) => network.every("exchangeInfo", step("0.002")));
  const { account } = stage.rig.bot.context;
  const trades = [
    { lots: 3, steps: 1 },
    { lots: 3, steps: 3 },
    { lots: -1, steps: 2 },
    { lots: -1, steps: 2 },
    { lots: -5, steps: 0 },
    { lots: -1, steps: -1 },
  ];
  for (const { lots, steps } of trades) {
    if (lots > 0) stage.counterparty.sells(lots, BID);
    else stage.counterparty.buys(-lots, ASK);
    await stage.passes(500);
    expect(account.positionLots(MARKET)).toBe(steps);
    expectSameMoney(stage);
    await stage.passes(9_500);
    // The rest after a small fill keeps its place in the queue, between the steps or not.
    expect(stage.quotes()).toEqual([
      expect.stringMatching(/^BUY (9|10) @ 599990$/),
      expect.stringMatching(/^SELL (9|10) @ 600010$/),
    ]);
  }
  await stage.passes(65_500);
  expect(stage.positionLots()).toBe(-2);
  expect(stage.differences(), "the exchange's answers agree").toEqual([]);
  expectSameMoney(stage);
  const { liquidation, other } = account.profit();
  expect({ liquidation, other }).toEqual({ liquidation: 0n, other: 0n });
});

it("an order of before a coarser step whose amount lies between the steps is taken over and cancelled: unseen, it would fill later", async () => {
  const stage = new Stage();
  stage.wants({ lots: 5 });
  await stage.botStarts();
  stage.botIsKilled();
  stage.wants({ bid: BID - 100, ask: ASK + 100 });
  await stage.botStarts(15_000, (network) => network.every("exchangeInfo", step("0.002")));
  expect(stage.quotes()).toEqual([`BUY 20 @ ${BID - 100}`, `SELL 20 @ ${ASK + 100}`]);
  expect(stage.halts()).toEqual([]);
});

it("a settlement that fails takes a fill between the steps back whole", async () => {
  const stage = new Stage({ exchange: { settlement: { failureRate: 1 } } });
  stage.wants({ lots: 5 });
  await stage.botStarts(3_000, (network) => network.every("exchangeInfo", step("0.002")));
  stage.counterparty.sells(3, BID);
  await stage.passes(40_500);
  expect(stage.positionLots()).toBe(0);
  expect(stage.rig.bot.context.account.positionLots(MARKET)).toBe(0);
  expect(stage.differences()).toEqual([]);
  expectSameMoney(stage);
});

it("an order of before a coarser tick fills between the ticks: the profit is that of its own price", async () => {
  const stage = new Stage();
  stage.wants({ bid: 599_993, ask: 600_013 });
  await stage.botStarts();
  stage.botIsKilled();
  stage.wants({ bid: 599_900 / 5, ask: 600_100 / 5 });
  stage.clock.setTimer(1_000, () => stage.counterparty.sells(4, 599_993));
  await stage.botStarts(15_000, (network) => {
    network.every("exchangeInfo", tick("0.5"));
    network.every("cancelOrder", { is: "request late", byMs: 1_500 });
  });
  expect(stage.positionLots()).toBe(4);
  expect(stage.rig.bot.context.account.positionLots(MARKET)).toBe(4);
  expect(stage.quotes()).toEqual(["BUY 10 @ 599900", "SELL 10 @ 600100"]);
  expect(stage.halts()).toEqual([]);
  expectSameMoney(stage);
});
