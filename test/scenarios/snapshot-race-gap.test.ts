import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const BOOK_UPDATE = /@orderbook".*"event":"update"/;

function expectSameBook(stage: Stage): void {
  const { book } = stage.rig.bot.context.traders.get(MARKET) ?? {};
  const { sequence, bids, asks } = stage.exchange.book(MARKET);
  expect(book?.isSynchronised).toBe(true);
  expect(book?.sequence).toBe(sequence);
  expect(book?.entries()).toEqual({ bids: bids.flat(), asks: asks.flat() });
}

it("an update is lost: the gap is seen, no place leaves on the broken book, and the next snapshot heals it", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.loseFrame(BOOK_UPDATE);
  const lost = stage.counterparty.rests("BUY", 3, BID - 1_000);
  await stage.passes(100);
  stage.counterparty.rests("BUY", 3, BID - 1_100);
  await stage.passes(10_000);

  expect(stage.notices).toContainEqual(
    expect.objectContaining({ kind: "book-lost", marketId: MARKET, gap: true }),
  );
  const halts = stage.notices.filter(
    (notice) => notice.kind === "halted" && notice.reason === "book-unsynchronised",
  );
  const [first, second] = [
    "the book has no snapshot yet",
    "the book is not in sync with the exchange's sequence",
  ];
  expect(halts).toMatchObject([
    { on: true, why: first, isStarting: true },
    { on: false, why: first, isStarting: true },
    { on: true, why: second, isStarting: false },
    { on: false, why: second, isStarting: false },
  ]);
  expectSameBook(stage);
  stage.counterparty.cancels(lost);
  await stage.passes(1_000);
  expectSameBook(stage);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
});

it("after a reconnect the snapshot comes later than the updates that follow it: no half book is ever quoted on", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.delaySnapshots(400);
  stage.network.drop("market");
  for (let order = 0; order < 12; order++) {
    await stage.passes(60);
    stage.counterparty.rests("SELL", 1, ASK + 100 + order);
  }
  await stage.passes(2_000);
  stage.network.delaySnapshots(0);
  await stage.passes(10_000);

  expectSameBook(stage);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  stage.expectAgreement();
});

it("two updates change places: that is a gap too", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.network.swapFrames(BOOK_UPDATE);
  stage.counterparty.rests("BUY", 3, BID - 1_000);
  await stage.passes(100);
  stage.counterparty.rests("BUY", 3, BID - 1_100);
  await stage.passes(10_000);

  expect(stage.notices).toContainEqual(expect.objectContaining({ kind: "book-lost", gap: true }));
  expectSameBook(stage);
});
