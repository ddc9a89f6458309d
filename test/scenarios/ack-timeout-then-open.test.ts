import { expect, it } from "vitest";
import { worstPosition } from "../account/worst-position.js";
import { BID, Stage } from "./stage.js";

it("an order whose answer was lost, and that rests all the same, is found and kept: never placed a second time", async () => {
  const stage = new Stage();
  stage.wants({ bid: null, ask: null });
  await stage.botStarts();

  stage.network.stall("account");
  stage.network.next("placeOrder", { is: "answer lost" });
  stage.wants({ ask: null });
  await stage.passes(4_000);
  expect(stage.phases()).toEqual(["sent", "unknown"]);
  expect(
    worstPosition(stage.rig.bot.context.account, "btcusdc").maxLongLots,
    "it counts at full size",
  ).toBe(10);

  await stage.passes(20_000);
  stage.network.restore("account");

  expect(stage.phases()).toEqual(["sent", "unknown", "open"]);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`]);
  expect(stage.network.sentOf("placeOrder")).toHaveLength(1);
  expect(stage.ordersEver()).toBe(1);
  stage.expectAgreement();
});

it("an order whose answer was lost, and that fills at once, is in the position", async () => {
  const stage = new Stage();
  stage.wants({ bid: null, ask: null });
  await stage.botStarts();

  stage.network.stall("account");
  stage.network.next("placeOrder", { is: "answer lost" });
  stage.wants({ ask: null });
  await stage.passes(1_000);
  stage.counterparty.sells(10, BID);
  stage.wants({ bid: null, ask: null });
  await stage.passes(60_000);
  stage.network.restore("account");

  expect(stage.phases(), "it is never taken for lost").toEqual(["sent", "unknown", "filled"]);
  expect(stage.positionLots()).toBe(10);
  expect(stage.ordersEver()).toBe(1);
  stage.expectAgreement();
});
