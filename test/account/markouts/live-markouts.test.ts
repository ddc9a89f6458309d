import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LiveMarkouts } from "#account/live-markouts.js";
import { MARKOUT_SECONDS, Markouts } from "#account/markouts.js";
import { MidHistory } from "#account/mid-history.js";
import type { Side } from "#core/units.js";

const SECOND = 1_000_000;
const UNKNOWN = Number.NaN;

interface Fill {
  readonly atUs: number;
  readonly side: Side;
  readonly level: number;
  readonly ticks: number;
  readonly lots: number;
  /** When the bot is told of it. */
  readonly reportedUs: number;
}

/** An instant of the book: a new mid, a loss of the book, or a confirmation of the present mid. */
interface BookNews {
  readonly atUs: number;
  readonly halfTicks: number | "confirmed" | "lost";
}

/** Means of all fills by horizon. */
const meansOf = (markouts: LiveMarkouts): readonly (number | undefined)[] | undefined =>
  markouts.result()[0]?.horizons.map((markout) => markout?.mean);

/** Calls in a bot's order: by the time at which it hears of each. */
function liveMarkouts(
  news: readonly BookNews[],
  fills: readonly Fill[],
  endUs: number,
): LiveMarkouts {
  const live = new LiveMarkouts();
  const heard = [
    ...news.map((one) => ({ heardUs: one.atUs, one })),
    ...fills.map((fill) => ({ heardUs: fill.reportedUs, fill })),
  ].sort((a, b) => a.heardUs - b.heardUs);
  for (const event of heard) {
    if ("fill" in event) {
      const { atUs, side, level, ticks, lots } = event.fill;
      live.fill(atUs, side, level, ticks, lots);
    } else if (event.one.halfTicks === "confirmed") live.confirm(event.one.atUs);
    else if (event.one.halfTicks === "lost") {
      live.change(live.untilUs, UNKNOWN);
      live.confirm(event.one.atUs);
    } else live.change(event.one.atUs, event.one.halfTicks);
  }
  live.confirm(endUs + 1);
  return live;
}

const buy = (atUs: number, reportedUs = atUs): Fill => ({
  atUs,
  side: "BUY",
  level: 0,
  ticks: 100,
  lots: 1,
  reportedUs,
});

