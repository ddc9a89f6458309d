import { expect, it } from "vitest";
import { LeftInBook } from "../../src/market/left-in-book.js";
import { netTouch, type OwnRestingOrder } from "../../src/market/net-book.js";
import { OrderBook } from "../../src/market/order-book.js";

const OURS: OwnRestingOrder = { side: "SELL", ticks: 101, lots: 5 };
const FAR = { bidTicks: 100, askTicks: 110 };

/** A book with our ask of five inside of somebody's at 110. */
function bookWithOurs(atOurPrice = 5): { readonly book: OrderBook; readonly left: LeftInBook } {
  const book = new OrderBook();
  book.bids.set(100, 9);
  book.asks.set(101, atOurPrice);
  book.asks.set(110, 9);
  const left = new LeftInBook();
  left.note([OURS], book, 0);
  return { book, left };
}

const touchOf = (book: OrderBook, left: LeftInBook, own: readonly OwnRestingOrder[]) => netTouch(book, left.with(own));

it("an own order that was cancelled is nobody else's as long as the book may still show it", () => {
  const { book, left } = bookWithOurs();
  left.note([], book, 10);
  expect(touchOf(book, left, [])).toEqual(FAR);
  book.asks.set(101, 0);
  left.note([], book, 35);
  expect(touchOf(book, left, [])).toEqual(FAR);
  book.asks.set(101, 7);
  left.note([], book, 36);
  expect(touchOf(book, left, []), "somebody else's").toEqual({ bidTicks: 100, askTicks: 101 });
});

it("nor is the part of one that was filled", () => {
  const { book, left } = bookWithOurs();
  const rest = { ...OURS, lots: 2 };
  left.note([rest], book, 10);
  expect(touchOf(book, left, [rest])).toEqual(FAR);
  book.asks.set(101, 2);
  left.note([rest], book, 20);
  expect(left.with([rest])).toEqual([rest]);
});

it.each([
  ["the book that was told first", 0, 10],
  ["a book that goes on showing it", 5, 310],
])("it is forgotten with %s: what is there then is somebody else's", (_, shownLots, nowMs) => {
  const { book, left } = bookWithOurs();
  if (shownLots === 0) book.asks.set(101, 3);
  left.note([], book, 10);
  left.note([], book, nowMs);
  expect(touchOf(book, left, [])).toEqual({ bidTicks: 100, askTicks: 101 });
});

it("what others have beside it stays theirs", () => {
  const { book, left } = bookWithOurs(8);
  left.note([], book, 10);
  expect(touchOf(book, left, [])).toEqual({ bidTicks: 100, askTicks: 101 });
});
