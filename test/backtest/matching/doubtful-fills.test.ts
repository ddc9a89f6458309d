import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BookMatcher } from "#backtest/book-matcher.js";
import { KlineMatcher } from "#backtest/kline-matcher.js";
import type { Matcher } from "#backtest/matcher.js";
import { TradeMatcher } from "#backtest/trade-matcher.js";
import { riskAverseQueue } from "#core/queue-models.js";
import type { Lots, Side, Ticks } from "#core/units.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { Heard, order } from "./heard.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };
const MS = 1_000;

function playTo(matcher: Matcher, untilUs: number): void {
  while (matcher.nextUs <= untilUs) matcher.advance(untilUs, true);
}

/**
 * A book of 100 against 102 at 1 ms, then added messages; a bid at 101 arrives at 10 ms, and
 * another below at 99.
 */
function bids(
  then: (tape: TapeBuilder) => void,
  timeInForce: "GTC" | "POST_ONLY" = "GTC",
  partialFills = true,
): string[] {
  const tape = new TapeBuilder(GRID)
    .snapshot(1 * MS, 1 * MS)
    .level("BUY", 100, 10)
    .level("SELL", 102, 10);
  then(tape);
  const heard = new Heard();
  const matcher = new BookMatcher({
    tape: tape.build(),
    listener: heard,
    queue: riskAverseQueue,
    partialFills,
  });
  playTo(matcher, 9_999);
  matcher.place(order(1, "BUY", 101, 7, { timeInForce }), 10 * MS);
  playTo(matcher, Number.MAX_SAFE_INTEGER - 1);
  return heard.doubted;
}

/** The book is published again, unchanged around the bid. */
const told = (tape: TapeBuilder, ms: number): TapeBuilder =>
  tape.update(ms * MS, ms * MS).level("BUY", 90, ms);
const crossed = (tape: TapeBuilder, ms: number): TapeBuilder =>
  tape.update(ms * MS, ms * MS).level("SELL", 101, 3);

