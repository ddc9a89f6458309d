import { describe, expect, it } from "vitest";
import { TradeMatcher, type TradeMatcherOptions } from "#backtest/trade-matcher.js";
import { ConfigError } from "#core/errors.js";
import type { Lots, Side, Ticks } from "#core/units.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { Heard, order } from "./heard.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };

type Print = readonly [taker: Side, ticks: Ticks, lots: Lots];

/**
 * A seller at 100 and a buyer at 102 at 1,000 us, then a trade each 1,000 us, played to 1,500 us.
 */
function market(prints: readonly Print[] = [], options: Partial<TradeMatcherOptions> = {}) {
  const builder = new TapeBuilder(GRID)
    .trade(1000, 1000, "SELL", 100, 5)
    .trade(1000, 1000, "BUY", 102, 5);
  for (const [at, [taker, ticks, lots]] of prints.entries())
    builder.trade(2000 + 1000 * at, 2000 + 1000 * at, taker, ticks, lots);
  const heard = new Heard();
  const matcher = new TradeMatcher({
    tape: builder.build(),
    listener: heard,
    slippageTicks: 0,
    ...options,
  });
  matcher.advance(1500, true);
  const toEnd = (): void => {
    while (matcher.nextUs < Number.POSITIVE_INFINITY)
      matcher.advance(Number.MAX_SAFE_INTEGER, true);
  };
  return { matcher, heard, toEnd };
}

describe("a resting order among trades alone", () => {
  it.each([
    ["BUY", 100, "SELL", 99],
    ["SELL", 102, "BUY", 103],
  ] as const)(
    "to %s at %d is filled by a trade beyond its price, at its own price, and never by one at it",
    (side, ticks, taker, beyond) => {
      const { matcher, heard, toEnd } = market([
        [taker, ticks, 1_000_000],
        [taker, beyond, 1],
      ]);
      matcher.place(order(1, side, ticks, 7), 1500);
      toEnd();
      expect(heard.fills).toEqual([{ id: 1, ticks, lots: 7, cause: "through", atUs: 3000 }]);
    },
  );

  it("is filled too by a taker of its own side at a better price than ours: that offer would have met our bid", () => {
    const { matcher, heard, toEnd } = market([["BUY", 99, 1]]);
    matcher.place(order(1, "BUY", 100, 7), 1500);
    toEnd();
    expect(heard.story).toEqual(["1 7@100 through"]);
  });

  it("with an assumed queue ahead is filled by the volume at its price beyond that", () => {
    const { matcher, heard, toEnd } = market(
      [
        ["SELL", 100, 60],
        ["BUY", 100, 1000],
        ["SELL", 100, 45],
        ["SELL", 100, 1],
        ["SELL", 100, 9],
      ],
      { queueAheadLots: 100 },
    );
    matcher.place(order(1, "BUY", 100, 7), 1500);
    matcher.place(order(2, "BUY", 100, 7), 1500);
    toEnd();
    expect(heard.story).toEqual([
      "1 5@100 queue",
      "1 1@100 queue",
      "1 1@100 queue",
      "2 7@100 queue",
    ]);
  });

  it("expires in time", () => {
    const { matcher, heard, toEnd } = market([["SELL", 99, 1]]);
    matcher.place(order(1, "BUY", 100, 7, { timeInForce: "GTT", expirationUs: 1999 }), 1500);
    toEnd();
    expect([heard.story, heard.ends.map(({ how, atUs }) => [how, atUs])]).toEqual([
      [],
      [["expired", 1999]],
    ]);
  });
});

