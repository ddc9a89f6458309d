import { expect, it } from "vitest";
import { workPosition } from "#strategies/work-position.js";
import { Stage } from "./stage.js";

/** Its orders wait in one slice at the best bid, so that only a halt cancels them. */
const WORK = { targetBase: 0.04, withinMs: 600_000, slices: 1, taker: "never" } as const;
const RESTING = ["BUY 40 @ 590000"];

it("a worked order rests on a book that is too old: the halt cancels it, and it returns with the data", async () => {
  const stage = new Stage({ strategy: workPosition.bind({ ...WORK, maxSlippageBps: 500 }) });
  await stage.botStarts();
  expect(stage.quotes()).toEqual(RESTING);

  stage.network.stall("market");
  const ends = stage.network.every("orderbook", { is: "request lost" });
  await stage.passes(4_000);
  expect([stage.halts(), stage.quotes()]).toEqual([["stale-book"], []]);

  ends();
  stage.network.restore("market");
  await stage.passes(10_000);
  expect(stage.quotes()).toEqual(RESTING);
  stage.expectAgreement();
});

it("a worked order rests when a person halts the market: it is cancelled at once, and stays so", async () => {
  const stage = new Stage({ strategy: workPosition.bind({ ...WORK, maxSlippageBps: 500 }) });
  await stage.botStarts();
  expect(stage.quotes()).toEqual(RESTING);

  stage.rig.bot.command({ command: "halt", reason: "news" });
  await stage.passes(2_000);
  expect([stage.halts(), stage.quotes()]).toEqual([["manual"], []]);
  stage.expectAgreement();
});

it("an offer fills while the exchange cannot be reached: the work buys the rest alone", async () => {
  const strategy = workPosition.bind({
    targetBase: 0.04,
    withinMs: 120_000,
    slices: 2,
    maxSlippageBps: 500,
  });
  const stage = new Stage({ strategy });
  stage.counterparty.rests("SELL", 100, 600_010);
  await stage.botStarts();
  expect(stage.quotes()).toEqual(["BUY 20 @ 590000"]);

  stage.network.keepDown("market");
  stage.network.keepDown("account");
  const ends = (["orderbook", "cancelOrder", "openOrders", "userTrades"] as const).map((what) =>
    stage.network.every(what, { is: "request lost" }),
  );
  stage.counterparty.sells(512, 590_000);
  await stage.passes(30_000);
  expect(stage.positionLots()).toBe(12);
  for (const end of ends) end();
  stage.network.restore("market");
  stage.network.restore("account");
  stage.counterparty.rests("BUY", 100, 590_000);
  await stage.passes(100_000);
  expect([stage.positionLots(), stage.quotes()]).toEqual([40, []]);
  expect(stage.mostAtOnce.BUY).toBe(20);
  stage.expectAgreement();
});
