import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KlineMatcher, type KlineMatcherOptions } from "#backtest/kline-matcher.js";
import { ConfigError } from "#core/errors.js";
import type { KlineTape } from "#history/tape.js";
import { Heard, order } from "./heard.js";

const BAR_US = 60_000_000;

type Bar = readonly [
  open: number,
  high: number,
  low: number,
  close: number,
  lots?: number,
  minute?: number,
];

function klines(bars: readonly Bar[]): KlineTape {
  const column = (of: (bar: Bar, at: number) => number): Int32Array => Int32Array.from(bars, of);
  return {
    marketId: "btcusdt",
    tickSize: "0.1",
    stepSize: "0.001",
    bars: bars.length,
    intervalUs: BAR_US,
    startUs: Float64Array.from(bars, ([, , , , , minute], at) => (minute ?? at) * BAR_US),
    openTicks: column(([open]) => open),
    highTicks: column(([, high]) => high),
    lowTicks: column(([, , low]) => low),
    closeTicks: column(([, , , close]) => close),
    lots: Float64Array.from(bars, ([, , , , lots = 1000]) => lots),
  };
}

function market(bars: readonly Bar[], options: Partial<KlineMatcherOptions> = {}) {
  const heard = new Heard();
  const matcher = new KlineMatcher({
    klines: klines(bars),
    listener: heard,
    path: "ohlc",
    volumeShare: 1,
    slippageTicks: 0,
    ...options,
  });
  const playTo = (atUs: number): void => {
    while (matcher.nextUs <= atUs) matcher.advance(atUs, true);
  };
  return { matcher, heard, playTo };
}

/** Trades a buy at 90 and a sell at 110 through a bar from 100 to 100, both reached and passed. */
const WIDE: Bar = [100, 111, 89, 100];

describe("a resting order in candles", () => {
  it.each([
    ["BUY", 90, [100, 105, 90, 100], []],
    ["BUY", 90, [100, 105, 89, 100], ["1 7@90 through"]],
    ["SELL", 110, [100, 110, 95, 100], []],
    ["SELL", 110, [100, 111, 95, 100], ["1 7@110 through"]],
  ] as const)("to %s at %d in a bar %j: %j", (side, ticks, bar, story) => {
    const { matcher, heard, playTo } = market([[100, 100, 100, 100], bar]);
    playTo(BAR_US - 1);
    matcher.place(order(1, side, ticks, 7), BAR_US - 1);
    playTo(5 * BAR_US);
    expect(heard.story).toEqual(story);
  });

  it("gets its own price in a gap, not the better one at which the bar opens", () => {
    const { matcher, heard, playTo } = market([
      [100, 100, 100, 100],
      [80, 85, 75, 80],
    ]);
    playTo(BAR_US - 1);
    matcher.place(order(1, "BUY", 90, 7), BAR_US - 1);
    playTo(5 * BAR_US);
    expect(heard.fills).toEqual([{ id: 1, ticks: 90, lots: 7, cause: "through", atUs: BAR_US }]);
  });

  it.each([
    ["ohlc", WIDE, [2, 1]],
    ["olhc", WIDE, [1, 2]],
    ["adaptive", [100, 111, 88, 100], [2, 1]],
    ["adaptive", [100, 112, 89, 100], [1, 2]],
    ["adaptive", WIDE, [1, 2]],
  ] as const)(
    "by the path %s in a bar %j is filled before or after the one on the other side",
    (path, bar, ids) => {
      const { matcher, heard, playTo } = market([bar], { path });
      playTo(0);
      matcher.place(order(1, "BUY", 90, 7), 0);
      matcher.place(order(2, "SELL", 110, 7), 0);
      playTo(BAR_US);
      expect(heard.fills.map(({ id }) => id)).toEqual(ids);
      expect(heard.fills.map(({ atUs }) => atUs)).toEqual([BAR_US / 3, (2 * BAR_US) / 3]);
    },
  );

  it("gets no more of a bar than its share of volume, by price and time, and continues in the next", () => {
    const bars: Bar[] = [
      [100, 100, 80, 100, 25],
      [100, 100, 80, 100, 9],
      [100, 100, 80, 100, 200],
    ];
    const { matcher, heard, playTo } = market(bars, { volumeShare: 0.2 });
    playTo(0);
    matcher.place(order(1, "BUY", 90, 4), 0);
    matcher.place(order(2, "BUY", 91, 3), 0);
    matcher.place(order(3, "BUY", 90, 4), 0);
    playTo(3 * BAR_US);
    expect(heard.story).toEqual([
      "2 3@91 through",
      "1 2@90 through",
      "1 1@90 through",
      "1 1@90 through",
      "3 4@90 through",
    ]);
  });

  it("that came after a bar's low waits for the close or another bar", () => {
    const { matcher, heard, playTo } = market([
      [100, 110, 80, 95],
      [95, 95, 89, 95],
    ]);
    playTo((2 * BAR_US) / 3);
    matcher.place(order(1, "BUY", 79, 7), (2 * BAR_US) / 3);
    matcher.place(order(2, "SELL", 94, 7), (2 * BAR_US) / 3);
    playTo(2 * BAR_US);
    expect(heard.fills).toEqual([
      { id: 2, ticks: 94, lots: 7, cause: "through", atUs: BAR_US - 1 },
    ]);
  });
});

