import { describe, expect, it } from "vitest";
import { BookMatcher, type BookMatcherOptions } from "../../../src/backtest/matching/book-matcher.js";
import { RunError } from "../../../src/core/errors.js";
import { queueModelNamed } from "../../../src/core/queue-model-names.js";
import { riskAverseQueue } from "../../../src/core/queue-models.js";
import { TapeBuilder } from "../../../src/history/columns/tape-builder.js";
import { Heard, order } from "./heard.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };

/** Bids 100 x 10, 99 x 20; asks 102 x 10, 103 x 20, at 1,000 us. */
const opening = (): TapeBuilder =>
  new TapeBuilder(GRID).snapshot(1000, 1000).level("BUY", 100, 10).level("BUY", 99, 20).level("SELL", 102, 10).level("SELL", 103, 20);

/** A market of that book and what `then` adds, played to 1,500 us. */
function market(then: (tape: TapeBuilder) => void = () => {}, options: Partial<BookMatcherOptions> = {}) {
  const builder = opening();
  then(builder);
  const heard = new Heard();
  const matcher = new BookMatcher({ tape: builder.build(), listener: heard, queue: riskAverseQueue, ...options });
  matcher.advance(1500, true);
  return { matcher, heard, toEnd: () => playOut(matcher) };
}

function playOut(matcher: BookMatcher, untilUs = 1_000_000): void {
  while (matcher.advance(untilUs, true) < untilUs);
}

