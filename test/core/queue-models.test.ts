import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { riskAverseQueue as model, type QueuePlace } from "#core/queue-models.js";

/**
 * Works an order of `openLots` through prints at its price, as an exchange does, and lists what it
 * filled at each.
 */
function fillsOf(place: QueuePlace, openLots: number, prints: readonly number[]): number[] {
  let open = openLots;
  let here = place;
  return prints.map((lots) => {
    here = model.onTrade(here, lots);
    const filled = Math.min(model.executableLots(here), open);
    here = model.onTaken(here);
    open -= filled;
    return filled;
  });
}

describe("risk-averse queue", () => {
  it("fills 0, 10 and 40 of an order of 50 behind 100, when 80, 30 and 50 trade (the worked example of NautilusTrader)", () => {
    expect(fillsOf(model.onAccept(100), 50, [80, 30, 50])).toEqual([0, 10, 40]);
  });

  it("fills by the excess alone on the print that clears the queue: 80 and 30 against 100 leave 10", () => {
    expect(fillsOf(model.onAccept(100), 1_000, [80, 30])).toEqual([0, 10]);
  });

  it("does not let one other account's cancel clear the queue (NautilusTrader #4370)", () => {
    // 100 ahead, 50 join behind, then somebody cancels 30: the level shows 120, and all 100 may
    // still be ahead.
    let place = model.onAccept(100);
    place = model.onDepth(place, 100, 150);
    place = model.onDepth(place, 150, 120);
    expect(place.frontLots).toBe(100);
    expect(fillsOf(place, 10, [100, 5])).toEqual([0, 5]);
  });

  it("moves up only when the level itself is smaller than the queue ahead", () => {
    const place = model.onDepth(model.onAccept(100), 100, 40);
    expect(place.frontLots).toBe(40);
    expect(model.onDepth(place, 40, 400).frontLots).toBe(40);
    expect(model.onDepth(place, 40, 0).frontLots).toBe(0);
  });

  it("never fills on a change of depth alone", () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.array(fc.nat(1_000), { maxLength: 30 }), (ahead, depths) => {
        let place = model.onAccept(ahead);
        let shown = ahead;
        for (const depth of depths) {
          place = model.onDepth(place, shown, depth);
          shown = depth;
          expect(model.executableLots(place)).toBe(0);
        }
      }),
    );
  });

  it("counts a trade once although the level's update for it comes after", () => {
    let place = model.onTrade(model.onAccept(100), 60);
    expect(place).toEqual({ frontLots: 40, tradedLots: 60 });
    place = model.onDepth(place, 100, 40);
    expect(place).toEqual({ frontLots: 40, tradedLots: 0 });
  });

  it("fills no more in all than what traded beyond the queue it was accepted behind, and no less than a queue that only trades", () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant("trade" as const), lots: fc.nat(50) }),
      fc.record({ kind: fc.constant("depth" as const), lots: fc.nat(200) }),
    );
    fc.assert(
      fc.property(fc.nat(100), fc.array(event, { maxLength: 40 }), (ahead, events) => {
        let place = model.onAccept(ahead);
        let shown = ahead;
        let leastShown = ahead;
        let traded = 0;
        let filled = 0;
        for (const { kind, lots } of events) {
          if (kind === "trade") {
            place = model.onTrade(place, lots);
            filled += model.executableLots(place);
            place = model.onTaken(place);
            traded += lots;
          } else {
            place = model.onDepth(place, shown, lots);
            shown = lots;
            leastShown = Math.min(leastShown, lots);
          }
          expect(place.frontLots).toBeGreaterThanOrEqual(0);
          expect(place.frontLots).toBeLessThanOrEqual(leastShown);
        }
        expect(filled).toBeGreaterThanOrEqual(traded - ahead);
        expect(filled).toBeLessThanOrEqual(traded);
      }),
    );
  });

  it("is at the front of an empty level", () => {
    expect(fillsOf(model.onAccept(0), 5, [3, 3])).toEqual([3, 2]);
  });

  it("refuses amounts that are no lots", () => {
    expect(() => model.onAccept(-1)).toThrow("displayedLots");
    expect(() => model.onTrade(model.onAccept(1), 0.5)).toThrow("tradedLots");
    expect(() => model.onDepth(model.onAccept(1), 1, Number.NaN)).toThrow("newLots");
  });
});
