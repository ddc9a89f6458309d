import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { netTouch } from "#market/net-book.js";
import { OrderBook } from "#market/order-book.js";
import { type OwnBookOrder, OwnOrderOverlay } from "#market/own-order-overlay.js";

const OURS = { side: "SELL", ticks: 101, lots: 5 } as const;
const FAR = { bidTicks: 100, askTicks: 110 };
const NEAR = { bidTicks: 100, askTicks: 101 };

/** A book with another's asks at 110 and `others` at 101, where our asks come and go. */
function bookWith(others = 0) {
  const book = new OrderBook();
  const inBook = new OwnOrderOverlay();
  let own: readonly OwnBookOrder[] = [];
  let nowMs = 0;
  const note = (): void => inBook.note(own, book, nowMs);
  book.bids.set(100, 9);
  book.asks.set(110, 9);
  book.asks.set(101, others);
  const world = {
    passes: (ms: number): void => {
      nowMs += ms;
      note();
    },
    /**
     * Our orders at 101: the resting lots according to the account, and the lots after the requests
     * in flight.
     */
    has: (...orders: readonly (readonly [lots: number, dueLots: number])[]): void => {
      own = orders.map(([lots, dueLots]) => ({ ...OURS, lots, dueLots }));
      note();
    },
    /** The account's state: these are our asks at 101, and nothing is in flight. */
    told: (...lots: number[]): void => world.has(...lots.map((each) => [each, each] as const)),
    /** An update of the book: the lots at 101. */
    shows: (lots: number): void => {
      book.asks.set(101, lots);
      note();
    },
    touch: () => netTouch(book, inBook.shown),
    /** The others' lots at 101 in a view. */
    others: (): number =>
      inBook.shown.reduce((sum, order) => sum - order.lots, book.asks.lotsAt(101)),
    ours: (): number => inBook.shown.reduce((sum, order) => sum + order.lots, 0),
  };
  note();
  return world;
}

/** The same with an own ask there, reported and shown. */
function bookWithOurs(others = 0) {
  const world = bookWith(others);
  world.has([0, 5]);
  world.told(5);
  world.passes(25);
  world.shows(others + 5);
  world.passes(25);
  return world;
}

describe("an own order that was cancelled or filled", () => {
  it("is not another participant's while the book still shows it; any further amount there is", () => {
    const world = bookWithOurs();
    world.told();
    expect(world.touch()).toEqual(FAR);
    world.passes(25);
    world.shows(0);
    expect(world.touch()).toEqual(FAR);
    world.shows(5);
    expect(world.touch()).toEqual(NEAR);
  });

  it("the same holds for the filled part of an order, and for the next part before the book has shown the first", () => {
    const world = bookWithOurs(3);
    world.told(3);
    expect(world.others()).toBe(3);
    world.told(1);
    expect(world.others()).toBe(3);
    world.shows(6);
    expect(world.others(), "the first part alone").toBe(3);
    world.shows(4);
    expect(world.others()).toBe(3);
    expect(world.ours()).toBe(1);
  });

  it("is forgotten if the book keeps showing it: the amount then belongs to others", () => {
    const world = bookWithOurs();
    world.told();
    world.passes(310);
    expect(world.touch()).toEqual(NEAR);
  });

  it("is known to be gone from a book that is ahead: others with as much or more there stay", () => {
    for (const others of [5, 7]) {
      const world = bookWithOurs(others);
      world.passes(1_000);
      world.shows(others);
      world.told();
      expect(world.others()).toBe(others);
      expect(world.touch()).toEqual(NEAR);
    }
  });

  it("is not subtracted twice if another own order reached its price before the book changed", () => {
    const world = bookWithOurs(3);
    world.told();
    world.told(5);
    expect(world.others()).toBe(3);
    world.passes(25);
    expect(world.ours()).toBe(5);
  });

  it("is distinguished from another own order at the same price", () => {
    const world = bookWithOurs(3);
    world.told(5, 4);
    world.shows(12);
    world.told(4);
    expect(world.others()).toBe(3);
    world.shows(7);
    expect(world.ours()).toBe(4);
  });

  it("never subtracts others' amounts if it came and went before the book showed it", () => {
    const world = bookWithOurs(5);
    world.told();
    world.shows(5);
    world.passes(1_000);
    world.has([0, 5]);
    world.told(5);
    world.has([5, 0]);
    world.told();
    expect(world.touch()).toEqual(NEAR);
  });

  it("follows the account's state if others changed the level too", () => {
    const world = bookWithOurs(3);
    world.told();
    world.shows(4);
    expect(world.others()).toBe(4);
  });
});

