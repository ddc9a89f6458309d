import { expect, it } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

it("a fill while the streams were down, which nobody replays, is found by asking: position and profit are right", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.keepDown("market");
  stage.network.keepDown("account");
  stage.counterparty.sells(6, BID);
  await stage.passes(2_000);
  expect(stage.quotes(), "blind, the bot takes its quotes down").toEqual([]);
  expect(stage.halts()).toContain("unconfirmed-account");

  stage.network.restore("market");
  stage.network.restore("account");
  await stage.passes(30_000);

  expect(stage.rig.bot.context.account.positionLots("btcusdc")).toBe(6);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});

it("eighteen fills on a healthy-looking stream that delivers none of them: the next reconciliation finds them all", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.stall("account");
  for (let fill = 0; fill < 9; fill++) {
    stage.counterparty.sells(1, BID);
    stage.counterparty.buys(1, ASK);
    await stage.passes(100);
  }
  await stage.passes(45_000);
  stage.network.restore("account");
  await stage.passes(45_000);

  expect(stage.differences().filter((kind) => kind === "trade-missed")).toHaveLength(18);
  expect(stage.positionLots()).toBe(0);
  stage.expectAgreement();
});
