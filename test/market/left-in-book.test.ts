import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LeftInBook } from "../../src/market/left-in-book.js";
import { netTouch, type OwnRestingOrder } from "../../src/market/net-book.js";
import { OrderBook } from "../../src/market/order-book.js";

const OURS: OwnRestingOrder = { side: "SELL", ticks: 101, lots: 5 };
const FAR = { bidTicks: 100, askTicks: 110 };
const NEAR = { bidTicks: 100, askTicks: 101 };

/** A book with somebody's asks at 110, and `others` beside our ask at 101, which is told of at once and shown 25 ms later. */
function bookWithOurs(others = 0) {
  const book = new OrderBook();
  const left = new LeftInBook();
  let own: readonly OwnRestingOrder[] = [];
  let nowMs = 0;
  const note = (): void => left.note(own, book, nowMs);
  book.bids.set(100, 9);
  book.asks.set(110, 9);
  book.asks.set(101, others);
  const world = {
    passes: (ms: number): void => {
      nowMs += ms;
      note();
    },
    /** The account's word: these are our asks at 101. */
    told: (...lots: number[]): void => {
      own = lots.map((each) => ({ ...OURS, lots: each }));
      note();
    },
    /** An update of the book: so much is at 101. */
    shows: (lots: number): void => {
      book.asks.set(101, lots);
      note();
    },
    touch: () => netTouch(book, left.with(own)),
    /** What a view shows of others at 101. */
    others: (): number => left.with(own).reduce((sum, order) => sum - order.lots, book.asks.lotsOf(101)),
    own: () => left.with(own),
  };
  world.told(5);
  world.passes(25);
  world.shows(others + 5);
  world.passes(25);
  return world;
}

describe("an own order that was cancelled or filled", () => {
  it("is nobody else's as long as the book still shows it, and what comes there then is somebody's, as much as it may be", () => {
    const world = bookWithOurs();
    world.told();
    expect(world.touch()).toEqual(FAR);
    world.passes(25);
    world.shows(0);
    expect(world.touch()).toEqual(FAR);
    world.shows(5);
    expect(world.touch()).toEqual(NEAR);
  });

  it("nor is the part of one that was filled, nor the next part before the book has shown the first", () => {
    const world = bookWithOurs(3);
    world.told(3);
    expect(world.others()).toBe(3);
    world.told(1);
    expect(world.others()).toBe(3);
    world.shows(6);
    expect(world.others(), "the first part alone").toBe(3);
    world.shows(4);
    expect(world.others()).toBe(3);
    expect(world.own()).toEqual([{ ...OURS, lots: 1 }]);
  });

  it("is forgotten with a book that goes on showing it: what is there then is somebody else's", () => {
    const world = bookWithOurs();
    world.told();
    world.passes(310);
    expect(world.touch()).toEqual(NEAR);
  });

  it("is believed gone by a book that was told first: those who have as much there, or more, stay", () => {
    for (const others of [5, 7]) {
      const world = bookWithOurs(others);
      world.passes(1_000);
      world.shows(others);
      world.told();
      expect(world.others()).toBe(others);
      expect(world.touch()).toEqual(NEAR);
    }
  });

  it("is not taken off twice where another of ours came to its price before the book changed", () => {
    const world = bookWithOurs(3);
    world.told();
    world.told(5);
    expect(world.others()).toBe(3);
    world.passes(25);
    expect(world.own()).toEqual([OURS]);
  });

  it("is told apart from one beside it at the same price", () => {
    const world = bookWithOurs(3);
    world.told(5, 4);
    world.shows(12);
    world.told(4);
    expect(world.others()).toBe(3);
    world.shows(7);
    expect(world.own()).toEqual([{ ...OURS, lots: 4 }]);
  });

  it("never takes others off where it came and went before the book showed it", () => {
    const world = bookWithOurs(5);
    world.told();
    world.shows(5);
    world.passes(1_000);
    world.told(5);
    world.told();
    expect(world.touch()).toEqual(NEAR);
  });

  it("is believed as it stands where others changed the level too", () => {
    const world = bookWithOurs(3);
    world.told();
    world.shows(4);
    expect(world.others()).toBe(4);
  });
});

it("others are what they are whenever the account's word is not behind the book's, however the two are mixed", () => {
  const lots = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(
      fc.nat({ max: 20 }),
      fc.array(lots, { minLength: 1, maxLength: 4 }),
      fc.array(fc.boolean(), { maxLength: 8 }),
      fc.nat({ max: 30 }),
      (others, fills, mixed, gapMs) => {
        const first = fills.reduce((sum, each) => sum + each, 0);
        const after = fills.map((_, at) => fills.slice(at + 1).reduce((sum, each) => sum + each, 0));
        const world = bookWithOurs(others);
        world.told(first);
        world.shows(others + first);
        world.passes(1_000);
        let told = 0;
        let shown = 0;
        for (const isBook of [...mixed, ...fills.flatMap(() => [false, true]), ...fills.map(() => true)]) {
          if (isBook ? shown === fills.length : told === fills.length) continue;
          if (isBook) world.shows(others + (after[shown++] as number));
          else world.told(...[after[told++] as number].filter((each) => each > 0));
          world.passes(gapMs);
          if (told >= shown) expect(world.others()).toBe(others);
        }
        expect(told).toBe(shown);
      },
    ),
  );
});

it("nothing but what rests is taken off once our orders have stood still for 300 ms", () => {
  const step = fc.oneof(
    fc.record({ told: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 2 }) }),
    fc.record({ shows: fc.nat({ max: 12 }) }),
    fc.record({ ms: fc.nat({ max: 100 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const world = bookWithOurs(3);
      let rests = [5];
      let most = 5;
      for (const each of steps) {
        if ("told" in each) {
          rests = each.told;
          world.told(...rests);
        } else if ("shows" in each) world.shows(each.shows);
        else world.passes(each.ms);
        most = Math.max(
          most,
          rests.reduce((sum, lots) => sum + lots, 0),
        );
        expect(world.own().slice(0, rests.length)).toEqual(rests.map((lots) => ({ ...OURS, lots })));
        expect(world.own().reduce((sum, { lots }) => sum + lots, 0)).toBeLessThanOrEqual(most);
      }
      world.passes(300);
      expect(world.own()).toEqual(rests.map((lots) => ({ ...OURS, lots })));
    }),
  );
});
