import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { studentQuantile } from "#account/blocked-mean.js";
import { LAST_LEVEL, MARKOUT_SECONDS, type MarkoutKey, Markouts } from "#account/markouts.js";
import type { Side } from "#core/units.js";

interface Fill {
  readonly atUs: number;
  readonly side: Side;
  readonly level: number;
  readonly ticks: number;
  readonly lots: number;
}

interface Mid {
  readonly atUs: number;
  readonly halfTicks: number;
}

const SECOND = 1_000_000;

/**
 * Calls in a recorder's order: everything due before a new mid is settled with the previous one.
 */
function markoutsOf(mids: readonly Mid[], fills: readonly Fill[], endUs: number): Markouts {
  const markouts = new Markouts();
  const events = [
    ...mids.map((mid) => ({ atUs: mid.atUs, mid })),
    ...fills.map((fill) => ({ atUs: fill.atUs, fill })),
  ];
  let now = Number.NaN;
  for (const event of events.sort((a, b) => a.atUs - b.atUs)) {
    if (event.atUs > markouts.nextDueUs) markouts.settle(event.atUs, now);
    if ("mid" in event) now = event.mid.halfTicks;
    else
      markouts.fill(
        event.fill.atUs,
        event.fill.side,
        event.fill.level,
        event.fill.ticks,
        event.fill.lots,
      );
  }
  markouts.settle(endUs + 1, now);
  return markouts;
}

function isIn({ side, level }: MarkoutKey, fill: Fill): boolean {
  const known = Math.max(-1, Math.min(LAST_LEVEL, fill.level));
  return (side === "BOTH" || side === fill.side) && (level === "ALL" || level === known);
}

/**
 * From the definition: for each fill the last mid up to and at its horizon, where the run reached
 * it.
 */
function naive(mids: readonly Mid[], fills: readonly Fill[], endUs: number, seconds: number) {
  const known = fills
    .map((fill) => {
      const dueUs = fill.atUs + seconds * SECOND;
      const mid = mids.filter(({ atUs }) => atUs <= dueUs).at(-1)?.halfTicks ?? Number.NaN;
      return { fill, dueUs, value: (fill.side === "BUY" ? 1 : -1) * (mid - 2 * fill.ticks) };
    })
    .filter(({ dueUs }) => dueUs <= endUs);
  const weight = known.reduce((sum, { fill }) => sum + fill.lots, 0);
  const mean = known.reduce((sum, { fill, value }) => sum + fill.lots * value, 0) / weight;
  const blocks = new Map<number, number>();
  for (const { fill, value } of known) {
    const block = Math.floor(fill.atUs / (seconds * SECOND * 4));
    blocks.set(block, (blocks.get(block) ?? 0) + fill.lots * (value - mean));
  }
  const squares = [...blocks.values()].reduce((sum, residual) => sum + residual * residual, 0);
  const deviation = Math.sqrt((squares * blocks.size) / (blocks.size - 1)) / weight;
  return {
    count: known.length,
    mean,
    blocks: blocks.size,
    halfBand: studentQuantile(blocks.size - 1) * deviation,
  };
}

describe("markouts", () => {
  it("say what a buy at 100 was worth when the mid had gone to 99, and then to 103", () => {
    const markouts = markoutsOf(
      [
        { atUs: 0, halfTicks: 201 },
        { atUs: 400_000, halfTicks: 198 },
        { atUs: 2 * SECOND, halfTicks: 206 },
      ],
      [{ atUs: 0, side: "BUY", level: 0, ticks: 100, lots: 3 }],
      5 * SECOND,
    );
    const means = markouts.result()[0]?.horizons.map((band) => band?.mean);
    // Half ticks at 0.1, 0.3, 1 and 3 seconds; the run ended before the rest.
    expect(means).toEqual([1, 1, -2, 6, undefined, undefined, undefined, undefined]);
  });

  it("take the mid that came at the very instant of a horizon", () => {
    const mids = [
      { atUs: 0, halfTicks: 200 },
      { atUs: SECOND, halfTicks: 190 },
    ];
    const [group] = markoutsOf(
      mids,
      [{ atUs: 0, side: "SELL", level: 0, ticks: 100, lots: 1 }],
      SECOND,
    ).result();
    expect(group?.horizons[2]?.mean).toBe(10);
  });

  it("give no band where fewer than five stretches of the market were seen", () => {
    const fills = [0, 1, 2, 3].map((index) => ({
      atUs: index * 400_000,
      side: "BUY" as const,
      level: 0,
      ticks: 100,
      lots: 1,
    }));
    const [group] = markoutsOf([{ atUs: 0, halfTicks: 200 }], fills, 2 * SECOND).result();
    expect(group?.horizons[0]).toMatchObject({ blocks: 4, halfBand: undefined });
  });

  it("are those of the definition, group by group, whatever the run", () => {
    const mid = fc.record({
      atUs: fc.integer({ min: 1, max: 400 * SECOND }),
      halfTicks: fc.integer({ min: 1900, max: 2100 }),
    });
    const fill = fc.record({
      atUs: fc.oneof(
        fc.integer({ min: 1, max: 400 * SECOND }),
        fc.integer({ min: 1, max: 40 }).map((tenths) => tenths * 100_000),
      ),
      side: fc.constantFrom<Side>("BUY", "SELL"),
      level: fc.integer({ min: -2, max: 20 }),
      ticks: fc.integer({ min: 950, max: 1050 }),
      lots: fc.integer({ min: 1, max: 9 }),
    });
    const run = fc.tuple(fc.array(mid, { maxLength: 60 }), fc.array(fill, { maxLength: 60 }));
    fc.assert(
      fc.property(run, ([later, unordered]) => {
        const mids = [{ atUs: 0, halfTicks: 2000 }, ...later.sort((a, b) => a.atUs - b.atUs)];
        const fills = unordered.sort((a, b) => a.atUs - b.atUs);
        const endUs = 400 * SECOND;
        for (const group of markoutsOf(mids, fills, endUs).result()) {
          const own = fills.filter((one) => isIn(group, one));
          expect(group.fills).toBe(own.length);
          for (const [index, seconds] of MARKOUT_SECONDS.entries()) {
            const wanted = naive(mids, own, endUs, seconds);
            const found = group.horizons[index];
            if (wanted.count === 0) expect(found).toBeUndefined();
            else {
              expect(found).toMatchObject({ count: wanted.count, blocks: wanted.blocks });
              expect(found?.mean).toBeCloseTo(wanted.mean, 9);
              if (wanted.blocks < 5) expect(found?.halfBand).toBeUndefined();
              else expect(found?.halfBand).toBeCloseTo(wanted.halfBand, 6);
            }
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it("keep only the fills of the last five minutes", () => {
    const markouts = new Markouts();
    for (let second = 0; second < 20_000; second += 1) {
      markouts.settle(second * SECOND, 200);
      markouts.fill(second * SECOND, "BUY", 0, 100, 1);
    }
    expect(markouts.waiting).toBeLessThan(3000);
    markouts.settle(20_000 * SECOND, 200);
    expect(markouts.result()[0]?.horizons[7]?.count).toBe(20_000 - 300);
  });
});

describe("the quantile of the band", () => {
  it("is Student's, as tables print it", () => {
    // Two-sided 95 %: 4, 5, 10, 30 and 120 degrees of freedom.
    const printed: [number, number][] = [
      [4, 2.776],
      [5, 2.571],
      [10, 2.228],
      [30, 2.042],
      [120, 1.98],
    ];
    for (const [degrees, value] of printed)
      expect(Math.abs(studentQuantile(degrees) - value)).toBeLessThan(0.011);
  });
});