describe("an order that takes among trades alone", () => {
  it("pays the last price that a taker of its side paid, and slippage as far as its limit goes", () => {
    const { matcher, heard } = market([], { slippageTicks: 3 });
    matcher.place(order(1, "BUY", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "SELL", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }), 1500);
    matcher.place(order(3, "BUY", 104, 7, { timeInForce: "IOC" }), 1500);
    matcher.place(order(4, "SELL", 98, 7, { timeInForce: "FOK" }), 1500);
    expect(heard.story).toEqual(["1 7@105 taker", "2 7@97 taker", "3 7@104 taker", "4 7@98 taker"]);
  });

  it("does not pay a price that newer trades of the other kind have left behind", () => {
    const { matcher, heard, toEnd } = market([
      ["SELL", 105, 1],
      ["SELL", 104, 1],
    ]);
    toEnd();
    matcher.place(order(1, "BUY", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }), 5000);
    expect(heard.story).toEqual(["1 7@106 taker"]);
    expect([matcher.touch.bidTicks, matcher.touch.askTicks]).toEqual([104, 106]);
  });

  it("ends where it may not rest, and rests where it may, short of that price", () => {
    const { matcher, heard } = market();
    matcher.place(order(1, "BUY", 101, 7, { timeInForce: "IOC" }), 1500);
    matcher.place(order(2, "BUY", 101, 7, { timeInForce: "FOK" }), 1500);
    matcher.place(order(3, "BUY", 102, 7, { timeInForce: "POST_ONLY" }), 1500);
    matcher.place(order(4, "BUY", 101, 7, { timeInForce: "POST_ONLY" }), 1500);
    expect(heard.ends.map(({ id, how }) => [id, how])).toEqual([
      [1, "expired"],
      [2, "expired"],
      [3, "would-take"],
    ]);
    expect([heard.story, matcher.cancel(4, 1500)]).toEqual([[], true]);
  });

  it("finds nothing before the first trade of its kind", () => {
    const heard = new Heard();
    const tape = new TapeBuilder(GRID).trade(1000, 1000, "SELL", 100, 5).build();
    const matcher = new TradeMatcher({ tape, listener: heard, slippageTicks: 0 });
    expect(matcher.advance(1000, true)).toBe(1000);
    matcher.place(order(1, "BUY", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }), 1000);
    expect(heard.ends.map(({ how }) => how)).toEqual(["expired"]);
    expect([matcher.touch.bidTicks, matcher.touch.askTicks]).toEqual([100, Number.NaN]);
  });
});

describe("a history of trades alone", () => {
  it("ignores books, reports changed prices, and shows a listener the prices before the fill", () => {
    const tape = new TapeBuilder(GRID)
      .trade(1000, 1000, "SELL", 100, 5)
      .snapshot(1100, 1100)
      .level("BUY", 1, 1)
      .trade(1200, 1200, "BUY", 102, 5)
      .trade(1300, 1300, "BUY", 102, 5)
      .trade(1400, 1400, "SELL", 98, 5)
      .build();
    const moves: number[][] = [];
    const seen: number[] = [];
    const matcher: TradeMatcher = new TradeMatcher({
      tape,
      slippageTicks: 0,
      onTouch: (...move) => moves.push(move),
      listener: {
        accepted() {},
        ended() {},
        filled: () => seen.push(matcher.touch.bidTicks, matcher.touch.askTicks),
      },
    });
    matcher.advance(1350, true);
    matcher.place(order(1, "BUY", 99, 7), 1350);
    matcher.advance(5000, true);
    expect(moves).toEqual([
      [1000, 100, Number.NaN],
      [1200, 100, 102],
      [1400, 98, 102],
    ]);
    expect(seen).toEqual([100, 102]);
  });

  it("continues across days with the prices that it knew", () => {
    const { matcher, heard, toEnd } = market();
    matcher.place(order(1, "BUY", 100, 7), 1500);
    matcher.extend(new TapeBuilder(GRID).trade(9000, 9000, "SELL", 99, 1).build());
    expect([matcher.nextUs, matcher.touch.askTicks]).toEqual([9000, 102]);
    toEnd();
    expect(heard.story).toEqual(["1 7@100 through"]);
    expect([matcher.touch.bidTicks, matcher.touch.askTicks]).toEqual([99, 102]);
  });

  it.each([
    { slippageTicks: -1 },
    { slippageTicks: 0.5 },
    { queueAheadLots: -1 },
    { queueAheadLots: Number.NaN },
  ])("refuses options that are none: %o", (options) => {
    expect(() => market([], options)).toThrow(ConfigError);
  });
});