describe("an order that takes in candles", () => {
  it("takes at the open of the next bar, plus slippage as far as its limit goes", () => {
    const { matcher, heard, playTo } = market(
      [
        [100, 100, 100, 100],
        [104, 120, 90, 100],
      ],
      { slippageTicks: 2 },
    );
    playTo(BAR_US);
    matcher.place(order(1, "BUY", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }), BAR_US);
    matcher.place(order(2, "SELL", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }), BAR_US);
    matcher.place(order(3, "BUY", 105, 7, { timeInForce: "IOC" }), BAR_US);
    matcher.place(order(4, "BUY", 104, 7), BAR_US);
    matcher.place(order(5, "BUY", 103, 7, { timeInForce: "FOK" }), BAR_US);
    expect(heard.story).toEqual([
      "1 7@106 taker",
      "2 7@102 taker",
      "3 7@105 taker",
      "4 7@104 taker",
    ]);
    expect(heard.ends.map(({ id, how }) => [id, how])).toEqual([[5, "expired"]]);
  });

  it("gets the worse of open and path within a bar: the path must not create a profit", () => {
    const { matcher, heard, playTo } = market([WIDE], { path: "olhc" });
    playTo(BAR_US / 3);
    matcher.place(
      order(1, "BUY", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }),
      BAR_US / 3,
    );
    matcher.place(
      order(2, "SELL", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }),
      BAR_US / 3,
    );
    expect(heard.story).toEqual(["1 7@100 taker", "2 7@89 taker"]);
  });

  // A ladder that refilled at each low with the last close in view, and sold all of it at the same
  // bar's high, made 4,356 of 20,000 in two weeks of 15-minute candles. On the 3-minute candles of
  // the same market it lost 4,840.
  it("takes nothing within a bar where that worse price does not meet its limit, but rests there, or ends", () => {
    const { matcher, heard, playTo } = market([WIDE, [100, 100, 91, 94]], { path: "olhc" });
    playTo(BAR_US / 3);
    matcher.place(order(1, "BUY", 90, 7), BAR_US / 3);
    matcher.place(order(2, "BUY", 95, 7), BAR_US / 3);
    matcher.place(order(3, "BUY", 99, 7, { timeInForce: "IOC" }), BAR_US / 3);
    matcher.place(order(4, "BUY", 100, 7), BAR_US / 3);
    expect(heard.story).toEqual(["4 7@100 taker"]);
    expect(heard.ends.map(({ id, how }) => [id, how])).toEqual([[3, "expired"]]);
    playTo((2 * BAR_US) / 3);
    matcher.place(order(5, "SELL", 110, 7), (2 * BAR_US) / 3);
    playTo(2 * BAR_US);
    // The offer existed only as long as the high: the price is not known to have reached it again.
    expect(heard.story.slice(1)).toEqual(["2 7@95 through"]);
  });

  it("shares the bar's volume with all others, and finds none in a gap between bars", () => {
    const { matcher, heard, playTo } = market([
      [100, 100, 100, 100, 10],
      [100, 100, 100, 100, 10, 5],
    ]);
    playTo(0);
    const ioc = { timeInForce: "IOC" } as const;
    matcher.place(order(1, "BUY", 100, 11, { timeInForce: "FOK" }), 0);
    matcher.place(order(2, "BUY", 100, 7, ioc), 0);
    matcher.place(order(3, "SELL", 100, 7, ioc), 0);
    playTo(3 * BAR_US);
    matcher.place(order(4, "SELL", 100, 7, ioc), 3 * BAR_US);
    playTo(5 * BAR_US);
    matcher.place(order(5, "SELL", 100, 7, ioc), 5 * BAR_US);
    expect(heard.story).toEqual(["2 7@100 taker", "3 3@100 taker", "5 7@100 taker"]);
    expect(heard.ends.map(({ id, lots }) => [id, lots])).toEqual([
      [1, 11],
      [3, 4],
      [4, 7],
    ]);
  });

  it("as POST_ONLY may rest at the last price, the best known bid", () => {
    const { matcher, heard, playTo } = market([WIDE]);
    playTo(0);
    matcher.place(order(1, "BUY", 100, 7, { timeInForce: "POST_ONLY" }), 0);
    matcher.place(order(2, "BUY", 101, 7, { timeInForce: "POST_ONLY" }), 0);
    matcher.place(order(3, "SELL", 100, 7, { timeInForce: "POST_ONLY" }), 0);
    matcher.place(order(4, "SELL", 101, 7, { timeInForce: "POST_ONLY" }), 0);
    expect(heard.ends.map(({ id, how }) => [id, how])).toEqual([
      [2, "would-take"],
      [3, "would-take"],
    ]);
  });

  it("finds nothing before the first bar", () => {
    const { matcher, heard } = market([[100, 100, 100, 100, 10, 1]]);
    matcher.place(order(1, "BUY", Number.NaN, 7, { type: "MARKET", timeInForce: "IOC" }), 0);
    expect([heard.ends.map(({ how }) => how), matcher.touch.bidTicks]).toEqual([
      ["expired"],
      Number.NaN,
    ]);
  });
});

