import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

it("pings go on, data has stopped, the market moves: quotes come down within the book's age limit, and return with the data", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.stall("market");
  stage.counterparty.rests("BUY", 5, BID + 5);
  await stage.passes(4_000);
  expect(stage.quotes()).toEqual([]);
  expect(stage.notices).toContainEqual(
    expect.objectContaining({ kind: "book-lost", marketId: MARKET, gap: false }),
  );

  await stage.passes(60_000);
  expect(stage.quotes(), "and stay down while nothing comes").toEqual([]);
  const before = stage.network.sentOf("placeOrder").length;

  stage.network.restore("market");
  await stage.passes(15_000);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.network.sentOf("placeOrder")).toHaveLength(before + 2);
  stage.expectAgreement();
});

it("data has stopped, and the exchange's sequence cannot be asked either: the book is too old to quote on", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.stall("market");
  const ends = stage.network.every("orderbook", { is: "request lost" });
  await stage.passes(4_000);
  expect(stage.quotes()).toEqual([]);
  expect(stage.halts()).toEqual(["stale-book"]);
  expect(stage.saidOfHalt("stale-book")).toMatch(/allowed 2000 ms/);

  ends();
  stage.network.restore("market");
  await stage.passes(10_000);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  stage.expectAgreement();
});

it("a market that is merely quiet keeps its quotes: the exchange's sequence says that nothing is missing", async () => {
  const stage = new Stage();
  await stage.botStarts();

  await stage.passes(120_000);

  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.network.sentOf("placeOrder")).toHaveLength(2);
  expect(stage.network.sentOf("cancelOrder")).toHaveLength(0);
});
