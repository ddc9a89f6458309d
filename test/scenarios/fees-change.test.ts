import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const QUOTES = [`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`];

/**
 * The exchange takes orders at other fees than those that the bot has read: they were changed
 * since.
 */
async function withFeesChangedSince(stage: Stage): Promise<void> {
  await stage.botStarts(20);
  stage.exchange.setMarketRules(MARKET, { makerFeeRate: "0.0007" });
}

it("fees that have changed are read at the first order that is refused for them: a bot stood without quotes for five minutes", async () => {
  const stage = new Stage();
  await withFeesChangedSince(stage);
  await stage.passes(20_000);
  expect(stage.quotes()).toEqual(QUOTES);
  expect(stage.network.sentOf("exchangeInfo")).toHaveLength(1);
});

it("where the exchange builds the orders, fees that have changed are read at the first that it builds with others", async () => {
  const stage = new Stage({
    bot: { exchange: { rest: "http://a.test/v1", stream: "ws://a.test/v1", placement: "server" } },
  });
  await withFeesChangedSince(stage);
  await stage.passes(40_000);
  expect(stage.allQuotes()).toEqual(QUOTES);
  expect(stage.network.sentOf("exchangeInfo")).toHaveLength(1);
});

it("a position can be taken down after the fees have changed", async () => {
  const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "1000" } } });
  stage.owner.buys(10, 610_000);
  stage.wants({ bid: null, ask: null });
  await withFeesChangedSince(stage);
  await stage.passes(3_000);
  stage.rig.bot.command({ command: "flatten", marketId: MARKET, maxSlippageBps: 100 });
  await stage.passes(30_000);
  expect(stage.positionLots()).toBe(0);
});

it("where orders are refused for another reason of that name, the rules are asked for every ten seconds and no more", async () => {
  const stage = new Stage({
    bot: {
      exchange: {
        rest: "http://a.test/v1",
        stream: "ws://a.test/v1",
        makerFeeRate: "0.0007",
        takerFeeRate: "0.0009",
      },
    },
  });
  await stage.botStarts(60_000);
  expect(stage.quotes()).toEqual([]);
  const asked = stage.network.sentOf("exchangeInfo").length;
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(6);
});
