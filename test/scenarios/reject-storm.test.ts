import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

it("every place is refused: the bot waits longer each time, halts the market, says so, and quotes again when it may", async () => {
  const stage = new Stage({
    bot: { risk: { maxDrawdownQuote: "1000000", maxRejectsPerMinute: 5 } },
  });
  stage.wants({ bid: null, ask: null });
  await stage.botStarts();

  stage.exchange.setMarketStatus(MARKET, "SUSPENDED");
  stage.wants();
  await stage.passes(20_000);
  expect(stage.halts()).toEqual(["reject-storm"]);
  expect(stage.saidOfHalt("reject-storm")).toMatch(
    /^the exchange refused 6 orders within a minute, allowed 5$/,
  );
  expect(stage.network.sentOf("placeOrder")).toHaveLength(6);

  await stage.passes(220_000);
  expect(
    stage.network.sentOf("placeOrder").length,
    "four minutes of refusals, not a resubmission every tick",
  ).toBeLessThanOrEqual(26);

  stage.exchange.setMarketStatus(MARKET, "TRADING");
  await stage.passes(100_000);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.halts()).toEqual([]);
  stage.expectAgreement();
});

it("an order that the exchange built and then refuses is tried again later each time: it was at once, until the market halted", async () => {
  const stage = new Stage({
    bot: { exchange: { rest: "http://a.test/v1", stream: "ws://a.test/v1", placement: "server" } },
  });
  stage.wants({ bid: null });
  await stage.botStarts();
  stage.exchange.setMarketRules(MARKET, { maxOpenOrders: 1 });
  stage.wants();
  await stage.passes(20_000);
  expect(stage.halts()).toEqual([]);
  expect(
    stage.network.sentOf("placeOrder").length,
    "after 0.5, 1, 2, 4 and 8 s",
  ).toBeLessThanOrEqual(7);
});