describe("a new own order", () => {
  it("subtracts nothing from others before the book shows it, and is not counted as theirs if the book shows it first", () => {
    for (const isBookFirst of [false, true]) {
      const world = bookWith(3);
      world.has([0, 5]);
      expect(world.others()).toBe(3);
      if (isBookFirst) world.shows(8);
      else world.told(5);
      expect(world.others()).toBe(3);
      if (isBookFirst) world.told(5);
      else world.shows(8);
      expect(world.others()).toBe(3);
      expect(world.ours()).toBe(5);
    }
  });

  it("is not another participant's if the book shows it only after its end, nor if that end comes next", () => {
    const world = bookWith(3);
    world.has([0, 5]);
    world.told(5);
    world.has([5, 0]);
    world.told();
    expect(world.others()).toBe(3);
    world.passes(60);
    world.shows(8);
    expect(world.others()).toBe(3);
    world.passes(60);
    world.shows(3);
    expect(world.others()).toBe(3);
    world.shows(8);
    expect(world.others(), "somebody's who came then").toBe(8);
  });

  it("is assumed to be there by the account's state if others changed the level too", () => {
    const world = bookWith(3);
    world.has([0, 5]);
    world.told(5);
    world.shows(9);
    expect(world.others()).toBe(4);
  });

  it("is not counted after a rejection: an order that reaches its price is another's", () => {
    const world = bookWith();
    world.has([0, 5]);
    world.told();
    world.passes(310);
    world.shows(5);
    expect(world.touch()).toEqual(NEAR);
  });

  it("is already in the book if its sending was not seen: an order of an earlier run", () => {
    const world = bookWith(8);
    world.told(5);
    expect(world.others()).toBe(3);
  });
});

it("others' amounts are right, whether account or book is ahead, as orders come and go", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 6 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 6, maxLength: 6 }),
      fc.array(fc.constantFrom("send", "tell", "show"), { maxLength: 30 }),
      fc.nat({ max: 9 }),
      (others, sizes, steps, gapMs) => {
        const world = bookWith(others);
        // The resting lots after each request: an order, and nothing, in turn.
        const rests = sizes.flatMap((lots) => [0, lots]);
        let [sent, told, shown] = [0, 0, 0];
        for (const step of steps) {
          // A bot sends no further request while the outcome of the last is unknown, and no unsent
          // request is reported.
          if (
            step === "send"
              ? told < sent || sent === rests.length - 1
              : step === "tell"
                ? told === sent
                : shown === sent
          )
            continue;
          if (step === "send") sent++;
          else if (step === "tell") told++;
          else shown++;
          if (step === "show") world.shows(others + (rests[shown] as number));
          else world.has([rests[told] as number, rests[sent] as number]);
          expect(world.others()).toBe(others);
          world.passes(gapMs);
        }
      },
    ),
  );
});

it("others' amounts are right whenever the account is not behind the book, in any interleaving during a fill", () => {
  const lots = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(
      fc.nat({ max: 20 }),
      fc.array(lots, { minLength: 1, maxLength: 4 }),
      fc.array(fc.boolean(), { maxLength: 8 }),
      fc.nat({ max: 30 }),
      (others, fills, mixed, gapMs) => {
        const first = fills.reduce((sum, each) => sum + each, 0);
        const after = fills.map((_, at) =>
          fills.slice(at + 1).reduce((sum, each) => sum + each, 0),
        );
        const world = bookWithOurs(others);
        world.told(first);
        world.shows(others + first);
        world.passes(1_000);
        let told = 0;
        let shown = 0;
        for (const isBook of [
          ...mixed,
          ...fills.flatMap(() => [false, true]),
          ...fills.map(() => true),
        ]) {
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

it("only resting orders are subtracted once our orders have been unchanged for 300 ms", () => {
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
        expect(world.ours()).toBeLessThanOrEqual(most);
      }
      world.passes(300);
      expect(world.ours()).toBe(rests.reduce((sum, lots) => sum + lots, 0));
    }),
  );
});
