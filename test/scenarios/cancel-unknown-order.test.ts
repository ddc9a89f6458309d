import { expect, it } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

it("a quote that somebody else cancelled unseen: one cancel, one 2011, no loop, and the new quote stands", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.stall("account");
  const bid = stage.resting().find(({ side }) => side === "BUY");
  stage.owner.cancels({ id: bid?.terms.id ?? "", hash: bid?.terms.hash ?? "0x" });
  stage.wants({ bid: BID - 50 });
  await stage.passes(20_000);
  stage.network.restore("account");

  expect(stage.network.sentOf("cancelOrder").map(({ status }) => status)).toEqual([400]);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK}`]);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});