describe("a resting order", () => {
  it("waits for what stood at its price before it, and is filled by what trades beyond that", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.trade(2000, 2000, "SELL", 100, 8).trade(3000, 3000, "SELL", 100, 5).trade(4000, 4000, "SELL", 100, 9),
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 3@100 queue", "1 4@100 queue"]);
    expect(heard.fills.map(({ atUs }) => atUs)).toEqual([3000, 4000]);
  });

  it("is filled when a trade leaves exactly its open amount, and is gone from the book", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.trade(2000, 2000, "SELL", 100, 17).trade(3000, 3000, "SELL", 100, 17).trade(4000, 4000, "SELL", 90, 17),
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 7@100 queue"]);
    expect(matcher.cancel(1, 1_000_000)).toBe(false);
  });

  it.each([
    ["BUY", 100, "SELL", 99],
    ["SELL", 102, "BUY", 103],
  ] as const)("to %s is filled wholly, at its own price, when a trade goes beyond it", (side, ticks, taker, beyond) => {
    const { matcher, heard, toEnd } = market((tape) => tape.trade(2000, 2000, taker, beyond, 1));
    matcher.place(order(1, side, ticks, 7), 1500);
    toEnd();
    expect(heard.story).toEqual([`1 7@${ticks} through`]);
  });

  it("is not filled by takers of its own side, who trade with the other one", () => {
    const { matcher, heard, toEnd } = market((tape) => tape.trade(2000, 2000, "BUY", 100, 1000).trade(2000, 2000, "SELL", 102, 1000));
    matcher.place(order(1, "SELL", 103, 7), 1500);
    matcher.place(order(2, "BUY", 99, 7), 1500);
    toEnd();
    expect(heard.story).toEqual([]);
  });

  it("is filled wholly at its own price when the other side comes to it", () => {
    const { matcher, heard, toEnd } = market((tape) => tape.update(2000, 2000).level("SELL", 100, 3).level("BUY", 100, 0));
    matcher.place(order(1, "BUY", 100, 7), 1500);
    matcher.place(order(2, "BUY", 99, 5), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 7@100 cross"]);
  });

  it("is tested only when the whole message is in the book: a level that passes within one is no fill", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.update(2000, 2000).level("SELL", 101, 4).level("SELL", 101, 0).level("BUY", 100, 3),
    );
    matcher.place(order(1, "BUY", 101, 7, { timeInForce: "POST_ONLY" }), 1500);
    toEnd();
    expect(heard.story).toEqual([]);
  });

  it("moves up when the level shrinks to less than what stood ahead, and never fills by that", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.update(2000, 2000).level("BUY", 100, 4).update(2500, 2500).level("BUY", 100, 50).trade(3000, 3000, "SELL", 100, 5),
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 1@100 queue"]);
  });

  it("stands where the queue model says, whichever is given", () => {
    const story = (queue: string): string[] => {
      const { matcher, heard, toEnd } = market(
        (tape) =>
          tape
            .update(2000, 2000)
            .level("BUY", 100, 30)
            .update(2100, 2100)
            .level("BUY", 100, 15)
            .trade(3000, 3000, "SELL", 100, 6)
            .update(3100, 3100)
            .level("BUY", 100, 9),
        { queue: queueModelNamed(queue, 0.001) },
      );
      matcher.place(order(1, "BUY", 100, 7), 1500);
      toEnd();
      return heard.story;
    };
    expect(story("risk-averse")).toEqual([]);
    // A third of 15 cancels is ahead of us: 5 are left there, and 6 trade.
    expect(story("power-1")).toEqual(["1 1@100 queue"]);
  });

  it("stands behind ours at its price: what an older one takes of a trade never reaches it", () => {
    const { matcher, heard, toEnd } = market((tape) => tape.trade(2000, 2000, "SELL", 100, 14).trade(3000, 3000, "SELL", 100, 3));
    matcher.place(order(1, "BUY", 100, 3), 1500);
    matcher.place(order(2, "BUY", 100, 3), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 3@100 queue", "2 1@100 queue", "2 2@100 queue"]);
  });

  it("takes part in what happens at the very instant at which it ends, and not after", () => {
    const { matcher, heard, toEnd } = market((tape) => tape.trade(2000, 2000, "SELL", 100, 12).trade(2001, 2001, "SELL", 99, 30));
    matcher.place(order(1, "BUY", 100, 7, { timeInForce: "GTT", expirationUs: 2000 }), 1500);
    expect(matcher.nextUs).toBe(2000);
    toEnd();
    expect(heard.story).toEqual(["1 2@100 queue"]);
    expect(heard.ends).toEqual([{ id: 1, how: "expired", lots: 5, atUs: 2000 }]);
  });

  it("ends by its own time where nothing happens, and the matcher says when that is", () => {
    const { matcher, heard } = market((tape) => tape.trade(9000, 9000, "BUY", 102, 1));
    matcher.place(order(1, "BUY", 100, 7, { timeInForce: "GTT", expirationUs: 3000 }), 1500);
    matcher.place(order(2, "BUY", 100, 7, { timeInForce: "GTT", expirationUs: 4000 }), 1500);
    expect([matcher.nextUs, matcher.advance(3000, false), heard.ends.length]).toEqual([3000, 3000, 0]);
    expect([matcher.advance(8000, false), matcher.nextUs]).toEqual([3000, 4000]);
    expect([matcher.advance(8000, false), matcher.nextUs, matcher.advance(8000, false)]).toEqual([4000, 9000, 8000]);
    expect(heard.ends.map(({ id, atUs }) => [id, atUs])).toEqual([
      [1, 3000],
      [2, 4000],
    ]);
  });

  it("is cancelled after what history has at that instant", () => {
    const { matcher, heard } = market((tape) => tape.trade(2000, 2000, "SELL", 100, 12));
    matcher.place(order(1, "BUY", 100, 7), 1500);
    expect(() => matcher.cancel(1, 2000)).toThrow(RunError);
    expect(matcher.advance(2000, true)).toBe(2000);
    expect(matcher.cancel(1, 2000)).toBe(true);
    expect(matcher.cancel(1, 2000)).toBe(false);
    expect(heard.ends).toEqual([{ id: 1, how: "cancelled", lots: 5, atUs: 2000 }]);
  });
});

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

  it("as MARKET takes to its bound, or all that is shown where it has none, and what is left is over", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "SELL", 100, 12, { type: "MARKET", timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "BUY", Number.NaN, 40, { type: "MARKET", timeInForce: "IOC" }), 1500);
    expect(heard.story).toEqual(["1 10@100 taker", "2 10@102 taker", "2 20@103 taker"]);
    expect(heard.ends.map(({ id, how, lots }) => [id, how, lots])).toEqual([
      [1, "expired", 2],
      [2, "expired", 10],
    ]);
  });

  it("as POST_ONLY is turned away at the other side's best, and rests a tick before it", () => {
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
    const matcher = new BookMatcher({ tape: new TapeBuilder(GRID).build(), listener: heard, queue: riskAverseQueue });
    expect([matcher.nextUs, matcher.touch.bidTicks, matcher.touch.askTicks]).toEqual([Number.POSITIVE_INFINITY, Number.NaN, Number.NaN]);
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

  it("is refused where history is not played to its instant, and where it is not whole or already there", () => {
    const { matcher } = market((tape) => tape.trade(2000, 2000, "SELL", 100, 1));
    expect(() => matcher.place(order(1, "BUY", 100, 5), 2000)).toThrow("not yet played");
    expect(() => matcher.place(order(1, "BUY", 100, 5, { openLots: 4 }), 1500)).toThrow(RunError);
    matcher.place(order(1, "BUY", 100, 5), 1500);
    expect(() => matcher.place(order(1, "BUY", 100, 5), 1500)).toThrow(RunError);
  });
});