describe("an ambiguous fill on books", () => {
  it("is one by a cross in the first book after the order's arrival: live it may have paid a taker's fee", () => {
    expect(bids((tape) => crossed(tape, 35))).toEqual(["1 cross?"]);
  });

  it("is one in the second book, whose batch may have begun before the first, and not in the third", () => {
    expect(bids((tape) => crossed(told(tape, 35), 60))).toEqual(["1 cross?"]);
    expect(bids((tape) => crossed(told(told(tape, 35), 60), 85))).toEqual(["1 cross"]);
  });

  it("counts all messages of one instant as one book", () => {
    expect(bids((tape) => crossed(told(told(told(tape, 35), 35), 35), 60))).toEqual(["1 cross?"]);
  });

  // An order that may have taken received a maker's rebate as soon as the recording broke before
  // the book that passed it.
  it("does not count the loss of a book as a book", () => {
    const lost = (tape: TapeBuilder, ms: number): TapeBuilder => tape.lost(ms * MS, ms * MS);
    expect(bids((tape) => crossed(told(lost(tape, 20), 35), 60))).toEqual(["1 cross?"]);
    expect(bids((tape) => told(lost(tape, 20), 35).trade(36 * MS, 36 * MS, "SELL", 99, 1))).toEqual(
      ["1 through?"],
    );
    expect(bids((tape) => crossed(told(told(lost(tape, 20), 35), 60), 85))).toEqual(["1 cross"]);
  });

  it("is one by a trade beyond its price until the second book, and not after", () => {
    expect(bids((tape) => tape.trade(12 * MS, 12 * MS, "SELL", 99, 1))).toEqual(["1 through?"]);
    expect(bids((tape) => told(tape, 35).trade(36 * MS, 36 * MS, "SELL", 99, 1))).toEqual([
      "1 through?",
    ]);
    expect(bids((tape) => told(told(tape, 35), 60).trade(61 * MS, 61 * MS, "SELL", 99, 1))).toEqual(
      ["1 through"],
    );
  });

  it("is never one by a trade at its own price: nobody offers where a bid is met", () => {
    expect(bids((tape) => tape.trade(12 * MS, 12 * MS, "SELL", 101, 7))).toEqual(["1 queue"]);
  });

  // Later data cannot show what was offered on arrival. Such an order would earn a maker's rebate
  // beside any offer.
  it("is every fill of an order that arrived while no book was known, by the queue too", () => {
    const lost = (tape: TapeBuilder): TapeBuilder =>
      tape
        .lost(5 * MS, 5 * MS)
        .snapshot(5_000 * MS, 5_000 * MS)
        .level("BUY", 100, 10)
        .level("SELL", 102, 10);
    const later = (tape: TapeBuilder, ms: number): TapeBuilder =>
      told(told(lost(tape), ms - 60), ms - 30);
    expect(bids((tape) => crossed(later(tape, 9_000), 9_000))).toEqual(["1 cross?"]);
    expect(bids((tape) => later(tape, 9_000).trade(9_000 * MS, 9_000 * MS, "SELL", 99, 1))).toEqual(
      ["1 through?"],
    );
    const reached = (tape: TapeBuilder): TapeBuilder =>
      later(tape, 9_000).trade(9_000 * MS, 9_000 * MS, "SELL", 101, 7);
    expect(bids(reached)).toEqual(["1 queue?"]);
    expect(bids(reached, "GTC", false)).toEqual(["1 queue?"]);
  });

  it("is reported for post-only orders too, which may have been refused", () => {
    expect(bids((tape) => crossed(tape, 35), "POST_ONLY")).toEqual(["1 cross?"]);
  });

  it("is not one a second later, even in a quiet market: no exchange batches for longer", () => {
    expect(bids((tape) => crossed(tape, 1_010))).toEqual(["1 cross?"]);
    expect(bids((tape) => crossed(tape, 1_011))).toEqual(["1 cross"]);
  });

  it("is not one where the order took from the book displayed at its arrival", () => {
    const taken = (tape: TapeBuilder): TapeBuilder =>
      tape.update(5 * MS, 5 * MS).level("SELL", 101, 3);
    expect(bids((tape) => crossed(taken(tape), 35))).toEqual(["1 taker"]);
    expect(bids((tape) => taken(tape).trade(12 * MS, 12 * MS, "SELL", 99, 1))).toEqual([
      "1 taker",
      "1 through?",
    ]);
  });

  it("is the same whether the history comes in one piece or message by message, as on paper", () => {
    const heard = new Heard();
    const matcher = new BookMatcher({
      tape: new TapeBuilder(GRID).build(),
      listener: heard,
      queue: riskAverseQueue,
    });
    const next = (tape: TapeBuilder): void => {
      matcher.extend(tape.build());
      while (matcher.nextUs < Number.POSITIVE_INFINITY) matcher.advance(matcher.nextUs, true);
    };
    next(new TapeBuilder(GRID).snapshot(MS, MS).level("BUY", 100, 10).level("SELL", 102, 10));
    matcher.place(order(1, "BUY", 101, 7), 10 * MS);
    matcher.place(order(2, "BUY", 100, 7), 10 * MS);
    next(told(new TapeBuilder(GRID), 35));
    next(crossed(new TapeBuilder(GRID), 60));
    next(new TapeBuilder(GRID).trade(61 * MS, 61 * MS, "SELL", 99, 1));
    expect(heard.doubted).toEqual(["1 cross?", "2 through"]);
  });
});

