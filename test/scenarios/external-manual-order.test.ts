import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

it("orders that the owner places by hand are left alone, counted, and never traded against", async () => {
  const stage = new Stage();
  await stage.botStarts();
  const open = () =>
    stage.exchange
      .openOrders(stage.address)
      .filter((order) => order.openLots > 0 && !stage.isTheBots(order));

  // Inside the bot's bid: the exchange's self-match prevention takes the bid away, and the bot has
  // to stay behind.
  stage.owner.rests("SELL", 7, BID - 5);
  stage.owner.rests("BUY", 3, BID - 2_000);
  await stage.passes(10_000);

  expect(open().map(({ side, openLots, ticks }) => `${side} ${openLots} @ ${ticks}`)).toEqual([
    `SELL 7 @ ${BID - 5}`,
    `BUY 3 @ ${BID - 2_000}`,
  ]);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 6}`, `SELL 10 @ ${ASK}`]);
  expect(stage.rig.bot.context.account.orders.foreign(MARKET)).toHaveLength(2);
  expect(stage.notices).toContainEqual(
    expect.objectContaining({
      kind: "account",
      change: expect.objectContaining({ kind: "foreign", first: true }),
    }),
  );

  const result = await stage.botStops();
  expect(result.openOrdersLeft).toBe(0);
  expect(stage.quotes()).toEqual([]);
  expect(open()).toHaveLength(2);
});

it("a position that the owner trades into by hand is the bot's position too, and its limit counts it", async () => {
  const stage = new Stage({
    bot: { markets: { [MARKET]: { strategy: "ladder", limits: { maxPositionBase: "0.02" } } } },
  });
  await stage.botStarts();

  stage.counterparty.rests("SELL", 25, ASK + 100);
  stage.owner.buys(15, ASK + 100);
  await stage.passes(10_000);
  expect(stage.positionLots()).toBe(15);
  expect(stage.quotes(), "there is room for 0.005 more").toEqual([
    `BUY 5 @ ${BID}`,
    `SELL 10 @ ${ASK}`,
  ]);

  // The bot's own ask goes first, by self-match prevention.
  stage.owner.buys(10, ASK + 100);
  await stage.passes(10_000);
  expect(stage.positionLots(), "beyond the limit, though not by the bot").toBe(25);
  expect(stage.quotes(), "it only reduces").toEqual([`SELL 10 @ ${ASK}`]);
  stage.expectAgreement();
});