describe("a history of candles", () => {
  it("plays open, extremes and close in their time, with each new price as both best prices, so that the mid is the price", () => {
    const moves: number[][] = [];
    const { playTo, matcher } = market([WIDE], { onTouch: (...move) => moves.push(move) });
    expect([matcher.nextUs, matcher.advance(1, true), matcher.nextUs]).toEqual([0, 1, BAR_US / 3]);
    playTo(BAR_US);
    expect(moves).toEqual([
      [0, 100, 100],
      [BAR_US / 3, 111, 111],
      [(2 * BAR_US) / 3, 89, 89],
      [BAR_US - 1, 100, 100],
    ]);
    expect(matcher.nextUs).toBe(Number.POSITIVE_INFINITY);
  });

  it("shows each order's limit as both best prices at its fill, never the extreme behind it", () => {
    const at: string[] = [];
    const { playTo, matcher, heard } = market(
      [
        [100, 111, 80, 95, 10],
        [95, 97, 95, 96],
      ],
      { onTouch: (_, bid, ask) => at.push(`${bid}/${ask}`) },
    );
    const filled = heard.filled.bind(heard);
    heard.filled = (...fill) => {
      at.push(`filled at ${matcher.touch.bidTicks}/${matcher.touch.askTicks}`);
      filled(...fill);
    };
    playTo(0);
    for (const [id, ticks] of [98, 90, 85].entries()) matcher.place(order(id, "BUY", ticks, 4), 0);
    matcher.place(order(9, "SELL", 105, 3), 0);
    at.length = 0;
    playTo(BAR_US - 1);
    // Up past 105 to the high, and down past 98 and 90, where the bar's volume ends.
    const up = ["105/105", "filled at 105/105", "111/111"];
    const down = ["98/98", "filled at 98/98", "90/90", "filled at 90/90", "80/80"];
    expect(at).toEqual([...up, ...down, "95/95"]);
    at.length = 0;
    // The rest at 90 is not passed again: the price does not reach it. An order above the whole
    // path is filled where the path begins.
    matcher.cancel(1, BAR_US - 1);
    matcher.place(order(5, "BUY", 96, 4), BAR_US - 1);
    playTo(BAR_US);
    expect(at).toEqual(["filled at 95/95"]);
  });

  it.each([
    { volumeShare: 0 },
    { volumeShare: 1.01 },
    { volumeShare: Number.NaN },
    { slippageTicks: -1 },
  ])("refuses options that are none: %o", (options) => {
    expect(() => market([WIDE], options)).toThrow(ConfigError);
  });

  it("gives any set of orders only prices that it had, and no more than its share", () => {
    const bar = fc
      .tuple(
        fc.array(fc.integer({ min: 95, max: 105 }), { minLength: 4, maxLength: 4 }),
        fc.nat(60),
      )
      .map(
        ([prices, lots]): Bar => [
          prices[0] as number,
          Math.max(...prices),
          Math.min(...prices),
          prices[3] as number,
          lots,
        ],
      );
    const placed = fc.record({
      side: fc.constantFrom("BUY" as const, "SELL" as const),
      ticks: fc.integer({ min: 94, max: 106 }),
      lots: fc.integer({ min: 1, max: 30 }),
      atUs: fc.integer({ min: 0, max: 4 * BAR_US }),
      timeInForce: fc.constantFrom(
        "GTC" as const,
        "IOC" as const,
        "FOK" as const,
        "POST_ONLY" as const,
      ),
    });
    const path = fc.constantFrom("ohlc" as const, "olhc" as const, "adaptive" as const);
    fc.assert(
      fc.property(
        fc.array(bar, { minLength: 1, maxLength: 4 }),
        fc.array(placed, { maxLength: 12 }),
        path,
        (bars, orders, way) => {
          const volumeShare = 0.25;
          const { matcher, heard, playTo } = market(bars, { path: way, volumeShare });
          for (const [id, { side, ticks, lots, atUs, timeInForce }] of orders
            .toSorted((a, b) => a.atUs - b.atUs)
            .entries()) {
            playTo(atUs);
            matcher.place(order(id, side, ticks, lots, { timeInForce }), atUs);
          }
          playTo(9 * BAR_US);
          const given = bars.map(() => 0);
          for (const { id, ticks, lots, cause, atUs } of heard.fills) {
            const at = Math.floor(atUs / BAR_US);
            const [, high, low] = bars[at] as Bar;
            const own = heard.orders[id];
            given[at] = (given[at] as number) + lots;
            if (cause === "through")
              expect(
                own?.ticks === ticks && (own.side === "BUY" ? low < ticks : high > ticks),
              ).toBe(true);
            else
              expect(
                ticks >= low &&
                  ticks <= high &&
                  (own?.side === "BUY" ? ticks <= own.ticks : ticks >= (own?.ticks ?? 0)),
              ).toBe(true);
          }
          for (const [at, lots] of given.entries())
            expect(lots).toBeLessThanOrEqual(
              Math.floor(((bars[at] as Bar)[4] as number) * volumeShare),
            );
          for (const { id, lots, openLots } of heard.orders)
            expect(heard.filledLots(id) + openLots).toBe(lots);
        },
      ),
      { numRuns: 200 },
    );
  });
});