describe("an ambiguous fill on trades alone", () => {
  const both = (): TapeBuilder =>
    new TapeBuilder(GRID).trade(MS, MS, "SELL", 100, 5).trade(MS, MS, "BUY", 102, 5);
  const fills = (then: (tape: TapeBuilder) => TapeBuilder, stretches = 1): string[] => {
    const opening = both();
    const heard = new Heard();
    const tape = stretches === 1 ? then(opening).build() : opening.build();
    const matcher = new TradeMatcher({
      tape,
      listener: heard,
      queueAheadLots: 0,
      slippageTicks: 0,
    });
    playTo(matcher, 9_999);
    matcher.place(order(1, "BUY", 101, 7), 10 * MS);
    if (stretches > 1) matcher.extend(then(new TapeBuilder(GRID)).build());
    while (matcher.nextUs < Number.POSITIVE_INFINITY) matcher.advance(matcher.nextUs, true);
    return heard.doubted;
  };
  const at = (tape: TapeBuilder, ms: number, side: Side, ticks: Ticks): TapeBuilder =>
    tape.trade(ms * MS, ms * MS, side, ticks, 7);

  it.each([1, 2])(
    "is one by the first trade after the order's arrival, and by every trade of that instant, in %d parts",
    (stretches) => {
      expect(fills((tape) => at(tape, 300, "SELL", 99), stretches)).toEqual(["1 through?"]);
      expect(fills((tape) => at(at(tape, 300, "BUY", 102), 300, "SELL", 99), stretches)).toEqual([
        "1 through?",
      ]);
      expect(fills((tape) => at(at(tape, 300, "BUY", 102), 301, "SELL", 99), stretches)).toEqual([
        "1 through",
      ]);
    },
  );

  it("is not one after a trade since the order's arrival, even in the previous part of history", () => {
    const heard = new Heard();
    const opening = at(both(), 300, "BUY", 102).build();
    const matcher = new TradeMatcher({ tape: opening, listener: heard, slippageTicks: 0 });
    playTo(matcher, 10 * MS);
    matcher.place(order(1, "BUY", 101, 7), 10 * MS);
    matcher.extend(at(new TapeBuilder(GRID), 400, "SELL", 99).build());
    while (matcher.nextUs < Number.POSITIVE_INFINITY) matcher.advance(matcher.nextUs, true);
    expect(heard.doubted).toEqual(["1 through"]);
  });

  it("is judged alike wherever a block of columns ends: a maker's rebate depended on that", () => {
    const inThreeBlocks = (opening: TapeBuilder): string[] => {
      const heard = new Heard();
      const matcher = new TradeMatcher({
        tape: at(opening, 300, "BUY", 102).build(),
        listener: heard,
        slippageTicks: 0,
      });
      matcher.extend(at(new TapeBuilder(GRID), 300, "BUY", 102).build());
      matcher.extend(at(new TapeBuilder(GRID), 300, "SELL", 99).build());
      playTo(matcher, 10 * MS);
      matcher.place(order(1, "BUY", 101, 7), 10 * MS);
      while (matcher.nextUs < Number.POSITIVE_INFINITY) matcher.advance(matcher.nextUs, true);
      return heard.doubted;
    };
    expect(inThreeBlocks(both())).toEqual(["1 through?"]);
    expect(inThreeBlocks(at(both(), 200, "BUY", 102))).toEqual(["1 through"]);
  });

  it("is never one by a trade at its own price", () => {
    expect(fills((tape) => at(tape, 300, "SELL", 101))).toEqual(["1 queue"]);
  });

  // The other side's prices were unknown: a bid at 105 beside offers at 100 would have bought at
  // once, and earned a rebate here instead.
  it.each(["queue", "through"])(
    "is every fill, also by %s, of an order that arrived before the first taker on its side",
    (cause) => {
      const matched = (opening: TapeBuilder): string[] => {
        const heard = new Heard();
        const tape = at(
          at(opening, 200, "BUY", 107),
          300,
          "SELL",
          cause === "queue" ? 105 : 104,
        ).build();
        const matcher = new TradeMatcher({
          tape,
          listener: heard,
          queueAheadLots: 0,
          slippageTicks: 0,
        });
        playTo(matcher, 9_999);
        matcher.place(order(1, "BUY", 105, 7), 10 * MS);
        playTo(matcher, 400 * MS);
        return heard.doubted;
      };
      expect(matched(at(new TapeBuilder(GRID), 1, "SELL", 100))).toEqual([`1 ${cause}?`]);
      expect(matched(at(at(new TapeBuilder(GRID), 1, "SELL", 100), 2, "BUY", 107))).toEqual([
        `1 ${cause}`,
      ]);
    },
  );
});

