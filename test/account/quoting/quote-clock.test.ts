import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QuoteClock } from "#account/quote-clock.js";
import type { Side } from "#core/units.js";

type Change =
  | { readonly atUs: number; readonly kind: "touch"; readonly bid: number; readonly ask: number }
  | { readonly atUs: number; readonly kind: "quote"; readonly side: Side; readonly ticks: number };

const END_US = 300;

function told(changes: readonly Change[]): ReturnType<QuoteClock["times"]> {
  const clock = new QuoteClock(0);
  for (const change of changes) {
    if (change.kind === "touch") clock.touch(change.atUs, change.bid, change.ask);
    else clock.quote(change.atUs, change.side, change.ticks);
  }
  return clock.times(END_US);
}

/** Checks every single microsecond. */
function counted(changes: readonly Change[]): ReturnType<QuoteClock["times"]> {
  const now = { bid: Number.NaN, ask: Number.NaN, BUY: Number.NaN, SELL: Number.NaN };
  const sides = {
    BUY: { resting: 0, at: 0, both: 0, ticks: 0, bps: 0 },
    SELL: { resting: 0, at: 0, both: 0, ticks: 0, bps: 0 },
  };
  let bothUs = 0;
  for (let us = 0; us < END_US; us += 1) {
    for (const change of changes.filter(({ atUs }) => atUs === us)) {
      if (change.kind === "touch") Object.assign(now, { bid: change.bid, ask: change.ask });
      else now[change.side] = change.ticks;
    }
    for (const side of ["BUY", "SELL"] as const) {
      const distance = side === "BUY" ? now.bid - now.BUY : now.SELL - now.ask;
      if (!Number.isNaN(now[side])) sides[side].resting += 1;
      if (!Number.isNaN(distance)) {
        sides[side].both += 1;
        sides[side].ticks += distance;
        sides[side].bps += (10_000 * distance) / (side === "BUY" ? now.bid : now.ask);
        if (distance <= 0) sides[side].at += 1;
      }
    }
    if (!Number.isNaN(now.BUY + now.SELL)) bothUs += 1;
  }
  const times = ({ resting, at, both, ticks, bps }: (typeof sides)["BUY"]) => ({
    restingUs: resting,
    atTouchUs: at,
    measuredUs: both,
    distanceTickUs: ticks,
    meanDistanceTicks: ticks / both,
    // A mean over other spans of the same time has other rounding.
    meanDistanceBps: both === 0 ? Number.NaN : expect.closeTo(bps / both, 6),
  });
  return { totalUs: END_US, bothUs, bid: times(sides.BUY), ask: times(sides.SELL) };
}

describe("the time of quotes", () => {
  it("counts a side that rests alone, and not as both", () => {
    const times = told([
      { atUs: 0, kind: "touch", bid: 100, ask: 101 },
      { atUs: 0, kind: "quote", side: "BUY", ticks: 97 },
      { atUs: 100, kind: "quote", side: "SELL", ticks: 101 },
      { atUs: 250, kind: "quote", side: "BUY", ticks: Number.NaN },
    ]);
    expect(times).toEqual({
      totalUs: 300,
      bothUs: 150,
      bid: {
        restingUs: 250,
        atTouchUs: 0,
        measuredUs: 250,
        distanceTickUs: 750,
        meanDistanceTicks: 3,
        meanDistanceBps: 300,
      },
      ask: {
        restingUs: 200,
        atTouchUs: 200,
        measuredUs: 200,
        distanceTickUs: 0,
        meanDistanceTicks: 0,
        meanDistanceBps: 0,
      },
    });
  });

  it("moves with the touch as much as with the quote", () => {
    const times = told([
      { atUs: 0, kind: "touch", bid: 100, ask: 101 },
      { atUs: 0, kind: "quote", side: "BUY", ticks: 100 },
      { atUs: 200, kind: "touch", bid: 106, ask: 107 },
    ]);
    expect(times.bid).toEqual({
      restingUs: 300,
      atTouchUs: 200,
      measuredUs: 300,
      distanceTickUs: 600,
      meanDistanceTicks: 2,
      // Six ticks behind 106 for a third of the time.
      meanDistanceBps: expect.closeTo(60_000 / 106 / 3, 9),
    });
  });

  it("equals that of a sample at every microsecond, whatever changes when", () => {
    const ticks = fc.oneof(fc.integer({ min: 90, max: 110 }), fc.constant(Number.NaN));
    const atUs = fc.integer({ min: 0, max: END_US - 1 });
    const change: fc.Arbitrary<Change> = fc.oneof(
      fc.record({ atUs, kind: fc.constant("touch" as const), bid: ticks, ask: ticks }),
      fc.record({
        atUs,
        kind: fc.constant("quote" as const),
        side: fc.constantFrom<Side>("BUY", "SELL"),
        ticks,
      }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const inOrder = changes.sort((a, b) => a.atUs - b.atUs);
        expect(told(inOrder)).toEqual(counted(inOrder));
      }),
      { numRuns: 100 },
    );
  });
});
