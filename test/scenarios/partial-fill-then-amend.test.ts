import { expect, it } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

it("a quote is repriced while it is partly filled: what has filled counts, and the new one does not add to the old", async () => {
  const stage = new Stage();
  await stage.botStarts();
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);

  stage.counterparty.sells(4, BID);
  await stage.passes(1_000);
  expect(stage.positionLots()).toBe(4);

  stage.wants({ bid: BID - 50 });
  await stage.passes(5_000);

  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK}`]);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});
