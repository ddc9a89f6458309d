import { expect, it } from "vitest";
import { BOTH } from "./quoting-stage.js";
import { Stage } from "./stage.js";

const wall = (retryAfterMs: number) =>
  ({ is: "answered by a wall", status: 429, body: "", retryAfterMs }) as const;

it("a 429 in a quiet market does not cost the place in the queue: the stream itself says that nothing is missing", async () => {
  const stage = new Stage();
  await stage.botStarts();
  const placed = stage.network.sentOf("placeOrder").length;
  const cancelled = stage.network.sentOf("cancelOrder").length;

  stage.network.next("orderbook", wall(9_000));
  await stage.passes(30_000);

  expect(stage.saidOfHalt("stale-book")).toBeUndefined();
  expect(stage.network.sentOf("placeOrder")).toHaveLength(placed);
  expect(stage.network.sentOf("cancelOrder")).toHaveLength(cancelled);
  expect(stage.quotes()).toEqual(BOTH);
  stage.expectAgreement();
});

it("a 429 while the stream has stalled behind its pings: a new subscription brings nothing, and the book counts as too old", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.network.next("orderbook", wall(9_000));
  stage.network.stall("market");
  await stage.passes(4_000);
  expect(stage.halts()).toContain("stale-book");

  await stage.passes(20_000);
  expect(stage.quotes(), "down as soon as cancels may leave").toEqual([]);
  stage.network.restore("market");
  await stage.passes(15_000);
  expect(stage.quotes()).toEqual(BOTH);
  stage.expectAgreement();
});
