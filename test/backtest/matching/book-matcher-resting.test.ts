import { describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import { createQueueModel } from "#core/queue-model-names.js";
import { order } from "./heard.js";
import { market } from "./matched-market.js";

describe("a resting order", () => {
  it("waits for the queue ahead at its price, and is filled by the volume beyond that", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape
        .trade(2000, 2000, "SELL", 100, 8)
        .trade(3000, 3000, "SELL", 100, 5)
        .trade(4000, 4000, "SELL", 100, 9),
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 3@100 queue", "1 4@100 queue"]);
    expect(heard.fills.map(({ atUs }) => atUs)).toEqual([3000, 4000]);
  });

  it("is filled when a trade leaves exactly its open amount, and is gone from the book", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape
        .trade(2000, 2000, "SELL", 100, 17)
        .trade(3000, 3000, "SELL", 100, 17)
        .trade(4000, 4000, "SELL", 90, 17),
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 7@100 queue"]);
    expect(matcher.cancel(1, 1_000_000)).toBe(false);
  });

  it.each([
    ["BUY", 100, "SELL", 99],
    ["SELL", 102, "BUY", 103],
  ] as const)(
    "to %s is filled completely, at its own price, by a trade beyond it",
    (side, ticks, taker, beyond) => {
      const { matcher, heard, toEnd } = market((tape) => tape.trade(2000, 2000, taker, beyond, 1));
      matcher.place(order(1, side, ticks, 7), 1500);
      toEnd();
      expect(heard.story).toEqual([`1 7@${ticks} through`]);
    },
  );

  it("is not filled by takers of its own side, who trade with the other one", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.trade(2000, 2000, "BUY", 100, 1000).trade(2000, 2000, "SELL", 102, 1000),
    );
    matcher.place(order(1, "SELL", 103, 7), 1500);
    matcher.place(order(2, "BUY", 99, 7), 1500);
    toEnd();
    expect(heard.story).toEqual([]);
  });

  it("is filled completely at its own price when the other side reaches it", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.update(2000, 2000).level("SELL", 100, 3).level("BUY", 100, 0),
    );
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

  it("moves up when the level shrinks below the queue ahead, and is never filled by that", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape
        .update(2000, 2000)
        .level("BUY", 100, 4)
        .update(2500, 2500)
        .level("BUY", 100, 50)
        .trade(3000, 3000, "SELL", 100, 5),
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 1@100 queue"]);
  });

  it("has the queue position that the given queue model says", () => {
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
        { queue: createQueueModel(queue, 0.001) },
      );
      matcher.place(order(1, "BUY", 100, 7), 1500);
      toEnd();
      return heard.story;
    };
    expect(story("risk-averse")).toEqual([]);
    // A third of 15 cancels is ahead of us: 5 are left there, and 6 trade.
    expect(story("power-1")).toEqual(["1 1@100 queue"]);
  });

  it("is behind our older orders at its price: their fills never reach it", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.trade(2000, 2000, "SELL", 100, 14).trade(3000, 3000, "SELL", 100, 3),
    );
    matcher.place(order(1, "BUY", 100, 3), 1500);
    matcher.place(order(2, "BUY", 100, 3), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 3@100 queue", "2 1@100 queue", "2 2@100 queue"]);
  });

  it("takes part in the events of the instant at which it ends, and not after", () => {
    const { matcher, heard, toEnd } = market((tape) =>
      tape.trade(2000, 2000, "SELL", 100, 12).trade(2001, 2001, "SELL", 99, 30),
    );
    matcher.place(order(1, "BUY", 100, 7, { timeInForce: "GTT", expirationUs: 2000 }), 1500);
    expect(matcher.nextUs).toBe(2000);
    toEnd();
    expect(heard.story).toEqual(["1 2@100 queue"]);
    expect(heard.ends).toEqual([{ id: 1, how: "expired", lots: 5, atUs: 2000 }]);
  });

  it("expires by itself where nothing happens, at the time that the matcher states", () => {
    const { matcher, heard } = market((tape) => tape.trade(9000, 9000, "BUY", 102, 1));
    matcher.place(order(1, "BUY", 100, 7, { timeInForce: "GTT", expirationUs: 3000 }), 1500);
    matcher.place(order(2, "BUY", 100, 7, { timeInForce: "GTT", expirationUs: 4000 }), 1500);
    expect([matcher.nextUs, matcher.advance(3000, false), heard.ends.length]).toEqual([
      3000, 3000, 0,
    ]);
    expect([matcher.advance(8000, false), matcher.nextUs]).toEqual([3000, 4000]);
    expect([matcher.advance(8000, false), matcher.nextUs, matcher.advance(8000, false)]).toEqual([
      4000, 9000, 8000,
    ]);
    expect(heard.ends.map(({ id, atUs }) => [id, atUs])).toEqual([
      [1, 3000],
      [2, 4000],
    ]);
  });

  it("is cancelled after the history of that instant", () => {
    const { matcher, heard } = market((tape) => tape.trade(2000, 2000, "SELL", 100, 12));
    matcher.place(order(1, "BUY", 100, 7), 1500);
    expect(() => matcher.cancel(1, 2000)).toThrow(RunError);
    expect(matcher.advance(2000, true)).toBe(2000);
    expect(matcher.cancel(1, 2000)).toBe(true);
    expect(matcher.cancel(1, 2000)).toBe(false);
    expect(heard.ends).toEqual([{ id: 1, how: "cancelled", lots: 5, atUs: 2000 }]);
  });
});
