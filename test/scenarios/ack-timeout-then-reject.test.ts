import { expect, it } from "vitest";
import { BID, MARKET, START_MS, Stage } from "./stage.js";

it("an order that was refused, its answer lost, is placed again only when it is proven that it cannot arrive any more", async () => {
  const stage = new Stage();
  stage.wants({ bid: null, ask: null });
  await stage.botStarts();

  stage.exchange.setMarketStatus(MARKET, "SUSPENDED");
  stage.network.next("placeOrder", { is: "answer lost" });
  stage.wants({ ask: null });
  await stage.passes(500);
  stage.exchange.setMarketStatus(MARKET, "TRADING");
  await stage.passes(20_000);

  const [first, second, ...more] = stage.network.sentOf("placeOrder");
  expect(first?.status).toBe(400);
  expect(second?.status).toBe(200);
  expect(more).toEqual([]);
  const signedMs = Number(first?.params.get("timestamp"));
  expect(signedMs).toBeGreaterThan(START_MS);
  expect(second?.atMs, "not within the time that the first may still be taken").toBeGreaterThan(
    signedMs + 5_000,
  );
  expect(stage.phases()).toEqual(["sent", "unknown", "lost", "sent", "open"]);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`]);
  stage.expectAgreement();
});

it("an order that arrives four seconds late, long after its answer was given up, does not meet a second one", async () => {
  const stage = new Stage();
  stage.wants({ bid: null, ask: null });
  await stage.botStarts();

  stage.network.next("placeOrder", { is: "request late", byMs: 4_000 });
  stage.wants({ ask: null });
  await stage.passes(3_000);
  expect(stage.ordersEver()).toBe(0);
  expect(stage.phases()).toEqual(["sent", "unknown"]);
  await stage.passes(20_000);

  expect(stage.ordersEver()).toBe(1);
  expect(stage.mostAtOnce.BUY).toBe(10);
  stage.expectAgreement();
});
