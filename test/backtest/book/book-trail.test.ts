import { describe, expect, it } from "vitest";
import { BookTrail } from "../../../src/backtest/book/book-trail.js";
import { TapeBuilder } from "../../../src/history/columns/tape/tape-builder.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };

/** As many updates, the bid of each a tick above the one before. */
function risingTape(updates: number) {
  const builder = new TapeBuilder(GRID);
  for (let at = 0; at < updates; at++) builder.update(at, at).level("BUY", 100 + at, at + 1);
  return builder.build();
}

describe("the trail of the exchange's book", () => {
  it("has the best levels after each of the last thousand messages, and says of older ones that it has not", () => {
    const tape = risingTape(3000);
    const trail = new BookTrail();
    trail.turn(tape);
    for (let message = 0; message < 3000; message++) {
      trail.book.applyMessage(tape, message);
      trail.tell(message);
    }
    expect(trail.was(tape, 2999, 2999)).toBe(true);
    expect([trail.bidKey(2999), trail.bidLots(2999), trail.askLots(2999)]).toEqual([3099, 3000, 0]);
    expect(trail.was(tape, 2000, 2000)).toBe(true);
    expect([trail.bidKey(2000), trail.bidLots(2000)]).toEqual([2100, 2001]);
    expect(trail.was(tape, 1975, 1975)).toBe(false);
    expect(trail.was(tape, 3000, 3000)).toBe(false);
    expect(trail.was(tape, 2998, 2999)).toBe(false);
  });

  it("tells one tape from another, and all that was told from as many messages of which one is another", () => {
    const [first, second] = [risingTape(3), risingTape(3)];
    const trail = new BookTrail();
    trail.turn(first);
    for (const message of [0, 1, 2]) trail.tell(message);
    expect(trail.isAll(first, 3, 2)).toBe(true);
    expect(trail.isAll(first, 2, 1)).toBe(false);
    expect(trail.isAll(first, 3, 3)).toBe(false);
    expect(trail.isAll(second, 3, 2)).toBe(false);
    trail.turn(second);
    trail.tell(0);
    expect(trail.was(first, 0, 0)).toBe(false);
    expect(trail.was(second, 0, 0)).toBe(true);
    expect(trail.isAll(second, 1, 0)).toBe(true);
  });
});
