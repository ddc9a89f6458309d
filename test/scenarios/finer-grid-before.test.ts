import { expect, it } from "vitest";
import { RunMonitor } from "#bot/run-monitor.js";
import { createLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { ASK, BID, COARSER_STEP, COARSER_TICK, MARKET, Stage } from "./stage.js";

it("an order that rests at a price between the ticks of a coarser grid is taken over, counted as it fills, and cancelled", async () => {
  const stage = new Stage();
  stage.wants({ bid: 599_993, ask: 600_013 });
  await stage.botStarts();
  stage.botIsKilled();
  stage.counterparty.sells(3, 599_993);
  await stage.passes(10_000);
  stage.wants({ bid: 599_900 / 5, ask: 600_100 / 5 });
  stage.exchange.setMarketRules(MARKET, COARSER_TICK);
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    { write: (line) => void lines.push(JSON.parse(line)) },
    { level: "info", clock: stage.clock },
  );
  const monitor = new RunMonitor(new Metrics(), log, stage.clock, () => {});
  stage.listeners.push((notice) => monitor.onBotEvent(notice));
  const starting = stage.botStarts(15_000, (network) => {
    network.every("cancelOrder", { is: "request late", byMs: 1_500 });
  });
  monitor.attach(stage.rig.bot);
  stage.clock.setTimer(1_000, () => stage.counterparty.buys(4, 600_015));
  await starting;

  expect(stage.quotes()).toEqual(["BUY 10 @ 599900", "SELL 10 @ 600100"]);
  expect(stage.rig.bot.context.account.positionLots(MARKET)).toBe(-1);
  expect(stage.positionLots()).toBe(-1);
  expect(lines.filter(({ msg }) => msg === "fill")).toMatchObject([
    { side: "SELL", price: "60001.3", amount: "0.004" },
  ]);
  await stage.botStops();
  expect(stage.allQuotes()).toEqual([]);
});

it("what was filled while no bot ran, of an amount between the steps of a coarser grid, is told and in the position", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.botIsKilled();
  stage.counterparty.sells(4, BID);
  stage.counterparty.buys(1, ASK);
  await stage.passes(10_000);
  stage.exchange.setMarketRules(MARKET, COARSER_STEP);
  await stage.botStarts(10_000);

  const told = stage.notices.flatMap((notice) =>
    notice.kind === "log" && notice.message === "filled while no bot ran" ? [notice.fields] : [],
  );
  expect(told).toMatchObject([
    { side: "BUY", amount: "0.004" },
    { side: "SELL", amount: "0.001" },
  ]);
  expect(
    stage.rig.bot.context.account.positionLots(MARKET),
    "0.003 is one whole step of 0.002 and a rest",
  ).toBe(1);
});

it("others' orders that rest between the ticks of a coarser grid are in the book at the outer ones, and the bot quotes beside them", async () => {
  const stage = new Stage();
  stage.counterparty.rests("BUY", 4, 599_990);
  stage.counterparty.rests("BUY", 7, 599_993);
  const ask = stage.counterparty.rests("SELL", 7, 600_013);
  stage.exchange.setMarketRules(MARKET, COARSER_TICK);
  stage.wants({ bid: 599_900 / 5, ask: 600_100 / 5 });
  await stage.botStarts(3_000);
  const book = () => stage.rig.bot.context.traders.get(MARKET)?.book.entries();
  const quotes = ["BUY 10 @ 599900", "SELL 10 @ 600100"];
  expect(stage.quotes()).toEqual(quotes);
  expect(book()).toEqual({
    bids: [599_990 / 5, 11, 599_900 / 5, 10, 590_000 / 5, 500],
    asks: [600_015 / 5, 7, 600_100 / 5, 10, 610_000 / 5, 500],
  });
  stage.owner.sells(5, 599_990);
  stage.counterparty.cancels(ask);
  await stage.passes(3_000);
  expect(book()?.bids.slice(0, 2)).toEqual([599_990 / 5, 6]);
  expect(book()?.asks.slice(0, 2)).toEqual([600_100 / 5, 10]);
  expect(stage.quotes()).toEqual(quotes);
  expect(stage.notices.filter(({ kind }) => kind === "malformed")).toEqual([]);
  expect(stage.halts()).toEqual([]);
});
