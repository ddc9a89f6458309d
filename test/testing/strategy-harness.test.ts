import assert from "node:assert/strict";
import { debounceTime, map, switchMap, take, throwError } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { quoteAround } from "#strategies/quote-around.js";
import { defineStrategy } from "#strategies/strategy.js";
import { makeView } from "#testing/make-view.js";
import { testStrategy } from "#testing/strategy-harness.js";
import { SKEWED, spreadOf, strategyOf } from "./strategies.js";

const FLAT = { bids: [[59_999.9, 1]], asks: [[60_000.1, 1]] } as const;

describe("a view in plain numbers", () => {
  it("is in ticks and lots and frozen through, so that a test misprices nothing and finds a strategy that writes", () => {
    const view = makeView({ ...FLAT, positionBase: -0.25, equityQuote: 1234.5, markPrice: 60_010 });
    expect(view).toMatchObject({
      marketId: "btcusdc",
      bids: [{ ticks: 599_999, lots: 1000 }],
      asks: [{ ticks: 600_001, lots: 1000 }],
      midTicks: 600_000,
      markTicks: 600_100,
      positionLots: -250,
      maxPositionLots: 1000,
      equity: 1_234_500_000n,
    });
    expect([view, view.bids, view.bids[0], view.asks[0]].every(Object.isFrozen)).toBe(true);
  });

  it.each([
    ["a price between two ticks", { ...FLAT, bids: [[59_999.95, 1]] as const }, "bids.0"],
    ["an amount below a lot", { ...FLAT, asks: [[60_000.1, 0.0001]] as const }, "asks.0"],
    ["no bid", { ...FLAT, bids: [] }, "bids"],
    ["a crossed book", { ...FLAT, bids: [[60_000.1, 1]] as const }, "bids"],
    ["a position that is not a number", { ...FLAT, positionBase: Number.NaN }, "positionBase"],
  ])("refuses %s, which no bot would be given", (_what, view, field) => {
    expect(() => makeView(view)).toThrow(expect.objectContaining({ name: "ConfigError", field }));
  });
});