describe("markouts of a live bot", () => {
  it("judge a fill that is reported late by the mids of its own time", () => {
    const live = liveMarkouts(
      [
        { atUs: 0, halfTicks: 201 },
        { atUs: 0.2 * SECOND, halfTicks: 198 },
        { atUs: 0.5 * SECOND, halfTicks: 230 },
      ],
      // The horizons of 0.1 and 0.3 seconds are over when the bot hears of the fill.
      [buy(0, 0.6 * SECOND)],
      2 * SECOND,
    );
    expect(meansOf(live)?.slice(0, 4)).toEqual([1, -2, 30, undefined]);
  });

  it("leave out the horizons at which the book was lost, and keep the later ones", () => {
    const live = liveMarkouts(
      [
        { atUs: 0, halfTicks: 201 },
        { atUs: 0.15 * SECOND, halfTicks: "confirmed" },
        { atUs: 0.2 * SECOND, halfTicks: "lost" },
        { atUs: 0.5 * SECOND, halfTicks: 210 },
      ],
      [buy(0)],
      2 * SECOND,
    );
    expect(meansOf(live)?.slice(0, 3)).toEqual([1, undefined, 10]);
  });

  it("trust no mid since the book was last confirmed, once it is lost", () => {
    const live = liveMarkouts(
      [
        { atUs: 0, halfTicks: 201 },
        { atUs: 0.05 * SECOND, halfTicks: "confirmed" },
        // The stream stalled: both horizons before the loss were over by then.
        { atUs: 0.9 * SECOND, halfTicks: "lost" },
        { atUs: 1 * SECOND, halfTicks: 210 },
      ],
      [buy(0)],
      2 * SECOND,
    );
    expect(meansOf(live)?.slice(0, 3)).toEqual([undefined, undefined, 10]);
  });

  it("wait in a quiet market until the book is confirmed", () => {
    const live = new LiveMarkouts();
    live.change(0, 201);
    live.fill(0, "BUY", 0, 100, 1);
    live.confirm(0.1 * SECOND);
    expect(meansOf(live)?.[0]).toBeUndefined();
    live.confirm(0.1 * SECOND + 1);
    expect(meansOf(live)?.[0]).toBe(1);
  });

  it("are those of a backtest for the same fills and mids, whenever the fills are reported", () => {
    fc.assert(
      fc.property(fc.array(bookMid, { maxLength: 60 }), fc.array(anyFill, { maxLength: 40 }), same),
      { numRuns: 60 },
    );
    function same(later: readonly { atUs: number; halfTicks: number }[], fills: readonly Fill[]) {
      const mids = [{ atUs: 0, halfTicks: 2000 }, ...later.toSorted((a, b) => a.atUs - b.atUs)];
      const endUs = 800 * SECOND;
      const backtest = new Markouts();
      const events = [
        ...mids.map((mid) => ({ atUs: mid.atUs, mid })),
        ...fills.map((fill) => ({ atUs: fill.atUs, fill })),
      ].sort((a, b) => a.atUs - b.atUs);
      let now = UNKNOWN;
      for (const event of events) {
        if (event.atUs > backtest.nextDueUs) backtest.settle(event.atUs, now);
        if ("mid" in event) now = event.mid.halfTicks;
        else {
          const { atUs, side, level, ticks, lots } = event.fill;
          backtest.fill(atUs, side, level, ticks, lots);
        }
      }
      backtest.settle(endUs + 1, now);
      // The band depends on the order of the fills, and is not shown live.
      const shown = (markouts: Pick<Markouts, "result">) =>
        markouts.result().map(({ side, level, fills: all, horizons }) => ({
          side,
          level,
          all,
          horizons: horizons.map((one) => one && [one.count, one.sum, one.notional]),
        }));
      expect(shown(liveMarkouts(mids, fills, endUs))).toEqual(shown(backtest));
    }
  });

  it("are those of the definition where the book is lost at times: a horizon counts if the mid was known then", () => {
    const lost = fc.record({
      atUs: fc.integer({ min: 1, max: 400 * SECOND }),
      halfTicks: fc.constantFrom("lost" as const, "confirmed" as const),
    });
    const news = fc.array(fc.oneof(bookMid, lost), { maxLength: 60 });
    fc.assert(
      fc.property(news, fc.array(anyFill, { maxLength: 40 }), (unordered, fills) => {
        const book: readonly BookNews[] = [
          { atUs: 0, halfTicks: 2000 },
          ...unordered.toSorted((a, b) => a.atUs - b.atUs),
        ];
        const endUs = 800 * SECOND;
        const live = liveMarkouts(book, fills, endUs).result()[0]?.horizons ?? [];
        for (const [index, seconds] of MARKOUT_SECONDS.entries()) {
          const known = fills.flatMap(({ atUs, side, ticks, lots }) => {
            const mid = midThen(book, atUs + seconds * SECOND);
            return mid === undefined ? [] : [(side === "BUY" ? 1 : -1) * (mid - 2 * ticks) * lots];
          });
          expect(live[index]?.count ?? 0).toBe(known.length);
          expect(live[index]?.sum ?? 0).toBe(known.reduce((sum, one) => sum + one, 0));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("keep a bounded number of mids, and judge nothing by those that are gone", () => {
    const history = new MidHistory(4);
    for (let second = 0; second < 10; second += 1) history.add(second, 100 + second);
    expect([5, 6, 8.5, 20].map((at) => history.midAt(at))).toEqual([UNKNOWN, 106, 108, 109]);
    expect(new MidHistory(4).midAt(0)).toBeNaN();
  });
});

const bookMid = fc.record({
  atUs: fc.integer({ min: 1, max: 400 * SECOND }),
  halfTicks: fc.integer({ min: 1900, max: 2100 }),
});

const anyFill = fc
  .record({
    atUs: fc.oneof(
      fc.integer({ min: 1, max: 400 * SECOND }),
      fc.integer({ min: 1, max: 40 }).map((tenths) => tenths * 100_000),
    ),
    side: fc.constantFrom<Side>("BUY", "SELL"),
    level: fc.integer({ min: -2, max: 20 }),
    ticks: fc.integer({ min: 950, max: 1050 }),
    lots: fc.integer({ min: 1, max: 9 }),
    delayUs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: SECOND }),
      fc.integer({ min: 0, max: 350 * SECOND }),
    ),
  })
  .map(({ delayUs, ...fill }): Fill => ({ ...fill, reportedUs: fill.atUs + delayUs }));

/**
 * From the definition: the last mid up to and at an instant. Undefined if the book was lost then,
 * or if it was lost later without a confirmation in between.
 */
function midThen(book: readonly BookNews[], atUs: number): number | undefined {
  const before = book.filter((one) => one.atUs <= atUs);
  const after = book.filter((one) => one.atUs > atUs);
  let mid: number | undefined;
  for (const { halfTicks } of before) {
    if (halfTicks === "lost") mid = undefined;
    else if (halfTicks !== "confirmed") mid = halfTicks;
  }
  return after[0]?.halfTicks === "lost" ? undefined : mid;
}
