import { describe, expect, it } from "vitest";
import { BookMatcher } from "#backtest/book-matcher.js";
import { RunError } from "#core/errors.js";
import { riskAverseQueue } from "#core/queue-models.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { Heard, order } from "./heard.js";
import { GRID, market } from "./matched-market.js";

describe("an order that arrives", () => {
  it("takes level by level, its limit's own included, and rests with what is left", () => {
    const { matcher, heard, toEnd } = market((tape) => tape.trade(2000, 2000, "SELL", 103, 2));
    matcher.place(order(1, "BUY", 103, 33), 1500);
    expect(heard.story).toEqual(["1 10@102 taker", "1 20@103 taker"]);
    toEnd();
    expect(heard.story.slice(2)).toEqual(["1 2@103 queue"]);
    expect(heard.orders[0]?.openLots).toBe(1);
  });

  it("sells level by level too, its limit's own included", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "SELL", 99, 35, { timeInForce: "IOC" }), 1500);
    expect(heard.story).toEqual(["1 10@100 taker", "1 20@99 taker"]);
    expect(heard.ends).toEqual([{ id: 1, how: "expired", lots: 5, atUs: 1500 }]);
  });

  it.each(["IOC", "FOK"] as const)("as %s beyond what is shown is over at once", (timeInForce) => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 101, 5, { timeInForce }), 1500);
    expect([heard.story, heard.ends.map(({ how }) => how)]).toEqual([[], ["expired"]]);
  });

  it("as FOK takes all of it or nothing", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 102, 11, { timeInForce: "FOK" }), 1500);
    expect(heard.story).toEqual([]);
    matcher.place(order(2, "BUY", 103, 30, { timeInForce: "FOK" }), 1500);
    expect(heard.story).toEqual(["2 10@102 taker", "2 20@103 taker"]);
  });

  it("as MARKET takes up to its bound, or everything displayed without one, and the rest ends", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "SELL", 100, 12, { type: "MARKET", timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "BUY", Number.NaN, 40, { type: "MARKET", timeInForce: "IOC" }), 1500);
    expect(heard.story).toEqual(["1 10@100 taker", "2 10@102 taker", "2 20@103 taker"]);
    expect(heard.ends.map(({ id, how, lots }) => [id, how, lots])).toEqual([
      [1, "expired", 2],
      [2, "expired", 10],
    ]);
  });

  it("as POST_ONLY is refused at the other side's best price, and rests a tick before it", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 102, 5, { timeInForce: "POST_ONLY" }), 1500);
    matcher.place(order(2, "SELL", 100, 5, { timeInForce: "POST_ONLY" }), 1500);
    matcher.place(order(3, "BUY", 101, 5, { timeInForce: "POST_ONLY" }), 1500);
    expect(heard.ends.map(({ id, how }) => [id, how])).toEqual([
      [1, "would-take"],
      [2, "would-take"],
    ]);
    expect(matcher.cancel(3, 1500)).toBe(true);
  });

  it("as GTT whose time is over is over", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 103, 5, { timeInForce: "GTT", expirationUs: 1500 }), 1500);
    expect([heard.story, heard.ends.map(({ how }) => how)]).toEqual([[], ["expired"]]);
  });

  it("finds an empty book empty", () => {
    const heard = new Heard();
    const matcher = new BookMatcher({
      tape: new TapeBuilder(GRID).build(),
      listener: heard,
      queue: riskAverseQueue,
    });
    expect([matcher.nextUs, matcher.touch.bidTicks, matcher.touch.askTicks]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.NaN,
      Number.NaN,
    ]);
    matcher.place(order(1, "BUY", Number.NaN, 5, { type: "MARKET", timeInForce: "IOC" }), 0);
    matcher.place(order(2, "BUY", 5, 5, { timeInForce: "POST_ONLY" }), 0);
    expect(heard.ends.map(({ id, how }) => [id, how])).toEqual([[1, "expired"]]);
  });

  it("meets no order of ours: they never trade with each other", () => {
    const { matcher, heard, toEnd } = market();
    matcher.place(order(1, "SELL", 101, 5), 1500);
    matcher.place(order(2, "BUY", 101, 5), 1500);
    toEnd();
    expect(heard.story).toEqual([]);
  });

  it("is refused where history is not played to its instant, and where it is partly filled or already open", () => {
    const { matcher } = market((tape) => tape.trade(2000, 2000, "SELL", 100, 1));
    expect(() => matcher.place(order(1, "BUY", 100, 5), 2000)).toThrow(
      "arrives later than the next event of the history",
    );
    expect(() => matcher.place(order(1, "BUY", 100, 5, { openLots: 4 }), 1500)).toThrow(RunError);
    matcher.place(order(1, "BUY", 100, 5), 1500);
    expect(() => matcher.place(order(1, "BUY", 100, 5), 1500)).toThrow(RunError);
  });
});

