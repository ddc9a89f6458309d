import { expect, it } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

it("a cancel that never arrived is asked again: a quote at an old price does not rest for ever", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.next("cancelOrder", { is: "request lost" });
  stage.wants({ bid: BID - 50 });
  await stage.passes(6_000);

  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK}`]);
  expect(stage.network.sentOf("cancelOrder").map(({ status }) => status)).toEqual([undefined, 204]);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});

it("a cancel whose answer was lost, of an order that the stream says nothing about: asked again, and over", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.stall("account");
  stage.network.next("cancelOrder", { is: "answer lost" });
  stage.wants({ bid: BID - 50 });
  await stage.passes(20_000);
  stage.network.restore("account");

  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK}`]);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});

it("Ctrl-C with a cancel that never arrived leaves nothing behind", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.network.next("cancelOrder", { is: "request lost" });
  stage.network.next("cancelOrder", { is: "request lost" });

  const result = await stage.botStops();

  expect(result).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
  expect(stage.quotes()).toEqual([]);
});

it("a cancel that was answered, of an order that the stream says nothing about: the exchange is asked after a second, and its slot is quoted again", async () => {
  const stage = new Stage({ saysOnce: true });
  await stage.botStarts();

  stage.network.stall("account");
  stage.wants({ bid: BID - 50 });
  await stage.passes(1_500);

  expect(stage.network.sentOf("cancelOrder").map(({ status }) => status)).toEqual([204]);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK}`]);
  stage.network.restore("account");
  await stage.passes(2_000);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});
