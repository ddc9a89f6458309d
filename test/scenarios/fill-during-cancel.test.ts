import { expect, it } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

it("a quote fills while its cancel is on the way: the fill counts, the 2011 is no error, one new quote stands", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.next("cancelOrder", { is: "request late", byMs: 300 });
  stage.wants({ bid: BID - 50 });
  await stage.passes(400);
  const cancelled = stage.network.sentOf("cancelOrder").length;
  expect(cancelled).toBe(1);
  await stage.passes(10_000);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK}`]);

  stage.network.next("cancelOrder", { is: "request late", byMs: 300 });
  stage.wants({ bid: BID - 100 });
  await stage.passes(260);
  stage.counterparty.sells(10, BID - 50);
  await stage.passes(10_000);

  expect(stage.network.sentOf("cancelOrder").map(({ status }) => status)).toEqual([204, 400]);
  expect(stage.positionLots()).toBe(10);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 100}`, `SELL 10 @ ${ASK}`]);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});

it("a quote fills in part just before its cancel arrives, and the stream is silent: the part is found all the same", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.stall("account");
  stage.network.next("cancelOrder", { is: "request late", byMs: 300 });
  stage.wants({ bid: BID - 50 });
  await stage.passes(260);
  stage.counterparty.sells(7, BID);
  await stage.passes(15_000);
  stage.network.restore("account");
  await stage.passes(35_000);

  expect(stage.network.sentOf("cancelOrder").map(({ status }) => status)).toEqual([204]);
  expect(stage.positionLots()).toBe(7);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});
