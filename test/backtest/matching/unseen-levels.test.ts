import { describe, expect, it } from "vitest";
import { BookMatcher } from "../../../src/backtest/matching/book-matcher.js";
import { queueModelNamed } from "../../../src/core/queue-model-names.js";
import { TapeBuilder } from "../../../src/history/columns/tape-builder.js";
import { Heard, order } from "./heard.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };

/** A recorder that cuts its books off: bids 100 x 10, 99 x 20; asks 102 x 10, 103 x 20, at 1,000 us. */
const cut = (): TapeBuilder =>
  new TapeBuilder(GRID).snapshot(1000, 1000).level("BUY", 100, 10).level("BUY", 99, 20).level("SELL", 102, 10).level("SELL", 103, 20);
/** The same book, whole: no price lies beyond. */
const whole = (): TapeBuilder =>
  cut()
    .level("BUY", 1, 0)
    .level("SELL", 2 ** 31 - 1, 0);

/** An order that arrived at 1,500 us in a market that went on: what became of it. */
function storyOf(tape: TapeBuilder, side: "BUY" | "SELL", ticks: number, queue = "risk-averse"): string[] {
  const heard = new Heard();
  const matcher = new BookMatcher({ tape: tape.build(), listener: heard, queue: queueModelNamed(queue, 0.001) });
  matcher.advance(1500, true);
  matcher.place(order(1, side, ticks, 7), 1500);
  while (matcher.advance(1_000_000, true) < 1_000_000);
  return heard.story;
}

// Whoever has the best twenty levels alone knows nothing of the twenty-first. An order there that stood before all who were there already would be filled by the first
// who comes, and live by the last: the deeper a quote, the more such a backtest flatters.
describe("an order beyond the levels that a recording shows", () => {
  /** The market comes down to 97, where 50 stand that no book had shown. */
  const comeDown = (tape: TapeBuilder): TapeBuilder =>
    tape.snapshot(2000, 2000).level("BUY", 98, 5).level("BUY", 97, 50).level("SELL", 99, 10).level("SELL", 101, 10);

  it.each(["risk-averse", "log", "power-2"])("stands behind all that its price shows when a book first shows it (%s)", (queue) => {
    expect(storyOf(comeDown(cut()).trade(3000, 3000, "SELL", 97, 50), "BUY", 97, queue)).toEqual([]);
    expect(storyOf(comeDown(cut()).trade(3000, 3000, "SELL", 97, 53), "BUY", 97, queue)).toEqual(["1 3@97 queue"]);
    const up = (lots: number): TapeBuilder =>
      cut().snapshot(2000, 2000).level("BUY", 103, 5).level("SELL", 104, 5).level("SELL", 105, 50).trade(3000, 3000, "BUY", 105, lots);
    expect(storyOf(up(50), "SELL", 105, queue)).toEqual([]);
    expect(storyOf(up(53), "SELL", 105, queue)).toEqual(["1 3@105 queue"]);
  });

  it("so too where an update shows it, and before that a trade at its price does not reach it", () => {
    const tape = cut().trade(1600, 1600, "SELL", 97, 9).update(2000, 2000).level("BUY", 97, 50);
    expect(storyOf(tape.trade(3000, 3000, "SELL", 97, 52), "BUY", 97)).toEqual(["1 2@97 queue"]);
  });

  it("stands first where a book shows that nobody is there", () => {
    const tape = cut().snapshot(2000, 2000).level("BUY", 98, 5).level("BUY", 96, 5).level("SELL", 99, 5);
    expect(storyOf(tape.update(2500, 2500).level("BUY", 97, 40).trade(3000, 3000, "SELL", 97, 4), "BUY", 97)).toEqual(["1 4@97 queue"]);
  });

  it("stands first where the best price has fallen below its own, since nobody can have been there", () => {
    const tape = cut().update(2000, 2000).level("BUY", 96, 5).level("BUY", 100, 0).level("BUY", 99, 0);
    expect(storyOf(tape.trade(3000, 3000, "SELL", 97, 4), "BUY", 97)).toEqual(["1 4@97 queue"]);
  });

  it("is filled wholly by what goes beyond it, as every other", () => {
    expect(storyOf(cut().trade(2000, 2000, "SELL", 96, 1), "BUY", 97)).toEqual(["1 7@97 through"]);
    expect(storyOf(cut().update(2000, 2000).level("SELL", 97, 1), "BUY", 97)).toEqual(["1 7@97 cross"]);
  });

  it("stands first at an empty price of a whole book, and at one between its levels or inside the spread of a cut one", () => {
    expect(storyOf(whole().trade(2000, 2000, "SELL", 97, 4), "BUY", 97)).toEqual(["1 4@97 queue"]);
    expect(storyOf(whole().trade(2000, 2000, "BUY", 105, 4), "SELL", 105)).toEqual(["1 4@105 queue"]);
    expect(storyOf(cut().trade(2000, 2000, "SELL", 101, 4), "BUY", 101)).toEqual(["1 4@101 queue"]);
  });

  it("is unseen from the loss of the book to its next snapshot, wherever it is", () => {
    const tape = whole().lost(1200, 1200).update(2000, 2000).level("BUY", 100, 30).level("SELL", 102, 5);
    expect(storyOf(tape.trade(3000, 3000, "SELL", 100, 30), "BUY", 100)).toEqual([]);
  });
});
