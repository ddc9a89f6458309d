import { of, Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import { imbalance } from "#strategies/imbalance.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { ladder } from "#strategies/ladder.js";
import { ParamsChannel } from "#strategies/params-changes.js";
import { testContext, testView } from "./fixtures.js";

const PARAMS = { halfSpreadTicks: 10, sizeBase: 0.1 };
const FAST = {
  imbalanceBuckets: 2,
  maxSpreadTicks: 1,
  sampleMs: 1000,
  refitMs: 1000,
  leastMoves: 10,
};

/** A touch of one tick. A heavy bid is followed by a tick up, a light one by a tick down. */
function viewAt(second: number, ticks = second % 2 === 0 ? 9999 : 10_000): MarketView {
  return testView({
    sequence: second + 1,
    timeMs: 1_000_000 + second * 1000,
    bids: [{ ticks, lots: second % 2 === 0 ? 90 : 10 }],
    asks: [{ ticks: ticks + 1, lots: 50 }],
  });
}

function intents(strategy: object, views: readonly MarketView[]): QuotesIntent[] {
  const found: Intent[] = [];
  of(...views)
    .pipe(imbalance.bind({ ...PARAMS, ...strategy })(testContext()))
    .subscribe((intent) => found.push(intent));
  return found as QuotesIntent[];
}
const SECONDS = Array.from({ length: 60 }, (_, second) => viewAt(second));

describe("the imbalance market maker", () => {
  it("quotes around the mid until it has seen enough moves, and around its prediction then", () => {
    const found = intents({ fit: FAST }, SECONDS);
    const [first, last] = [found[0], found.at(-1)];
    expect(first?.reason).toMatchObject({ fairTicks: 9999.5, terms: { signalEstimated: 0 } });
    // The last view has a light bid: the next move is down.
    expect(last?.reason.terms.signalEstimated).toBe(1);
    expect(last?.reason.terms.predictedTicks).toBeLessThan(0);
    expect(last?.reason.fairTicks).toBeCloseTo(
      10_000.5 + (last?.reason.terms.predictedTicks ?? Number.NaN),
      9,
    );
  });

  it("is the ladder around the mid at weight 0, to the last quote", () => {
    const found: Intent[] = [];
    of(...SECONDS)
      .pipe(ladder.bind({ ...PARAMS, priceSkewBps: 3, levels: 2 })(testContext()))
      .subscribe((intent) => found.push(intent));
    const own = intents({ fit: FAST, signalWeight: 0, priceSkewBps: 3, levels: 2 }, SECONDS);
    expect(own.map(({ quotes }) => quotes)).toEqual(
      found.map((intent) => (intent as QuotesIntent).quotes),
    );
  });

  it("takes the weighted mid for fair if the file says so", () => {
    const [only] = intents({ signal: "weighted-mid" }, [viewAt(0)]);
    // 9999 and 10,000, with 90 bid and 50 offered.
    expect(only?.reason.fairTicks).toBeCloseTo(9999 + 90 / 140, 9);
    expect(only?.reason.terms).not.toHaveProperty("signalEstimated");
  });

  it("states the move that it predicts at each view, before weight and inventory, and none before a fit", () => {
    const predicted: number[] = [];
    const context = testContext({ predictMove: (ticks) => void predicted.push(ticks) });
    const params = { ...PARAMS, priceSkewBps: 3, signalWeight: 0, refreshToleranceTicks: 100 };
    const play = (signal: object, views: readonly MarketView[]) => {
      of(...views.map((view) => ({ ...view, positionLots: 100 })))
        .pipe(imbalance.bind({ ...params, ...signal })(context))
        .subscribe();
      return predicted.splice(0);
    };
    // 90 and 10 bid, 50 offered, a tick apart.
    const weighted = play({ signal: "weighted-mid" }, SECONDS.slice(0, 3));
    for (const [at, lots] of [90, 10, 90].entries())
      expect(weighted[at]).toBeCloseTo(lots / (lots + 50) - 0.5, 9);
    expect(weighted).toHaveLength(3);
    const fitted = play({ fit: FAST }, SECONDS);
    expect(fitted.length).toBeGreaterThan(30);
    expect(fitted.length).toBeLessThan(SECONDS.length);
    // The last view has a light bid: the next move is down.
    expect(fitted.at(-1)).toBeLessThan(0);
  });

  it("keeps its samples when other parameters change, and begins anew with another window", () => {
    const channel = new ParamsChannel();
    const bound = imbalance.bind({ ...PARAMS, fit: FAST });
    const view$ = new Subject<MarketView>();
    const found: Intent[] = [];
    view$.pipe(bound(testContext(), channel)).subscribe((intent) => found.push(intent));
    for (const view of SECONDS) view$.next(view);
    channel.apply(bound.rebind?.({ ...PARAMS, halfSpreadTicks: 20, fit: FAST }).params);
    view$.next(viewAt(60));
    expect(found.at(-1)?.reason.terms.signalEstimated).toBe(1);
    const other = { ...FAST, windowMs: 900_000 };
    channel.apply(bound.rebind?.({ ...PARAMS, halfSpreadTicks: 20, fit: other }).params);
    view$.next(viewAt(61, 10_020));
    expect(found.at(-1)?.reason.terms.signalEstimated).toBe(0);
  });

  it.each([
    [{ signal: "oracle" }, "signal"],
    [{ fit: { imbalanceBuckets: 1 } }, "fit.imbalanceBuckets"],
    [{ fit: { window: 10_000 } }, "fit.window"],
    [{ signalWeight: -1 }, "signalWeight"],
    [{ halfSpreadBps: 3 }, "halfSpreadTicks"],
    [{ sizeBase: 0.0005 }, "sizeBase"],
  ])("refuses %j by name", (params, field) => {
    expect(() => intents(params, [viewAt(0)])).toThrow(field);
  });
});