describe("liquidity that our takers consumed", () => {
  it("is not there for us a second time, at any level", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 103, 14, { timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "BUY", 103, 30, { timeInForce: "IOC" }), 1500);
    expect(heard.story).toEqual(["1 10@102 taker", "1 4@103 taker", "2 16@103 taker"]);
  });

  it("stays consumed while its level only shrinks; additions are available", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.update(2000, 2000).level("SELL", 102, 6).update(3000, 3000).level("SELL", 102, 9),
    );
    matcher.place(order(1, "BUY", 102, 10, { timeInForce: "IOC" }), 1500);
    matcher.advance(2500, true);
    matcher.place(order(2, "BUY", 102, 10, { timeInForce: "IOC" }), 2500);
    toEnd();
    matcher.place(order(3, "BUY", 102, 10, { timeInForce: "IOC" }), 1_000_000);
    expect(heard.story).toEqual(["1 10@102 taker", "3 3@102 taker"]);
  });

  it("is there again once its level has gone and come back", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.update(2000, 2000).level("SELL", 102, 0).update(3000, 3000).level("SELL", 102, 10),
    );
    matcher.place(order(1, "BUY", 102, 10, { timeInForce: "IOC" }), 1500);
    toEnd();
    matcher.place(order(2, "BUY", 102, 10, { timeInForce: "IOC" }), 1_000_000);
    expect(heard.story).toEqual(["1 10@102 taker", "2 10@102 taker"]);
  });

  // A gap in a recording does not add liquidity: otherwise a bot could take the same offer again
  // after each gap.
  it("stays consumed when the book is lost, until a book shows that its level had gone", () => {
    const taking = (after: (tape: TapeBuilder) => unknown): string[] => {
      const { matcher, heard, toEnd } = market((tape) => after(tape.lost(2000, 2000)));
      matcher.place(order(1, "BUY", 102, 7, { timeInForce: "IOC" }), 1500);
      toEnd();
      matcher.place(order(2, "BUY", 102, 10, { timeInForce: "IOC" }), 1_000_000);
      return heard.story.slice(1);
    };
    const book = (tape: TapeBuilder, us: number, ticks: number, lots: number): TapeBuilder =>
      tape.snapshot(us, us).level("BUY", 100, 10).level("SELL", ticks, lots).level("SELL", 105, 5);
    expect(taking((tape) => book(tape, 3000, 102, 10))).toEqual(["2 3@102 taker"]);
    expect(taking((tape) => book(tape.lost(2500, 2500), 3000, 102, 4))).toEqual([]);
    expect(
      taking((tape) =>
        tape.update(2500, 2500).level("SELL", 103, 1).update(2600, 2600).level("SELL", 102, 10),
      ),
    ).toEqual(["2 3@102 taker"]);
    expect(
      taking((tape) => book(book(tape, 3000, 101, 4).level("SELL", 102, 0), 4000, 102, 10)),
    ).toEqual(["2 10@102 taker"]);
  });

  it("does not fill what is left of the order that took it, as long as nothing is added there", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape
        .update(2000, 2000)
        .level("SELL", 102, 8)
        .level("BUY", 100, 11)
        .update(3000, 3000)
        .level("SELL", 102, 9),
    );
    matcher.place(order(1, "BUY", 102, 15), 1500);
    matcher.advance(2500, true);
    expect(heard.story).toEqual(["1 10@102 taker"]);
    toEnd();
    expect(heard.story).toEqual(["1 10@102 taker", "1 5@102 cross"]);
  });

  it("does not refuse a post-only order that would have met nothing else", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 102, 10, { timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "BUY", 102, 1, { timeInForce: "POST_ONLY" }), 1500);
    matcher.place(order(3, "BUY", 103, 1, { timeInForce: "POST_ONLY" }), 1500);
    expect(heard.ends.map(({ id }) => id)).toEqual([3]);
  });
});

describe("without partial fills", () => {
  const whole = { partialFills: false };

  it("any lot that reaches a resting order fills all of it, and each of ours by itself", () => {
    const { matcher, heard, toEnd } = market(
      (tape) => tape.trade(2000, 2000, "SELL", 100, 10).trade(3000, 3000, "SELL", 100, 1),
      whole,
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    matcher.place(order(2, "BUY", 100, 50), 1500);
    toEnd();
    expect(heard.fills).toEqual([
      { id: 1, ticks: 100, lots: 7, cause: "queue", atUs: 3000 },
      { id: 2, ticks: 100, lots: 50, cause: "queue", atUs: 3000 },
    ]);
  });

  it("takers are filled wholly at the best price, whatever is shown there, again and again", () => {
    const { matcher, heard } = market(() => {}, whole);
    matcher.place(order(1, "BUY", 105, 500), 1500);
    matcher.place(order(2, "SELL", 99, 500, { timeInForce: "FOK" }), 1500);
    matcher.place(order(3, "SELL", Number.NaN, 500, { type: "MARKET", timeInForce: "IOC" }), 1500);
    matcher.place(order(4, "SELL", 101, 500, { timeInForce: "IOC" }), 1500);
    expect(heard.story).toEqual(["1 500@102 taker", "2 500@100 taker", "3 500@100 taker"]);
    expect(heard.ends.map(({ id, how }) => [id, how])).toEqual([[4, "expired"]]);
  });
});
