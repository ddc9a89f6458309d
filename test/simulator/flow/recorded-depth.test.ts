import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import type { Side } from "#core/units.js";
import { CapturedDepth } from "#simulator/captured-depth.js";
import type { RecordedMessage } from "#simulator/flow-market.js";
import { btcGrid, readAll, recordedCapture } from "./capture-fixture.js";
import { goldenEndOfDay, goldenLocalBooks } from "./golden.js";

function levels(
  depth: CapturedDepth,
  side: Side,
  count = Number.POSITIVE_INFINITY,
): [number, number][] {
  const found: [number, number][] = [];
  depth.forEachLevel(side, (ticks, lots) => found.push([ticks, lots]) < count);
  return found;
}

const onGrid = ([price, amount]: readonly [number, number]): [number, number] => [
  btcGrid.parsePrice(price.toFixed(1)),
  btcGrid.parseAmount(amount.toFixed(3)),
];

describe("the recorded book", () => {
  it("ends the capture of 2024-08-08 as the published one: 9,597 levels, its best bids and last asks", async ({
    skip,
  }) => {
    const files = recordedCapture("btcusdt-perp_20240808");
    if (files === null) return skip("no recorded data");
    const golden = goldenEndOfDay(files);
    const depth = new CapturedDepth();
    for (const event of await readAll(files))
      if (event.kind === "snapshot" || event.kind === "update") depth.apply(event);
    expect(golden.levels).toBe(9_597);
    expect(depth.levels).toBe(9_597);
    expect(levels(depth, "BUY", 5)).toEqual(golden.bestBids.map(onGrid));
    expect(levels(depth, "SELL").slice(-5)).toEqual(golden.worstAsks.map(onGrid));
  });

  it("shows a reader on the recorder's side of the wire the five published books of 2024-07-19", async ({
    skip,
  }) => {
    const files = recordedCapture("btcusdt-perp_20240718-19");
    if (files === null) return skip("no recorded data");
    const { checkpoints, localNsOf } = goldenLocalBooks(files);
    // Local events are ordered by the recorder's lines. They are visible once received, by its
    // clock corrected by the offset.
    const messages = (await readAll(files)).sort((a, b) => a.line - b.line);
    const depth = new CapturedDepth();
    let next = 0;
    for (const checkpoint of checkpoints) {
      for (
        let event = messages[next];
        event !== undefined && localNsOf(event) <= BigInt(checkpoint.localTimeNs);
        event = messages[next]
      ) {
        if (event.kind === "snapshot" || event.kind === "update") depth.apply(event);
        next += 1;
      }
      expect([levels(depth, "BUY", 3), levels(depth, "SELL", 3)]).toEqual([
        checkpoint.bids.map(onGrid),
        checkpoint.asks.map(onGrid),
      ]);
    }
    expect(checkpoints).toHaveLength(5);
  });

  it("keeps levels beyond a snapshot's worst one, and drops those missing inside its range", () => {
    const depth = new CapturedDepth();
    depth.apply({ kind: "update", bids: [100, 5, 99, 5, 90, 5], asks: [101, 5, 102, 5, 120, 5] });
    const change = depth.apply({ kind: "snapshot", bids: [99, 7, 95, 1], asks: [103, 2] });
    expect(levels(depth, "BUY")).toEqual([
      [99, 7],
      [95, 1],
      [90, 5],
    ]);
    expect(levels(depth, "SELL")).toEqual([
      [103, 2],
      [120, 5],
    ]);
    expect(change).toEqual({ bids: [100, 0, 99, 7, 95, 1], asks: [101, 0, 102, 0, 103, 2] });
  });

  it("never trades the same recorded liquidity twice, and restores a level once the recording changes it", () => {
    const depth = new CapturedDepth();
    depth.apply({ kind: "update", bids: [], asks: [101, 5, 102, 9] });
    depth.take("SELL", 101, 5);
    expect(depth.best("SELL")).toBe(102);
    expect(depth.lotsAt("SELL", 101)).toBe(0);
    expect(() => depth.take("SELL", 101, 1)).toThrow(RunError);
    // A repeated amount is not a change.
    expect(depth.apply({ kind: "update", bids: [], asks: [101, 5] })).toEqual({
      bids: [],
      asks: [],
    });
    expect(depth.apply({ kind: "snapshot", bids: [], asks: [101, 5, 102, 8] })).toEqual({
      bids: [],
      asks: [102, 8],
    });
    expect(depth.lotsAt("SELL", 101)).toBe(0);
    expect(depth.apply({ kind: "update", bids: [], asks: [101, 4] })).toEqual({
      bids: [],
      asks: [101, 4],
    });
    expect(depth.best("SELL")).toBe(101);
    expect(depth.lotsAt("SELL", 101)).toBe(4);
  });

  it("equals a plain map of prices after any messages and trades", () => {
    const side = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 3_000 }), fc.nat(3)), { maxLength: 12 })
      .map((pairs) => pairs.flat());
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom<"snapshot" | "update">("update", "update", "snapshot"),
        bids: side,
        asks: side,
      }),
      fc.record({
        kind: fc.constant<"take">("take"),
        side: fc.constantFrom<Side>("BUY", "SELL"),
        lots: fc.integer({ min: 1, max: 2 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const depth = new CapturedDepth();
        const naive = {
          BUY: new Map<number, { lots: number; taken: number }>(),
          SELL: new Map<number, { lots: number; taken: number }>(),
        };
        for (const each of steps) {
          if (each.kind === "take") {
            const best = depth.best(each.side);
            if (best === undefined) continue;
            const lots = Math.min(each.lots, depth.lotsAt(each.side, best));
            depth.take(each.side, best, lots);
            const level = naive[each.side].get(best);
            if (level !== undefined) level.taken += lots;
            continue;
          }
          depth.apply(each);
          applyNaively(naive.BUY, each.kind, each.bids, 1);
          applyNaively(naive.SELL, each.kind, each.asks, -1);
        }
        for (const [name, direction] of [
          ["BUY", -1],
          ["SELL", 1],
        ] as const) {
          const expected = [...naive[name]]
            .filter(([, { lots, taken }]) => lots > taken)
            .map(([ticks, { lots, taken }]) => [ticks, lots - taken]);
          expect(levels(depth, name)).toEqual(expected.sort((a, b) => direction * (a[0] - b[0])));
        }
        expect(depth.levels).toBe(naive.BUY.size + naive.SELL.size);
      }),
    );
  });

  it("grows past its first thousand levels", () => {
    const depth = new CapturedDepth();
    const pairs = Array.from({ length: 5_000 }, (_, i) => [
      ((i * 7_919) % 5_000) + 1,
      i + 1,
    ]).flat();
    depth.apply({ kind: "update", bids: pairs, asks: [] });
    expect(depth.levels).toBe(5_000);
    expect(levels(depth, "BUY", 2).map(([ticks]) => ticks)).toEqual([5_000, 4_999]);
  });
});

function applyNaively(
  side: Map<number, { lots: number; taken: number }>,
  kind: RecordedMessage["kind"],
  pairs: readonly number[],
  better: 1 | -1,
): void {
  const named = new Map<number, number>();
  for (let i = 0; i < pairs.length; i += 2) named.set(pairs[i], pairs[i + 1]);
  if (kind === "snapshot" && named.size > 0) {
    const worst = Math.min(...[...named.keys()].map((ticks) => better * ticks));
    for (const ticks of [...side.keys()])
      if (better * ticks >= worst && !named.has(ticks)) side.delete(ticks);
  }
  const sequence =
    kind === "snapshot"
      ? [...named]
      : pairs.flatMap((ticks, i): [number, number][] =>
          i % 2 === 0 ? [[ticks, pairs[i + 1]]] : [],
        );
  for (const [ticks, lots] of sequence) {
    if (lots === 0) side.delete(ticks);
    else if (side.get(ticks)?.lots !== lots) side.set(ticks, { lots, taken: 0 });
  }
}
