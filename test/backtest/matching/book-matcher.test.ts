import { describe, expect, it } from "vitest";
import { TapeBuilder } from "#history/tape-builder.js";
import { order } from "./heard.js";
import { GRID, market, playOut } from "./matched-market.js";

describe("history", () => {
  it("stops where it called the listener, and continues from there", () => {
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
    expect([matcher.advance(3500, true), heard.fills.length, matcher.nextUs]).toEqual([
      2000, 1, 2000,
    ]);
    expect([matcher.advance(3500, true), heard.fills.length, matcher.nextUs]).toEqual([
      2000, 2, 3000,
    ]);
    expect([matcher.advance(3500, true), matcher.nextUs]).toEqual([3500, 4000]);
    expect([matcher.advance(4000, false), matcher.nextUs]).toEqual([4000, 4000]);
    expect([matcher.advance(4000, true), matcher.nextUs]).toEqual([4000, Number.POSITIVE_INFINITY]);
  });

  it("reports each change of the best prices, once a message", () => {
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

  it("continues with the next days, added before or after the last one ends, and keeps our orders and the book", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 100, 7), 1500);
    expect(matcher.nextUs).toBe(Number.POSITIVE_INFINITY);
    const day = (atUs: number, grid: Partial<typeof GRID> = {}) =>
      new TapeBuilder({ ...GRID, ...grid }).trade(atUs, atUs, "SELL", 100, 12).build();
    matcher.extend(day(5000));
    matcher.extend(new TapeBuilder(GRID).build());
    matcher.extend(day(6000));
    expect(() => matcher.extend(day(5999))).toThrow("exchangeUs");
    expect([matcher.nextUs, matcher.advance(9000, true), matcher.nextUs]).toEqual([
      5000, 5000, 6000,
    ]);
    playOut(matcher);
    expect(heard.story).toEqual(["1 2@100 queue", "1 5@100 queue"]);
    expect(matcher.book.bids.entries()).toEqual([100, 10, 99, 20]);
    expect(() => matcher.extend(day(9000, { tickSize: "0.5" }))).toThrow("tickSize");
    expect(() => matcher.extend(day(9000, { stepSize: "1" }))).toThrow("stepSize");
    expect(() => matcher.extend(day(9000, { marketId: "ethusdt" }))).toThrow("marketId");
  });

  it("finds what touches us in short messages and in long ones", () => {
    // Short and long messages are tested in two ways: both find the rows that touch our orders.
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
