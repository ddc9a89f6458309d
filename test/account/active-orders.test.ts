import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActiveOrders } from "#account/active-orders.js";
import { isFinalPhase, type OrderPhase, type OwnOrder } from "#account/order.js";
import { createIntendedOrder } from "#account/order-machine.js";
import { placeAction } from "./exchange-story.js";

const PHASES: readonly OrderPhase[] = [
  "intended",
  "sent",
  "unknown",
  "open",
  "partly-filled",
  "cancelling",
  "filled",
  "cancelled",
  "lost",
];

/**
 * Changes one of a few orders. A final one may return, as when the exchange reports an order that
 * was presumed lost.
 */
const changes = fc.array(
  fc.record({
    serial: fc.integer({ min: 1, max: 5 }),
    phase: fc.constantFrom(...PHASES),
    availableLots: fc.constantFrom(0, 4, 10),
  }),
  { maxLength: 30 },
);

describe("the orders of a market that are not final", () => {
  it("are always those that a search of the whole table finds, oldest first", () => {
    fc.assert(
      fc.property(changes, (given) => {
        const active = new ActiveOrders();
        const known = new Map<number, OwnOrder>();
        const expected = new Map<number, OwnOrder>();
        for (const { serial, phase, availableLots } of given) {
          const before = known.get(serial);
          const remaining = isFinalPhase(phase) ? 0 : availableLots;
          const order: OwnOrder = {
            ...(before ??
              createIntendedOrder(
                placeAction(serial, { side: serial % 2 === 0 ? "BUY" : "SELL" }),
                0,
                false,
              )),
            phase,
            availableLots,
            mayFillLots: remaining,
          };
          known.set(serial, order);
          if (isFinalPhase(phase)) expected.delete(serial);
          else expected.set(serial, order);
          active.put(order, before);
          const all = [...expected.values()];
          const mayStillFill = all.filter(({ mayFillLots }) => mayFillLots > 0);
          expect(active.all()).toEqual(all);
          expect(active.mayStillFill()).toEqual(mayStillFill);
          expect(active.resting()).toEqual(
            mayStillFill
              .filter(
                (one) =>
                  one.phase === "open" ||
                  one.phase === "partly-filled" ||
                  one.phase === "cancelling",
              )
              .map(({ side, ticks, availableLots: lots }) => ({ side, ticks, lots })),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  it("may be in the book from sending on, by the account's state once confirmed, and until their cancel has arrived", () => {
    const active = new ActiveOrders();
    const intended = createIntendedOrder(placeAction(1), 0, false);
    const { side, ticks, lots } = intended;
    const sent: OwnOrder = { ...intended, place: "sent", phase: "sent" };
    const partlyFilled: OwnOrder = {
      ...sent,
      place: "seen",
      phase: "partly-filled",
      availableLots: lots - 1,
      mayFillLots: lots - 1,
    };
    const lives: [OwnOrder, OwnOrder | undefined, lots: number, dueLots: number][] = [
      [sent, intended, 0, lots],
      [partlyFilled, sent, lots - 1, lots - 1],
      [{ ...partlyFilled, phase: "cancelling" }, partlyFilled, lots - 1, 0],
    ];
    active.put(intended, undefined);
    expect(active.inBook()).toEqual([]);
    for (const [order, before, told, dueLots] of lives) {
      active.put(order, before);
      expect(active.inBook()).toEqual([{ side, ticks, lots: told, dueLots }]);
    }
    active.put(
      { ...intended, timeInForce: "IOC", place: "sent", phase: "sent" },
      lives.at(-1)?.[0],
    );
    expect(active.inBook(), "what rests never").toEqual([]);
  });
});
