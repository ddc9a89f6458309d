import { of } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import { avellanedaStoikov } from "#strategies/avellaneda-stoikov.js";
import { FillIntensityEstimator } from "#strategies/fill-intensity.js";
import { glft } from "#strategies/glft.js";
import { glftTerms } from "#strategies/glft-quotes.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { testContext, testView } from "./fixtures.js";

/** The test market is at 10,000 ticks, so that one basis point is one tick. */
const FIXED = {
  riskAversion: 0.05,
  sizeBase: 0.02,
  sigma: { sigmaTicks: 2 },
  kPerBps: 0.5,
  aPerSecond: 3,
};
const INTENSITY = { estimator: "rolling", windowMs: 60_000, depthTicks: 20, minCells: 20 } as const;

/**
 * Views 100 ms apart, in each of which takers reached some ticks beyond the mid, far ones seldom.
 */
function trading(count: number): MarketView[] {
  return Array.from({ length: count }, (_, at) => {
    const depth = at % 5 === 0 ? 1 + Math.floor(30 / (1 + (at % 30))) : Number.NaN;
    return testView({
      sequence: at + 1,
      timeMs: 100 * at,
      cause: at === 0 ? "start" : "timer",
      tradedHighTicks: 10_000 + depth,
    });
  });
}

function run(strategy: typeof glft, params: object, views: readonly MarketView[]): QuotesIntent[] {
  const intents: Intent[] = [];
  of(...views)
    .pipe(strategy.bind(params)(testContext()))
    .subscribe((intent) => intents.push(intent));
  return intents as QuotesIntent[];
}

/** The estimator's own result for the same views. */
function estimated(views: readonly MarketView[]) {
  const estimator = new FillIntensityEstimator({ cellMs: 100, refitMs: 5000, ...INTENSITY });
  for (const view of views) estimator.observe(view);
  if (estimator.estimate === undefined) throw new Error("the test's trades are too few");
  return estimator.estimate;
}

describe.each([
  ["glft", glft],
  ["avellaneda-stoikov", avellanedaStoikov],
] as const)("the intensity of %s", (name, strategy) => {
  it("is the given one until enough has traded, and estimated from then on", () => {
    const views = trading(400);
    const intents = run(strategy, { ...FIXED, intensity: INTENSITY }, views);
    const last = intents[intents.length - 1];
    // Up to the view that it answers: later fits may have left the quotes unchanged.
    const fit = estimated(views.slice(0, last.viewSequence));
    expect(intents[0].reason.terms).toMatchObject({
      aPerSecond: 3,
      kPerBps: 0.5,
      intensityEstimated: 0,
    });
    expect(intents[0].quotes).toEqual(run(strategy, FIXED, [views[0]])[0].quotes);
    expect(last.reason.terms.intensityEstimated).toBe(1);
    expect(last.reason.terms.aPerSecond).toBeCloseTo(fit.fillsPerSecond, 12);
    // At 10,000 ticks a tick is a basis point.
    expect(last.reason.terms.kPerBps).toBeCloseTo(fit.fillDecayPerTick, 12);
    const half =
      name === "glft"
        ? glftTerms({
            sigma: 2,
            drift: 0,
            fillsPerSecond: fit.fillsPerSecond,
            fillDecay: fit.fillDecayPerTick,
            riskAversion: 0.05,
            fillRiskAversion: 0.05,
            orderSize: 1,
          }).halfSpread
        : (0.05 * 4 * 60) / 2 + Math.log1p(0.05 / fit.fillDecayPerTick) / 0.05;
    expect(
      name === "glft" ? last.reason.terms.closedFormHalfSpreadTicks : last.reason.halfSpreadTicks,
    ).toBeCloseTo(half, 9);
  });

  it("stops it from quoting while it has to wait for an estimate, and it says so", () => {
    const views = trading(400);
    const intents = run(
      strategy,
      { ...FIXED, intensity: { ...INTENSITY, without: "wait" } },
      views,
    );
    expect(intents[0].quotes).toEqual([]);
    expect(intents[0].reason.clamps).toContain(
      "quotes: too few trades yet to estimate the fill intensity",
    );
    const last = intents[intents.length - 1];
    expect(last.quotes).toHaveLength(2);
    expect(last.reason.clamps).not.toContain(
      "quotes: too few trades yet to estimate the fill intensity",
    );
  });

  it("cancels its quotes again when the trades stop while it has to wait for estimates", () => {
    const views = trading(400);
    const silent = Array.from({ length: 700 }, (_, at) =>
      testView({ sequence: 401 + at, timeMs: 40_000 + 100 * at, cause: "timer" }),
    );
    const intents = run(strategy, { ...FIXED, intensity: { ...INTENSITY, without: "wait" } }, [
      ...views,
      ...silent,
    ]);
    expect(intents[intents.length - 1].quotes).toEqual([]);
  });

  it("is estimated separately for each subscription", () => {
    const operator = strategy.bind({ ...FIXED, intensity: INTENSITY })(testContext());
    of(...trading(400))
      .pipe(operator)
      .subscribe();
    const first: number[] = [];
    of(testView())
      .pipe(operator)
      .subscribe((intent) => first.push(intent.reason.terms.intensityEstimated));
    expect(first).toEqual([0]);
  });

  it.each([
    [{ estimator: "rolling", windowMs: 5000 }, /intensity\.windowMs: .*10000/],
    [{ estimator: "rolling", windowMs: 86_400_000, cellMs: 10 }, /intensity\.windowMs: .*1000000/],
    [{ estimator: "guess" }, /intensity\.estimator/],
    [{ windowMs: 60_000 }, /intensity\.estimator/],
    [{ estimator: "ewma", depthTicks: 2 }, /intensity\.depthTicks/],
    [{ estimator: "ewma", halfLifeMs: 5 }, /intensity\.halfLifeMs: unknown key/],
  ])("refuses %j", (intensity, named) => {
    const params = { ...FIXED, intensity };
    expect(() =>
      strategy.bind(params, { at: ["markets", "btcusdc", "params"] })(testContext()),
    ).toThrow(named);
  });
});
