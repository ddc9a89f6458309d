import { expect, it } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

it("a proxy sends a place twice and passes on the refusal of the second copy: the first rests, and is not placed again", async () => {
  const stage = new Stage();
  stage.wants({ bid: null, ask: null });
  await stage.botStarts();

  stage.network.stall("account");
  stage.network.next("placeOrder", { is: "sent twice" });
  stage.wants({ ask: null });
  await stage.passes(20_000);
  stage.network.restore("account");

  expect(stage.network.sentOf("placeOrder")).toHaveLength(1);
  expect(stage.ordersEver()).toBe(1);
  expect(stage.phases()).toEqual(["sent", "unknown", "open"]);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`]);
  stage.expectAgreement();
});

it("the same with a stream that works: one order on each side, at once", async () => {
  const stage = new Stage();
  stage.network.next("placeOrder", { is: "sent twice" });
  stage.network.next("placeOrder", { is: "sent twice" });
  await stage.botStarts();

  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.ordersEver()).toBe(2);
  stage.expectAgreement();
});