describe("a strategy in virtual time", () => {
  it("answers each view with quotes that a test reads in plain numbers", () => {
    const harness = testStrategy(SKEWED, { params: { halfSpreadBps: 5, skewBps: 10 } });
    expect(harness.quotes).toEqual([]);
    const [emitted] = harness.push(FLAT);
    expect(emitted).toMatchObject({ afterView: 0, refusal: undefined });
    expect(harness.quotes).toEqual([
      { side: "BUY", level: 0, price: 59_970, sizeBase: 0.01 },
      { side: "SELL", level: 0, price: 60_030, sizeBase: 0.01 },
    ]);
    harness.push({ ...FLAT, positionBase: 0.5 });
    expect(harness.quotes.map(({ price }) => price)).toEqual([59_940, 60_000]);
  });

  it("fires a timer only when the test lets its time pass, to the millisecond", async () => {
    const late = strategyOf(
      ({ scheduler }) =>
        (view$) =>
          view$.pipe(
            debounceTime(500, scheduler),
            map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
          ),
    );
    const harness = testStrategy(late, { params: {}, startMs: 1_000_000 });
    harness.push(FLAT);
    expect(await harness.advance(499)).toEqual([]);
    expect(await harness.advance(1)).toMatchObject([{ timeMs: 1_000_500, afterView: 0 }]);
  });

  it("goes on with new parameters as after `marketwright set`, and refuses wrong ones", () => {
    const harness = testStrategy(SKEWED, { params: { halfSpreadBps: 5, skewBps: 0 } });
    harness.push(FLAT);
    harness.setParams({ halfSpreadBps: 10, skewBps: 0 });
    expect(harness.quotes.map(({ price }) => price)).toEqual([59_940, 60_060]);
    expect(() => harness.setParams({ halfSpreadBps: -1, skewBps: 0 })).toThrow(
      "params.halfSpreadBps",
    );
  });

  it("hands a strategy that follows changes its parameters without starting it again", () => {
    let starts = 0;
    const following = defineStrategy({
      params: z.object({ halfSpreadBps: z.number() }),
      create: (first, _context, changes) => {
        starts += 1;
        let { halfSpreadBps } = first;
        changes.follow({
          apply: (next) => {
            halfSpreadBps = next.halfSpreadBps;
          },
        });
        return (view$) =>
          view$.pipe(
            map((view) => quoteAround(view, view.midTicks, { halfSpreadBps, sizeBase: 0.01 })),
          );
      },
    });
    const harness = testStrategy(following, { params: { halfSpreadBps: 5 } });
    harness.push(FLAT);
    harness.setParams({ halfSpreadBps: 10 });
    expect(starts).toBe(1);
    expect(harness.quotes[0]?.price).toBe(59_940);
  });

  it("says why a bot would refuse an intent, and keeps the last good one in force", () => {
    const half = strategyOf(
      () => (view$) =>
        view$.pipe(
          map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
          map((intent, at) =>
            at === 0
              ? intent
              : { ...intent, quotes: intent.quotes.map((quote) => ({ ...quote, lots: 0.5 })) },
          ),
        ),
    );
    const harness = testStrategy(half, { params: {} });
    harness.push(FLAT);
    const [emitted] = harness.push(FLAT);
    expect(emitted?.refusal).toMatchObject({
      isBroken: true,
      why: expect.stringContaining("lots is 0.5"),
    });
    expect(harness.quotes[0]?.price).toBe(59_970);
  });

  it("compiles two assertions on the intent in one test, of which the second may differ", () => {
    const turning = strategyOf(
      () => (view$) =>
        view$.pipe(
          map((view, at) => {
            const { quotes: _, ...intent } = quoteAround(view, view.midTicks, {
              halfSpreadBps: 5,
              sizeBase: 0.01,
            });
            if (at === 0) return { ...intent, quotes: [] };
            const schedule = { sliceLots: 1, everyMs: 1000 };
            const deadlineMs = view.timeMs + 60_000;
            const target = { targetLots: 0, worstTicks: 600_000, schedule, deadlineMs };
            return { ...intent, kind: "target" as const, ...target };
          }),
        ),
    );
    const harness = testStrategy(turning, { params: {} });
    assert.equal(harness.intent(), undefined);
    harness.push(FLAT);
    assert.equal(harness.intent()?.kind, "quotes");
    harness.push(FLAT);
    assert.equal(harness.intent()?.kind, "target");
    assert.equal(harness.failure(), undefined);
  });

  it.each([
    [
      "throws",
      strategyOf(
        () => (view$) => view$.pipe(switchMap(() => throwError(() => new Error("no idea")))),
      ),
      "strategy failed: no idea",
    ],
    [
      "writes to a view",
      spreadOf((view) => {
        (view as { positionLots: number }).positionLots = 0;
        return 5;
      }),
      "Cannot assign to read only property 'positionLots'",
    ],
  ])(
    "fails the test of a strategy that %s, then and at each later view",
    (_does, strategy, why) => {
      const harness = testStrategy(strategy, { params: {} });
      expect(() => harness.push(FLAT)).toThrow(why);
      expect(() => harness.push(FLAT)).toThrow(why);
      expect(harness.failure()?.message).toContain(why);
    },
  );

  it("fails the test of a strategy that completes: a bot would halt its market", () => {
    const ending = strategyOf(
      () => (view$) =>
        view$.pipe(
          take(1),
          map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
        ),
    );
    expect(() => testStrategy(ending, { params: {} }).push(FLAT)).toThrow("strategy completed");
  });

  it("draws the same numbers for the same seed, and others for another", () => {
    const drawn = (seed: number): number =>
      testStrategy(SKEWED, {
        params: { halfSpreadBps: 5, skewBps: 0 },
        seed,
      }).context.random.uniform();
    expect(drawn(1)).toBe(drawn(1));
    expect(drawn(1)).not.toBe(drawn(2));
  });
});