describe("an ambiguous fill on candles", () => {
  const BAR_US = 60_000_000;
  const fills = (atUs: number, ticks = 95, volumeShare = 1): string[] => {
    const bars = 2;
    const column = (ticks: number): Int32Array => new Int32Array(bars).fill(ticks);
    const klines = {
      ...{ marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001", bars, intervalUs: BAR_US },
      ...{
        openTicks: column(100),
        highTicks: column(110),
        lowTicks: Int32Array.of(90, 80),
        closeTicks: column(100),
      },
      startUs: Float64Array.from({ length: bars }, (_, bar) => bar * BAR_US),
      lots: new Float64Array(bars).fill(1000),
    };
    const heard = new Heard();
    const matcher = new KlineMatcher({
      klines,
      listener: heard,
      path: "ohlc",
      volumeShare,
      slippageTicks: 0,
    });
    playTo(matcher, atUs);
    matcher.place(order(1, "BUY", ticks, 7), atUs);
    playTo(matcher, bars * BAR_US);
    return heard.doubted;
  };

  it("is not one of an order that reacts to a bar: it arrives at the next one's open, which is known", () => {
    expect(fills(40 * MS)).toEqual(["1 through"]);
  });

  it("is one in the bar of the order's arrival, whose price at that time is unknown", () => {
    expect(fills(BAR_US / 3 + 40 * MS)).toEqual(["1 through?"]);
  });

  it("is not one in a later bar: the price fell below it while it rested", () => {
    expect(fills((BAR_US * 2) / 3 + 40 * MS, 89)).toEqual(["1 through"]);
  });

  // A backtest on candles took a tenth of its order as a taker, and received a maker's rebate on
  // the rest, for which live paid a taker's fee.
  it("is one of the part that a bar's share of volume left of a taking order: live it may have taken all", () => {
    expect(fills(40 * MS, 100, 0.005)).toEqual(["1 taker", "1 through?"]);
    expect(fills(40 * MS, 100)).toEqual(["1 taker"]);
  });

  it("is one of the part that an ambiguous fill left, in any later bar: live it may have filled at once", () => {
    expect(fills(BAR_US / 3 + 40 * MS, 95, 0.004)).toEqual(["1 through?", "1 through?"]);
  });

  it("is one in a later bar too where its own bar was as low: the price may have been there at its arrival", () => {
    expect(fills((BAR_US * 2) / 3 + 40 * MS, 90)).toEqual(["1 through?"]);
    expect(fills((BAR_US * 2) / 3 + 40 * MS, 95)).toEqual(["1 through?"]);
  });

  // The true market has a price every fifth second. The matcher has its candles, some of them
  // missing.
  it("is every one that rested here and took in the market, whatever the price did within its bars", () => {
    const STEPS = 12;
    const bar = fc.record({
      prices: fc.array(fc.integer({ min: 96, max: 104 }), { minLength: STEPS, maxLength: STEPS }),
      lots: fc.integer({ min: 0, max: 40 }),
      isMissing: fc.boolean(),
    });
    const placed = fc.record({
      side: fc.constantFrom<Side>("BUY", "SELL"),
      ticks: fc.integer({ min: 95, max: 105 }),
      lots: fc.integer({ min: 1, max: 30 }),
      bar: fc.nat(3),
      // An order that reacts to a bar arrives at the next one's open. One that arrives later in the
      // first third counts as that.
      step: fc.oneof(fc.constant(0), fc.integer({ min: STEPS / 3, max: STEPS - 1 })),
    });
    const path = fc.constantFrom("ohlc" as const, "olhc" as const, "adaptive" as const);
    fc.assert(
      fc.property(
        fc.array(bar, { minLength: 4, maxLength: 4 }),
        fc.array(placed, { maxLength: 8 }),
        path,
        (bars, orders, way) => {
          const told = bars.flatMap(({ prices, lots, isMissing }, at) =>
            isMissing && at > 0 ? [] : [{ prices, lots, at }],
          );
          const column = (of: (prices: number[]) => number): Int32Array =>
            Int32Array.from(told, ({ prices }) => of(prices));
          const klines = {
            ...{
              marketId: "btcusdt",
              tickSize: "0.1",
              stepSize: "0.001",
              bars: told.length,
              intervalUs: BAR_US,
            },
            ...{
              openTicks: column((prices) => prices[0] as number),
              closeTicks: column((prices) => prices.at(-1) as number),
            },
            ...{
              highTicks: column((prices) => Math.max(...prices)),
              lowTicks: column((prices) => Math.min(...prices)),
            },
            startUs: Float64Array.from(told, ({ at }) => at * BAR_US),
            lots: Float64Array.from(told, ({ lots }) => lots),
          };
          const heard = new Heard();
          const matcher = new KlineMatcher({
            klines,
            listener: heard,
            path: way,
            volumeShare: 0.25,
            slippageTicks: 0,
          });
          const took = orders
            .toSorted((a, b) => a.bar - b.bar || a.step - b.step)
            .map(({ side, ticks, lots, bar, step }, id) => {
              const atUs = bar * BAR_US + (step * BAR_US) / STEPS;
              playTo(matcher, atUs);
              matcher.place(order(id, side, ticks, lots), atUs);
              const marketTicks = bars[bar]?.prices[step] as number;
              return side === "BUY" ? ticks >= marketTicks : ticks <= marketTicks;
            });
          playTo(matcher, 9 * BAR_US);
          for (const [at, { id, cause }] of heard.fills.entries()) {
            if (took[id] === true && cause === "through") expect(heard.doubts[at]).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("any sequence of books", () => {
  type Step = {
    readonly what: "book" | "trade" | "place";
    readonly side: Side;
    readonly ticks: Ticks;
    readonly lots: Lots;
    readonly us: number;
  };
  const step: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom("book", "book", "trade", "place"),
    side: fc.constantFrom<Side>("BUY", "SELL"),
    ticks: fc.integer({ min: 96, max: 104 }),
    lots: fc.integer({ min: 0, max: 9 }),
    us: fc.constantFrom(0, 1 * MS, 25 * MS, 400 * MS),
  });

  it("makes a fill ambiguous exactly until the second book after its order, that one included", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let us = 0;
        const stamped = steps.map((one) => {
          us += one.us;
          return { ...one, atUs: us };
        });
        const tape = new TapeBuilder(GRID)
          .snapshot(0, 0)
          .level("BUY", 90, 10)
          .level("SELL", 110, 10);
        for (const { what, side, ticks, lots, atUs } of stamped) {
          if (what === "book") tape.update(atUs, atUs).level(side, ticks, lots);
          if (what === "trade") tape.trade(atUs, atUs, side, ticks, lots + 1);
        }
        const heard = new Heard();
        const matcher = new BookMatcher({
          tape: tape.build(),
          listener: heard,
          queue: riskAverseQueue,
        });
        const arrived = new Map<number, number>();
        const places = stamped.filter(({ what }) => what === "place");
        for (const [id, { side, ticks, lots, atUs }] of places.entries()) {
          playTo(matcher, atUs);
          arrived.set(id, atUs);
          matcher.place(order(id, side, ticks, lots + 1), atUs);
        }
        playTo(matcher, Number.MAX_SAFE_INTEGER - 1);
        const books = [
          ...new Set(stamped.filter(({ what }) => what === "book").map(({ atUs }) => atUs)),
        ];
        for (const [at, { id, cause, atUs }] of heard.fills.entries()) {
          const cameUs = arrived.get(id) as number;
          // A book with the same instant as a trade may come before or after it.
          const since = books.filter((bookUs) => bookUs > cameUs && bookUs <= atUs).length;
          const isRested = cause === "cross" || cause === "through";
          if (!isRested || atUs - cameUs > 1_000_000 || since > 2)
            expect(heard.doubts[at]).toBe(false);
          else if (since < 2 || cause === "cross") expect(heard.doubts[at]).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
