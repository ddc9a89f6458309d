import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Side } from "#core/units.js";
import { BookOrder } from "#simulator/book-order.js";
import { MatchingEngine, type SelfMatchPolicy } from "#simulator/matching-engine.js";

class OwnedOrder extends BookOrder {
  constructor(
    readonly owner: { readonly name: number },
    readonly number: number,
    side: Side,
    ticks: number,
    lots: number,
  ) {
    super(side, ticks, lots);
  }

  get selfMatchKey(): object {
    return this.owner;
  }
}

interface Plain {
  readonly owner: number;
  readonly number: number;
  readonly side: Side;
  readonly ticks: number;
  open: number;
}

/** Price-time matching in its simplest form: a list that is sorted again for every order. */
class PlainBook {
  resting: Plain[] = [];
  readonly trades: string[] = [];

  submit(order: Plain, policy: SelfMatchPolicy): void {
    const better = (a: Plain, b: Plain) =>
      (order.side === "BUY" ? a.ticks - b.ticks : b.ticks - a.ticks) || a.number - b.number;
    for (const maker of this.resting.filter(({ side }) => side !== order.side).sort(better)) {
      const reached =
        order.side === "BUY" ? maker.ticks <= order.ticks : maker.ticks >= order.ticks;
      if (!reached || order.open === 0) {
        break;
      }
      if (maker.owner === order.owner) {
        if (policy !== "cancel-incoming") {
          this.resting = this.resting.filter((other) => other !== maker);
        }
        if (policy !== "cancel-resting") {
          return;
        }
        continue;
      }
      const lots = Math.min(order.open, maker.open);
      order.open -= lots;
      maker.open -= lots;
      this.trades.push(`${order.number} takes ${lots} of ${maker.number} at ${maker.ticks}`);
      this.resting = this.resting.filter(({ open }) => open > 0);
    }
    if (order.open > 0) {
      this.resting.push(order);
    }
  }

  levels(side: Side): [number, number][] {
    const sums = new Map<number, number>();
    for (const order of this.resting.filter((resting) => resting.side === side)) {
      sums.set(order.ticks, (sums.get(order.ticks) ?? 0) + order.open);
    }
    return [...sums].sort(([a], [b]) => (side === "BUY" ? b - a : a - b));
  }
}

const order = fc.record({
  owner: fc.integer({ min: 0, max: 3 }),
  side: fc.constantFrom("BUY" as const, "SELL" as const),
  ticks: fc.integer({ min: 90, max: 110 }),
  lots: fc.integer({ min: 1, max: 20 }),
  /** Sometimes cancels the order this many orders back instead. */
  cancel: fc.option(fc.nat(10), { freq: 4 }),
});

describe("the matching engine", () => {
  it("makes the same trades as the simplest price-time matching, and leaves the same book", () => {
    fc.assert(
      fc.property(
        fc.array(order, { maxLength: 80 }),
        fc.constantFrom<SelfMatchPolicy>("cancel-resting", "cancel-incoming", "cancel-both"),
        (orders, policy) => {
          const owners = [0, 1, 2, 3].map((name) => ({ name }));
          const trades: string[] = [];
          const engine = new MatchingEngine(
            {
              onMatch: (taker, maker, ticks, lots) =>
                trades.push(
                  `${(taker as OwnedOrder).number} takes ${lots} of ${(maker as OwnedOrder).number} at ${ticks}`,
                ),
              onSelfMatch: () => {},
              onLevel: () => {},
            },
            policy,
          );
          const plain = new PlainBook();
          const placed: OwnedOrder[] = [];
          for (const [number, { owner, side, ticks, lots, cancel }] of orders.entries()) {
            const target = cancel === null ? undefined : placed[placed.length - 1 - cancel];
            if (target !== undefined) {
              engine.remove(target);
              plain.resting = plain.resting.filter((resting) => resting.number !== target.number);
              continue;
            }
            const arriving = new OwnedOrder(
              owners[owner] as { name: number },
              number,
              side,
              ticks,
              lots,
            );
            placed.push(arriving);
            const wanted = { owner, number, side, ticks, open: lots };
            const couldFill = engine.canFill(arriving);
            plain.submit(wanted, policy);
            if (engine.sweep(arriving) === "swept" && arriving.openLots > 0) {
              engine.rest(arriving);
            }
            expect(couldFill).toBe(wanted.open === 0);
            expect(arriving.openLots).toBe(wanted.open);
          }
          expect(trades).toEqual(plain.trades);
          for (const side of ["BUY", "SELL"] as const) {
            const levels: [number, number][] = [];
            engine.forEachLevel(side, (ticks, lots) => levels.push([ticks, lots]) > 0);
            expect(levels).toEqual(plain.levels(side));
            expect(engine.best(side)).toBe(plain.levels(side)[0]?.[0]);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
