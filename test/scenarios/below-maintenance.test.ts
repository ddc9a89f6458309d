import { expect, it } from "vitest";
import { MARKET, Stage } from "./stage.js";

/**
 * Two bitcoins bought and nearly all other money withdrawn; then the market has fallen by four per
 * cent.
 */
async function belowMaintenance(): Promise<Stage> {
  const limits = { maxPositionBase: "3", maxOrderBase: "0.5", maxOpenOrders: 12 };
  const stage = new Stage({
    bot: {
      markets: { [MARKET]: { strategy: "ladder", limits } },
      risk: { maxDrawdownQuote: "100000" },
    },
  });
  stage.wants({ bid: null, ask: null });
  stage.counterparty.rests("SELL", 2000, 600_050);
  stage.owner.buys(2000, 600_050);
  await stage.botStarts();
  stage.owner.withdraws("92000");
  await stage.passes(5_000);
  stage.neighbourLeaves("BUY");
  stage.counterparty.rests("SELL", 300, 578_000);
  for (const ticks of [577_000, 576_900]) stage.counterparty.rests("BUY", 1900, ticks);
  await stage.passes(20_000);
  expect(stage.exchange.balances(stage.address).balances.isSafe).toBe(false);
  return stage;
}

it("an account below its maintenance margin is taken down by flatten, as long as nobody has liquidated it", async () => {
  const stage = await belowMaintenance();
  stage.rig.bot.command({ command: "flatten", marketId: MARKET, maxSlippageBps: 300 });
  await stage.passes(10_000);
  expect(stage.positionLots()).toBe(0);
  expect(stage.rig.bot.context.account.positionLots(MARKET)).toBe(0);
});

it("of what is wanted there, the side that reduces rests, and the other waits and is not sent to be refused", async () => {
  const stage = await belowMaintenance();
  stage.wants({ bid: 577_100, ask: 577_900, lots: 300 });
  await stage.passes(5_000);
  expect(stage.quotes()).toEqual(["SELL 300 @ 577900"]);
  expect(stage.network.sentOf("placeOrder").map(({ status }) => status)).toEqual([200]);
});
