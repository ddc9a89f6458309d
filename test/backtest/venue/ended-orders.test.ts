import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EndedOrders } from "#backtest/ended-orders.js";
import type { VenueOrder } from "#exchange/records.js";

/** Intervals between the ends of orders, and the life of each order before its end. */
const lives = fc.array(fc.record({ afterMs: fc.nat(20), openMs: fc.nat(60) }), { maxLength: 60 });

describe("ended orders", () => {
  // A bot that queries an order's outcome must find it, however long it had rested.
  it("are found by when they were placed, in the order in which they ended", () => {
    fc.assert(
      fc.property(lives, fc.nat(800), fc.nat(800), (drawn, fromMs, spanMs) => {
        const ended = new EndedOrders();
        const all: VenueOrder[] = [];
        let endedMs = 100;
        for (const { afterMs, openMs } of drawn) {
          endedMs += afterMs;
          const record = { id: String(all.length), createdAtMs: endedMs - openMs } as VenueOrder;
          all.push(record);
          ended.add(record, endedMs);
        }
        const toMs = fromMs + spanMs;
        const placed = all.filter(
          ({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs <= toMs,
        );
        expect(ended.placedWithin(fromMs, toMs)).toEqual(placed);
      }),
    );
  });

  it("are dropped when a page of newer ones is there", () => {
    const ended = new EndedOrders();
    for (let id = 0; id < 5_000; id++)
      ended.add({ id: String(id), createdAtMs: id } as VenueOrder, id);
    const found = ended.placedWithin(0, Number.POSITIVE_INFINITY);
    expect(found.length).toBeGreaterThanOrEqual(500);
    expect(found.length).toBeLessThanOrEqual(1_000);
    expect(found.at(-1)?.id).toBe("4999");
  });
});
