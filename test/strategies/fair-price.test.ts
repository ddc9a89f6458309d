import fc from "fast-check";
import { of } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import { builtInStrategies } from "#strategies/built-in.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { testContext, testView } from "./fixtures.js";
import { testReference } from "./test-reference.js";

const PARAMS = {
  ladder: { halfSpreadBps: 5, sizeBase: 0.02, levels: 2, priceSkewBps: 4 },
  "avellaneda-stoikov": { riskAversion: 0.05, sizeBase: 0.02, levels: 2 },
  glft: { riskAversion: 0.05, sizeBase: 0.02, levels: 2 },
} as const;

/** The intents of a strategy for views, in order. */
function intents(name: keyof typeof PARAMS, params: object, views: MarketView[]): QuotesIntent[] {
  const found: Intent[] = [];
  of(...views)
    .pipe(builtInStrategies[name].bind({ ...PARAMS[name], ...params })(testContext()))
    .subscribe((intent) => found.push(intent));
  return found as QuotesIntent[];
}

const names = Object.keys(PARAMS) as (keyof typeof PARAMS)[];

describe.each(names)("%s with fair: reference", (name) => {
  it("quotes around the reference price plus the basis, as it does around such a mid", () => {
    // The touch is far, so that neither set of quotes is kept behind it.
    const wide = { bid: 9000, ask: 11_000 };
    const view = testView({
      ...wide,
      reference: testReference({ priceTicks: 10_040, basisBps: 20 }),
    });
    const shifted = testView({ bid: 9060.08, ask: 11_060.08 });
    const [byReference] = intents(name, { fair: "reference" }, [view]);
    const [byMid] = intents(name, {}, [shifted]);
    // 10,040 and 20 basis points of it.
    expect(byReference.reason.fairTicks).toBeCloseTo(10_060.08, 9);
    expect(byReference.quotes).toEqual(byMid.quotes);
    expect(byReference.quotes).toHaveLength(4);
    expect(byReference.reason.terms).toMatchObject({ ...byMid.reason.terms, fairIsReference: 1 });
  });

  it("never crosses the exchange's touch, however far away the reference is", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 5000, max: 20_000, noNaN: true }),
        fc.integer({ min: -2000, max: 2000 }),
        (priceTicks, positionLots) => {
          const view = testView({ reference: testReference({ priceTicks }), positionLots });
          for (const { quotes } of intents(name, { fair: "reference" }, [view]))
            for (const { side, ticks } of quotes)
              expect(side === "BUY" ? ticks < 10_001 : ticks > 9999).toBe(true);
        },
      ),
    );
  });

  it("quotes as with fair: mid while there is no good reference", () => {
    const bad = testReference({ priceTicks: Number.NaN });
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            bid: fc.integer({ min: 9900, max: 10_100 }),
            width: fc.integer({ min: 1, max: 20 }),
            positionLots: fc.integer({ min: -2000, max: 2000 }),
          }),
          { minLength: 1, maxLength: 20 },
        ),
        fc.boolean(),
        (steps, isNamed) => {
          const views = (reference: MarketView["reference"]): MarketView[] =>
            steps.map(({ bid, width, positionLots }, at) =>
              testView({ bid, ask: bid + width, positionLots, reference, timeMs: at * 500 }),
            );
          const fallback = intents(name, { fair: "reference" }, views(isNamed ? bad : undefined));
          const byMid = intents(name, { fair: "mid" }, views(testReference({ priceTicks: 9000 })));
          expect(fallback.map(({ quotes }) => quotes)).toEqual(byMid.map(({ quotes }) => quotes));
          for (const { reason } of fallback) expect(reason.terms.fairIsReference).toBe(0);
          for (const { reason } of byMid)
            expect(reason.terms).not.toHaveProperty("fairIsReference");
        },
      ),
    );
  });

  it("says that its market needs a reference, and with fair: mid that it needs none", () => {
    const bound = (fair: string) => builtInStrategies[name].bind({ ...PARAMS[name], fair });
    expect(bound("reference").needsReference).toBe(true);
    expect(bound("mid").needsReference).toBe(false);
  });
});

describe.each(["avellaneda-stoikov", "glft"] as const)("%s with fair: reference", (name) => {
  it("estimates the volatility from this market's mid, also when the reference comes and goes", () => {
    const sigma = { estimator: "rolling", windowMs: 60_000, sampleMs: 1000 };
    const views = (withReference: boolean): MarketView[] =>
      Array.from({ length: 40 }, (_none, at) =>
        testView({
          bid: 9990 + (at % 2) * 4,
          ask: 10_010 + (at % 2) * 4,
          timeMs: at * 1000,
          reference:
            withReference && at % 3 > 0 ? testReference({ priceTicks: 10_500 }) : undefined,
        }),
      );
    const last = (found: QuotesIntent[]) => found[found.length - 1].reason.terms;
    const byReference = last(intents(name, { fair: "reference", sigma }, views(true)));
    const byMid = last(intents(name, { sigma }, views(false)));
    // The mid moves by 4 ticks a second.
    expect(byReference.sigmaTicks).toBeCloseTo(4, 9);
    expect(byMid.sigmaTicks).toBeCloseTo(4, 9);
    expect(byReference.sigmaEstimated).toBe(1);
  });
});
