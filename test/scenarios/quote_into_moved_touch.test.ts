import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

it("the touch moves through a quote: the slot waits for the book that shows it, and does not spend tokens against the old one", async () => {
  const stage = new Stage();
  await stage.botStarts();
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);

  // It takes the whole bid, and what is left of it rests below: the fill is told at once, the book a little later.
  stage.counterparty.rests("SELL", 25, BID - 5);
  await stage.passes(2_500);

  expect(stage.positionLots()).toBe(10);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 6}`, `SELL 10 @ ${ASK}`]);
  const over = stage.exchange.account(stage.address)?.markets.get(MARKET)?.history.page({ limit: 500 }) ?? [];
  expect(over.map(({ status }) => status)).not.toContain("EXPIRED");
  stage.expectAgreement();
});