describe("liquidity that our takers took", () => {
  it("is not there for us a second time, at any level", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 103, 14, { timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "BUY", 103, 30, { timeInForce: "IOC" }), 1500);
    expect(heard.story).toEqual(["1 10@102 taker", "1 4@103 taker", "2 16@103 taker"]);
  });

  it("stays taken while its level only shrinks, and what the recording adds is there", () => {
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

  it("does not fill what is left of the order that took it, as long as nothing is added there", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.update(2000, 2000).level("SELL", 102, 8).level("BUY", 100, 11).update(3000, 3000).level("SELL", 102, 9),
    );
    matcher.place(order(1, "BUY", 102, 15), 1500);
    matcher.advance(2500, true);
    expect(heard.story).toEqual(["1 10@102 taker"]);
    toEnd();
    expect(heard.story).toEqual(["1 10@102 taker", "1 5@102 cross"]);
  });

  it("turns no post-only order away that would have met nothing else", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 102, 10, { timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "BUY", 102, 1, { timeInForce: "POST_ONLY" }), 1500);
    matcher.place(order(3, "BUY", 103, 1, { timeInForce: "POST_ONLY" }), 1500);
    expect(heard.ends.map(({ id }) => id)).toEqual([3]);
  });

  it("fills with the next message what is left of the order that took it, where consumption is switched off", () => {
    const { matcher, heard, toEnd } = market((tape) => tape.update(2000, 2000).level("BUY", 90, 1), { consumption: false });
    matcher.place(order(1, "BUY", 102, 15), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 10@102 taker", "1 5@102 cross"]);
  });

  it("is there again at once where consumption is switched off", () => {
    const { matcher, heard } = market(() => {}, { consumption: false });
    matcher.place(order(1, "BUY", 102, 10, { timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "BUY", 102, 10, { timeInForce: "IOC" }), 1500);
    expect(heard.story).toEqual(["1 10@102 taker", "2 10@102 taker"]);
  });
});

