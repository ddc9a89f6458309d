import { expect, it } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

it("killed with a position and open quotes, filled while it was dead, the bot comes back to just what the exchange has", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.counterparty.sells(6, BID);
  await stage.passes(3_000);

  stage.botIsKilled();
  stage.counterparty.sells(4, BID);
  await stage.passes(20_000);
  await stage.botStarts(10_000);

  expect(stage.positionLots()).toBe(10);
  expect(stage.rig.bot.context.account.positionLots("btcusdc")).toBe(10);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.mostAtOnce, "the dead bot's quotes and the new one's never add up").toEqual({
    BUY: 10,
    SELL: 10,
  });
  stage.expectAgreement();
});

it("killed while a place was on the wire, it comes back before the place arrives: one quote in the slot at the end", async () => {
  const stage = new Stage();
  stage.wants({ bid: null, ask: null });
  await stage.botStarts();

  stage.network.next("placeOrder", { is: "request late", byMs: 3_500 });
  stage.wants({ ask: null });
  await stage.passes(300);
  stage.botIsKilled();
  await stage.passes(200);
  await stage.botStarts(60_000);

  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`]);
  stage.expectAgreement();
});

it("killed with a position at its limit, it does not add to it", async () => {
  const stage = new Stage({
    bot: { markets: { btcusdc: { strategy: "ladder", limits: { maxPositionBase: "0.01" } } } },
  });
  await stage.botStarts();
  stage.counterparty.sells(10, BID);
  stage.botIsKilled();
  await stage.passes(5_000);
  await stage.botStarts(10_000);

  expect(stage.positionLots()).toBe(10);
  expect(stage.quotes()).toEqual([`SELL 10 @ ${ASK}`]);
  stage.expectAgreement();
});
