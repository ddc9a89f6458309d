import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BookMatcher } from "#backtest/book-matcher.js";
import { TradeMatcher } from "#backtest/trade-matcher.js";
import { createQueueModel } from "#core/queue-model-names.js";
import type { Lots, Side, Ticks } from "#core/units.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { OrderBook } from "#market/order-book.js";
import { Heard, order } from "./heard.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };
const MID = 100;

/** A message of history, or an action of ours between two. */
type Step =
  | { readonly what: "book"; readonly rows: readonly (readonly [Side, Ticks, Lots])[] }
  | { readonly what: "trade"; readonly taker: Side; readonly ticks: Ticks; readonly lots: Lots }
  | {
      readonly what: "place";
      readonly side: Side;
      readonly ticks: Ticks;
      readonly lots: Lots;
      readonly tif: "GTC" | "IOC" | "FOK" | "POST_ONLY" | "GTT";
    }
  | { readonly what: "cancel"; readonly which: number };

const side = fc.constantFrom<Side>("BUY", "SELL");
const near = fc.integer({ min: MID - 4, max: MID + 4 });
/**
 * Bids stay below the middle and asks above it, as in a recording; all other values may be
 * anywhere.
 */
const row = fc
  .tuple(side, fc.integer({ min: 0, max: 4 }), fc.constantFrom(0, 0, 1, 2, 5, 9))
  .map(([of, away, lots]) => [of, of === "BUY" ? MID - away : MID + 1 + away, lots] as const);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(row, { maxLength: 20 }).map((rows): Step => ({ what: "book", rows })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("trade" as const),
      taker: side,
      ticks: near,
      lots: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("place" as const),
      side,
      ticks: near,
      lots: fc.integer({ min: 1, max: 12 }),
      tif: fc.constantFrom(
        "GTC" as const,
        "GTC" as const,
        "IOC" as const,
        "FOK" as const,
        "POST_ONLY" as const,
        "GTT" as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("cancel" as const), which: fc.nat(20) }) },
) as fc.Arbitrary<Step>;
const steps = fc.array(step, { maxLength: 60 });
const queueName = fc.constantFrom("risk-averse", "power-2", "power3-3", "log");

const GTT: Step = { what: "place", side: "BUY", ticks: MID - 4, lots: 1, tif: "GTT" };
const QUIET: Step = { what: "book", rows: [] };

/** The messages among the steps, one each 10 us, at the step's index. */
function tapeOf(all: readonly Step[]): Tape {
  const builder = new TapeBuilder(GRID);
  for (const [at, one] of all.entries()) {
    if (one.what === "trade") builder.trade(at * 10, at * 10, one.taker, one.ticks, one.lots);
    if (one.what !== "book") continue;
    builder.update(at * 10, at * 10);
    for (const [of, ticks, lots] of one.rows) builder.level(of, ticks, lots);
  }
  return builder.build();
}

type AnyMatcher = BookMatcher | TradeMatcher;

/** Plays everything; `look` receives the state after each step, with its fills. */
function play(
  all: readonly Step[],
  matcher: AnyMatcher,
  heard: Heard,
  look: (at: number, firstFill: number) => void,
): void {
  for (const [at, one] of all.entries()) {
    const firstFill = heard.fills.length;
    while (matcher.nextUs <= at * 10) matcher.advance(at * 10, true);
    if (one.what === "place") {
      const more = {
        timeInForce: one.tif,
        expirationUs: one.tif === "GTT" ? at * 10 + 95 : Number.POSITIVE_INFINITY,
      };
      matcher.place(order(at, one.side, one.ticks, one.lots, more), at * 10);
    } else if (one.what === "cancel") {
      matcher.cancel(one.which, at * 10);
    }
    look(at, firstFill);
  }
}

