import { expect, it } from "vitest";
import type { OperationName } from "#exchange/operations.js";
import { ASK, BID, Stage } from "./stage.js";

const ORDERS: readonly OperationName[] = ["placeOrder", "cancelOrder", "cancelAllOpenOrders"];

it("after a 429 nothing leaves before its time, then the cancels, and only then places", async () => {
  const stage = new Stage();
  await stage.botStarts();
  const alreadySent = stage.network.sent.length;

  stage.network.next("cancelOrder", {
    is: "answered by a wall",
    status: 429,
    body: "",
    retryAfterMs: 3_000,
  });
  stage.wants({ bid: BID - 50, ask: ASK + 50 });
  await stage.passes(15_000);

  const later = stage.network.sent.slice(alreadySent).filter(({ what }) => ORDERS.includes(what));
  const [refused] = later;
  const afterwards = later.filter(({ atMs }) => atMs > (refused?.atMs ?? 0) + 2);
  expect(refused?.what).toBe("cancelOrder");
  expect(afterwards[0]?.atMs).toBeGreaterThanOrEqual((refused?.atMs ?? 0) + 3_000);
  const kinds = afterwards.map(({ what }) => what);
  expect(kinds[0]).toBe("cancelOrder");
  expect(kinds.lastIndexOf("cancelOrder")).toBeLessThan(kinds.indexOf("placeOrder"));
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK + 50}`]);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
  stage.expectAgreement();
});

it("a cancel and a place of another side, both held up by the same 429: the cancel leaves first", async () => {
  const stage = new Stage();
  stage.wants({ ask: null });
  await stage.botStarts();
  const alreadySent = stage.network.sent.length;

  stage.network.next("cancelOrder", {
    is: "answered by a wall",
    status: 429,
    body: "",
    retryAfterMs: 1_000,
  });
  stage.wants({ bid: BID - 50, ask: null });
  await stage.passes(500);
  stage.wants({ bid: BID - 50, ask: ASK });
  await stage.passes(10_000);

  const later = stage.network.sent.slice(alreadySent).filter(({ what }) => ORDERS.includes(what));
  expect(later.map(({ what }) => what)).toEqual([
    "cancelOrder",
    "cancelOrder",
    "placeOrder",
    "placeOrder",
  ]);
  expect(later[2]?.params.get("side"), "the free slot's place waited behind the cancel").toBe(
    "SELL",
  );
  expect(later[2]?.atMs).toBe(later[1]?.atMs);
});

it("somebody else spends the address's tokens: the exchange refuses, the bot still gets its quotes off first", async () => {
  const stage = new Stage({
    exchange: { rateLimits: { order: 40, common: 900, intervalMs: 10_000, key: "ip" } },
  });
  await stage.botStarts();

  const wall = { is: "answered by a wall", status: 429, body: "", retryAfterMs: 2_000 } as const;
  const ends = [stage.network.every("placeOrder", wall), stage.network.every("cancelOrder", wall)];
  stage.wants({ bid: null, ask: null });
  await stage.passes(9_000);
  expect(stage.network.sentOf("cancelOrder").length, "patiently").toBeLessThanOrEqual(10);
  for (const end of ends) end();
  await stage.passes(10_000);

  expect(stage.quotes()).toEqual([]);
  stage.expectAgreement();
});
