import { expect, it } from "vitest";
import { AcquiringStage, MARK } from "./acquiring-stage.js";
import { COARSER_STEP, COARSER_TICK, MARKET } from "./stage.js";

const coarser = { step: COARSER_STEP, tick: COARSER_TICK };

/** The account already holds twenty lots when its bot acquires ten. */
async function tenBesideTwenty(): Promise<AcquiringStage> {
  const stage = new AcquiringStage({ alone: true });
  stage.owner.buys(20, MARK + 100);
  await stage.botStarts();
  const takeover = stage.takeover(10);
  stage.acquires(takeover);
  await stage.passes(300);
  stage.applies(takeover);
  return stage;
}

it.each(["step", "tick"] as const)(
  "sells what was acquired before a coarser %s, and nothing of the account's earlier position",
  async (unit) => {
    const stage = await tenBesideTwenty();
    await stage.passes(3_000);
    expect(stage.positionLots()).toBe(30);
    stage.botIsKilled();

    stage.exchange.setMarketRules(MARKET, coarser[unit]);
    await stage.botStarts(40_000);
    expect(stage.positionLots()).toBe(20);
    expect(stage.report()).toMatchObject({
      state: "done",
      remainingLots: 0,
      soldLots: unit === "step" ? 5 : 10,
    });
  },
);

it("what was sold of it in the finer steps counts", async () => {
  const stage = await tenBesideTwenty();
  await stage.passes(1_000);
  stage.counterparty.buys(3, MARK);
  await stage.passes(1_000);
  expect(stage.positionLots()).toBe(27);
  stage.botIsKilled();

  stage.exchange.setMarketRules(MARKET, COARSER_STEP);
  await stage.botStarts(60_000);
  expect(
    stage.positionLots(),
    "three steps of the seven thousandths that were left; what is beneath a step stays",
  ).toBe(21);
  expect(stage.report()).toMatchObject({ state: "done", remainingLots: 0 });
});

it("is sold to buyers of before the coarser step too, whose amounts lie between the steps: the account lost as much of its own beside", async () => {
  const stage = await tenBesideTwenty();
  for (const below of [10, 20, 30, 40]) stage.counterparty.rests("BUY", 3, MARK - below);
  stage.botIsKilled();
  stage.exchange.setMarketRules(MARKET, COARSER_STEP);
  await stage.botStarts(60_000);
  expect(stage.positionLots()).toBe(20);
  const { remainingLots, proceedsCredit, feesCredit, state } = stage.report();
  expect({ remainingLots, state }).toEqual({ remainingLots: 0, state: "done" });
  const trades =
    stage.exchange.account(stage.address)?.inMarket(MARKET).trades.page({ limit: 500 }) ?? [];
  const sold = trades.filter(({ trade }) => trade.timeMs > stage.clock.nowMs() - 60_000);
  expect(proceedsCredit, "what it was sold for").toBe(
    sold.reduce((sum, { trade }) => sum + trade.quote, 0n),
  );
  expect(feesCredit).toBe(sold.reduce((sum, { commission }) => sum + commission, 0n));
});