describe("without partial fills", () => {
  const whole = { partialFills: false };

  it("any lot that reaches a resting order fills all of it, and each of ours by itself", () => {
    const { matcher, heard, toEnd } = market((tape) => tape.trade(2000, 2000, "SELL", 100, 10).trade(3000, 3000, "SELL", 100, 1), whole);
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

describe("history", () => {
  it("stops where the listener was told of something, and goes on from there", () => {
    const { matcher, heard } = market((tape) =>
      tape
        .trade(2000, 2000, "SELL", 99, 1)
        .trade(2000, 2000, "SELL", 98, 1)
        .trade(3000, 3000, "SELL", 97, 1)
        .update(4000, 4000)
        .level("BUY", 96, 1),
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    matcher.place(order(2, "BUY", 99, 7), 1500);
    expect([matcher.advance(3500, true), heard.fills.length, matcher.nextUs]).toEqual([2000, 1, 2000]);
    expect([matcher.advance(3500, true), heard.fills.length, matcher.nextUs]).toEqual([2000, 2, 3000]);
    expect([matcher.advance(3500, true), matcher.nextUs]).toEqual([3500, 4000]);
    expect([matcher.advance(4000, false), matcher.nextUs]).toEqual([4000, 4000]);
    expect([matcher.advance(4000, true), matcher.nextUs]).toEqual([4000, Number.POSITIVE_INFINITY]);
  });

  it("tells of each change of the best prices, once a message", () => {
    const moves: number[][] = [];
    market(
      (tape) =>
        tape
          .update(1100, 1100)
          .level("BUY", 99, 7)
          .update(1200, 1200)
          .level("BUY", 100, 0)
          .level("SELL", 101, 5)
          .update(1300, 1300)
          .level("SELL", 101, 4)
          .update(1400, 1400)
          .level("BUY", 99, 0),
      { onTouch: (...move) => moves.push(move) },
    );
    expect(moves).toEqual([
      [1000, 100, 102],
      [1200, 99, 101],
      [1400, Number.NaN, 101],
    ]);
  });

  it("goes on with the next days, added before or after the last one is played out, our orders and the book kept", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 100, 7), 1500);
    expect(matcher.nextUs).toBe(Number.POSITIVE_INFINITY);
    const day = (atUs: number, grid: Partial<typeof GRID> = {}) =>
      new TapeBuilder({ ...GRID, ...grid }).trade(atUs, atUs, "SELL", 100, 12).build();
    matcher.extend(day(5000));
    matcher.extend(new TapeBuilder(GRID).build());
    matcher.extend(day(6000));
    expect(() => matcher.extend(day(5999))).toThrow("exchangeUs");
    expect([matcher.nextUs, matcher.advance(9000, true), matcher.nextUs]).toEqual([5000, 5000, 6000]);
    playOut(matcher);
    expect(heard.story).toEqual(["1 2@100 queue", "1 5@100 queue"]);
    expect(matcher.book.bids.entries()).toEqual([100, 10, 99, 20]);
    expect(() => matcher.extend(day(9000, { tickSize: "0.5" }))).toThrow("tickSize");
    expect(() => matcher.extend(day(9000, { stepSize: "1" }))).toThrow("stepSize");
    expect(() => matcher.extend(day(9000, { marketId: "ethusdt" }))).toThrow("marketId");
  });

  it("finds what touches us in short messages and in long ones", () => {
    // A few rows a message and many a message are looked at in two ways: both find what touches us.
    const story = (padding: number): string[] => {
      const { matcher, heard, toEnd } = market((tape) => {
        const pad = (): void => {
          for (let i = 0; i < padding; i++) tape.level("SELL", 500 + i, 1);
        };
        tape.update(2000, 2000).level("BUY", 98, 3);
        pad();
        tape.update(2100, 2100).level("BUY", 100, 4);
        pad();
        tape.trade(2200, 2200, "SELL", 100, 5).update(2300, 2300).level("SELL", 99, 1);
        pad();
      });
      matcher.place(order(1, "BUY", 100, 3), 1500);
      matcher.place(order(2, "BUY", 97, 3), 1500);
      toEnd();
      return heard.story;
    };
    expect(story(0)).toEqual(["1 1@100 queue", "1 2@100 cross"]);
    expect(story(40)).toEqual(story(0));
  });
});