describe("whatever history and our orders are", () => {
  it("every order's account adds up, and no fill is worse than its limit", () => {
    fc.assert(
      fc.property(steps, queueName, fc.boolean(), (all, queue, partialFills) => {
        const heard = new Heard();
        const matcher = new BookMatcher({
          tape: tapeOf(all),
          listener: heard,
          queue: createQueueModel(queue, 0.001),
          partialFills,
        });
        play(all, matcher, heard, () => {});
        const ended = new Map(heard.ends.map(({ id, lots }) => [id, lots]));
        expect(ended.size).toBe(heard.ends.length);
        for (const { id, lots, openLots, side: of, ticks } of heard.orders) {
          expect(heard.filledLots(id) + openLots).toBe(lots);
          expect(ended.get(id) ?? openLots).toBe(openLots);
          for (const fill of heard.fills.filter((each) => each.id === id)) {
            expect(of === "BUY" ? fill.ticks <= ticks : fill.ticks >= ticks).toBe(true);
            if (fill.cause !== "taker") expect(fill.ticks).toBe(ticks);
          }
          const isOpen = openLots > 0 && !ended.has(id);
          expect(matcher.cancel(id, Number.MAX_SAFE_INTEGER)).toBe(isOpen);
        }
      }),
      { numRuns: 150 },
    );
  });

  // With lots so small that 32 bits cannot count them. The other queues have fractional positions,
  // and round them to whole lots.
  it("fills amounts alike, to the lot, when all of them are scaled up", () => {
    const scaled = (all: readonly Step[], by: number): Step[] =>
      all.map((one) => {
        if (one.what === "book")
          return {
            ...one,
            rows: one.rows.map(([of, ticks, lots]) => [of, ticks, lots * by] as const),
          };
        return one.what === "cancel" ? one : { ...one, lots: one.lots * by };
      });
    const filled = (all: readonly Step[], by: number, isOfTrades: boolean) => {
      const heard = new Heard();
      const of = { tape: tapeOf(scaled(all, by)), listener: heard };
      const queue = createQueueModel("risk-averse", 0.001 / by);
      const matcher = isOfTrades
        ? new TradeMatcher({ ...of, queueAheadLots: 3 * by, slippageTicks: 1 })
        : new BookMatcher({ ...of, queue });
      play(scaled(all, by), matcher, heard, () => {});
      return [
        heard.fills.map((fill) => ({ ...fill, lots: fill.lots / by })),
        heard.ends.map((end) => ({ ...end, lots: end.lots / by })),
      ];
    };
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 28, max: 43 }),
        fc.boolean(),
        (all, power, isOfTrades) => {
          expect(filled(all, 2 ** power, isOfTrades)).toEqual(filled(all, 1, isOfTrades));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("every fill of a resting order has its evidence in the very message that brought it", () => {
    fc.assert(
      fc.property(steps, queueName, (all, queue) => {
        const heard = new Heard();
        const matcher = new BookMatcher({
          tape: tapeOf(all),
          listener: heard,
          queue: createQueueModel(queue, 0.001),
        });
        const book = new OrderBook();
        play(all, matcher, heard, (at, firstFill) => {
          const one = all[at] as Step;
          if (one.what === "book")
            for (const [of, ticks, lots] of one.rows) book.set(of, ticks, lots);
          let byQueue = 0;
          for (const { id, ticks, lots, cause } of heard.fills.slice(firstFill)) {
            const isBuy = heard.orders.find((each) => each.id === id)?.side === "BUY";
            const beyond = (price: Ticks): boolean => (isBuy ? price < ticks : price > ticks);
            if (cause === "taker") expect([one.what, id]).toEqual(["place", at]);
            else if (cause === "cross")
              expect(
                one.what === "book" &&
                  (isBuy ? book.asks.bestTicks <= ticks : book.bids.bestTicks >= ticks),
              ).toBe(true);
            else expect(one.what === "trade" && (one.taker === "SELL") === isBuy).toBe(true);
            if (cause === "through") expect(one.what === "trade" && beyond(one.ticks)).toBe(true);
            if (cause !== "queue") continue;
            expect(one.what === "trade" && one.ticks === ticks).toBe(true);
            byQueue += lots;
          }
          // Volume traded at a price is available once for all of our orders together.
          if (one.what === "trade") expect(byQueue).toBeLessThanOrEqual(one.lots);
        });
      }),
      { numRuns: 150 },
    );
  });

  it("lets takers take no more of a level than it shows and what is added later", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const heard = new Heard();
        const matcher = new BookMatcher({
          tape: tapeOf(all),
          listener: heard,
          queue: createQueueModel("risk-averse", 0.001),
        });
        const book = new OrderBook();
        /** By side and price: all liquidity since the level appeared, less our fills. */
        const left = new Map<string, Lots>();
        play(all, matcher, heard, (at, firstFill) => {
          const one = all[at] as Step;
          for (const [of, ticks, lots] of one.what === "book" ? one.rows : []) {
            const before = (of === "BUY" ? book.bids : book.asks).lotsAt(ticks);
            const key = `${of} ${ticks}`;
            left.set(key, lots === 0 ? 0 : (left.get(key) ?? 0) + Math.max(0, lots - before));
            book.set(of, ticks, lots);
          }
          for (const { id, ticks, lots, cause } of heard.fills.slice(firstFill)) {
            if (cause !== "taker") continue;
            const key = `${heard.orders.find((each) => each.id === id)?.side === "BUY" ? "SELL" : "BUY"} ${ticks}`;
            left.set(key, (left.get(key) ?? 0) - lots);
            expect(left.get(key)).toBeGreaterThanOrEqual(0);
          }
        });
      }),
      { numRuns: 150 },
    );
  });

  it("calls the listener alike in small steps and in one large step", () => {
    fc.assert(
      fc.property(steps, queueName, (all, queue) => {
        const played = (stepUs: number): unknown => {
          const heard = new Heard();
          const matcher = new BookMatcher({
            tape: tapeOf(all),
            listener: heard,
            queue: createQueueModel(queue, 0.001),
          });
          const ask = (us: number) => {
            while (matcher.advance(us, true) < us);
          };
          play(all, matcher, heard, (at) => {
            for (let us = at * 10; us < at * 10 + 10; us += stepUs) ask(us);
          });
          ask(all.length * 10);
          return [heard.fills, heard.ends];
        };
        expect(played(1)).toEqual(played(10));
      }),
      // The example: an order that ends between the last two times that the one in large steps asks
      // at.
      { numRuns: 40, examples: [[[GTT, ...Array<Step>(9).fill(QUIET)], "log"]] },
    );
  });

  it("fills the older of our orders at one price before the younger", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const heard = new Heard();
        const matcher = new BookMatcher({
          tape: tapeOf(all),
          listener: heard,
          queue: createQueueModel("risk-averse", 0.001),
        });
        play(all, matcher, heard, (at, firstFill) => {
          const one = all[at] as Step;
          if (one.what !== "trade") return;
          const filled = heard.fills.slice(firstFill).filter(({ cause }) => cause === "queue");
          for (const { id } of filled) {
            const own = heard.orders.find((each) => each.id === id);
            const ended = new Set(heard.ends.map((end) => end.id));
            const older = heard.orders.filter(
              (each) =>
                each.id < id &&
                each.side === own?.side &&
                each.ticks === own.ticks &&
                each.openLots > 0 &&
                !ended.has(each.id),
            );
            expect(older).toEqual([]);
          }
        });
      }),
      { numRuns: 100 },
    );
  });

  it("among trades alone an order is never filled at a price that was only reached", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const heard = new Heard();
        const matcher = new TradeMatcher({ tape: tapeOf(all), listener: heard, slippageTicks: 1 });
        play(all, matcher, heard, (at, firstFill) => {
          const one = all[at] as Step;
          for (const { id, ticks, cause } of heard.fills.slice(firstFill)) {
            const own = heard.orders.find((each) => each.id === id);
            if (cause === "taker")
              expect(own?.side === "BUY" ? ticks <= own.ticks : ticks >= (own?.ticks ?? 0)).toBe(
                true,
              );
            else
              expect(
                one.what === "trade" &&
                  (own?.side === "BUY" ? one.ticks < ticks : one.ticks > ticks),
              ).toBe(true);
          }
        });
        for (const { id, lots, openLots } of heard.orders)
          expect(heard.filledLots(id) + openLots).toBe(lots);
      }),
      { numRuns: 100 },
    );
  });
});
