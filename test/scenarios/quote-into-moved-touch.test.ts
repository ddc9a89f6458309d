import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

it("the touch moves through a quote: the slot waits for the book that shows it, and does not spend tokens against the old one", async () => {
  const stage = new Stage();
  await stage.botStarts();
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);

  // It takes the whole bid, and what is left of it rests below: the fill is reported at once, the
  // book a little later.
  stage.counterparty.rests("SELL", 25, BID - 5);
  await stage.passes(2_500);

  expect(stage.positionLots()).toBe(10);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 6}`, `SELL 10 @ ${ASK}`]);
  const over =
    stage.exchange.account(stage.address)?.markets.get(MARKET)?.history.page({ limit: 500 }) ?? [];
  expect(over.map(({ status }) => status)).not.toContain("EXPIRED");
  stage.expectAgreement();
});

it("an own quote that is over is nobody's touch: by what the book still showed of it the strategy saw a mid half way to its own quote", async () => {
  const stage = new Stage();
  await stage.botStarts();
  const mids = new Set<number | undefined>();
  stage.listeners.push((notice) => {
    if (notice.kind === "intent")
      mids.add(stage.rig.bot.context.traders.get(MARKET)?.lastView?.midTicks);
  });
  for (const bid of [BID - 10, BID, BID - 10]) {
    stage.wants({ bid });
    await stage.passes(1_000);
  }
  stage.counterparty.buys(10, ASK);
  await stage.passes(2_500);
  expect(stage.positionLots()).toBe(-10);
  expect([...mids], "half way between the neighbours").toEqual([600_000]);
  stage.expectAgreement();
});
