import { of } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import { avellanedaStoikov } from "#strategies/avellaneda-stoikov.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { testContext, testView } from "./fixtures.js";

/** The test market is at 10,000 ticks, so that one basis point is one tick. */
const FIXED = { riskAversion: 0.05, horizonMs: 60_000, sizeBase: 0.02, sigma: { sigmaTicks: 2 } };

function run(params: object, views: readonly MarketView[]): QuotesIntent[] {
  const intents: Intent[] = [];
  of(...views)
    .pipe(avellanedaStoikov.bind(params)(testContext()))
    .subscribe((intent) => intents.push(intent));
  return intents as QuotesIntent[];
}

const answer = (params: object, view = testView()) => run(params, [view])[0];

describe("the Avellaneda-Stoikov quotes", () => {
  it("are the paper's, in basis points of the mid and orders of sizeBase", () => {
    const intent = answer(FIXED, testView({ positionLots: 40 }));
    const risk = 0.05 * 4 * 60;
    const half = risk / 2 + 20 * Math.log(1.1);
    expect(intent.reason.fairTicks).toBe(10_000);
    expect(intent.reason.reservationTicks).toBeCloseTo(10_000 - 2 * risk, 9);
    expect(intent.reason.halfSpreadTicks).toBeCloseTo(half, 9);
    expect(intent.reason.terms).toMatchObject({
      inventory: 2,
      sigmaTicks: 2,
      sigmaBps: 2,
      sigmaEstimated: 0,
      secondsLeft: 60,
    });
    expect(intent.quotes).toEqual([
      { side: "BUY", level: 0, ticks: Math.floor(10_000 - 2 * risk - half), lots: 20 },
      // A long position puts the model's ask below the bid of the market: the touch limits it.
      { side: "SELL", level: 0, ticks: 10_000, lots: 20 },
    ]);
    expect(intent.reason.clamps).toEqual(["ask 0: post-only"]);
  });

  it("mean the same on a market of another price and tick", () => {
    const dear = answer(
      { ...FIXED, sigma: { sigmaBps: 2 } },
      testView({ bid: 599_990, ask: 600_010, positionLots: 20 }),
    );
    const cheap = answer({ ...FIXED, sigma: { sigmaBps: 2 } }, testView({ positionLots: 20 }));
    expect(dear.reason.halfSpreadTicks / 60).toBeCloseTo(cheap.reason.halfSpreadTicks, 9);
    expect(dear.reason.terms.skewTicks / 60).toBeCloseTo(cheap.reason.terms.skewTicks, 6);
  });

  it("use sigma unsquared and inventory as a share of its limit in the normalised form", () => {
    const intent = answer(
      { ...FIXED, variant: "normalised", riskAversion: 1 },
      testView({ positionLots: 500, maxPositionLots: 2000 }),
    );
    expect(intent.reason.terms.inventory).toBe(0.25);
    expect(intent.reason.reservationTicks).toBeCloseTo(10_000 - 0.25 * 2, 9);
    expect(intent.reason.halfSpreadTicks).toBeCloseTo(1 + Math.log(3), 9);
  });

  it("count inventory from the target", () => {
    expect(
      answer({ ...FIXED, targetPositionBase: 0.04 }, testView({ positionLots: 40 })).reason
        .reservationTicks,
    ).toBeCloseTo(10_000, 9);
  });

  it("are never nearer than the minimum half spread, and say so", () => {
    const intent = answer({ ...FIXED, sigma: { sigmaTicks: 0 }, minHalfSpreadBps: 7 });
    expect(intent.quotes.map(({ ticks }) => ticks)).toEqual([9993, 10_007]);
    expect(intent.reason.clamps).toEqual(["spread: minHalfSpreadBps"]);
    expect(intent.reason.halfSpreadTicks).toBeCloseTo(20 * Math.log(1.1), 9);
  });

  it("can have several levels", () => {
    const intent = answer({ ...FIXED, sigma: { sigmaTicks: 0 }, levels: 3, levelSpacingBps: 4 });
    expect(intent.quotes.map(({ ticks, level }) => [level, ticks])).toEqual([
      [0, 9998],
      [1, 9994],
      [2, 9990],
      [0, 10_002],
      [1, 10_006],
      [2, 10_010],
    ]);
  });

  it("do not depend on A: the paper's expansion drops it", () => {
    expect(answer({ ...FIXED, aPerSecond: 500 })).toEqual(answer(FIXED));
  });
});

describe("the horizon", () => {
  const at = (timeMs: number, sequence = 1) => testView({ timeMs, sequence, positionLots: 1 });

  it("rolls: the risk of holding is the same at any time", () => {
    expect(run(FIXED, [at(1_000_000), at(1_030_000, 2), at(5_000_000, 3)])).toHaveLength(1);
  });

  it("repeats: it runs down from the first view, and starts again", () => {
    const seconds = run({ ...FIXED, horizon: "repeating" }, [
      at(7000),
      at(22_000, 2),
      at(66_999, 3),
      at(67_000, 4),
      at(97_000, 5),
    ]).map(({ reason }) => reason.terms.secondsLeft);
    expect(seconds).toEqual([60, 45, expect.closeTo(0.001, 9), 60, 30]);
  });

  it("keeps a share between 0 and 1 when the clock steps back", () => {
    const [, back] = run({ ...FIXED, horizon: "repeating" }, [at(100_000), at(85_000, 2)]);
    expect(back.reason.terms.secondsLeft).toBe(15);
  });
});

describe("sigma", () => {
  const moving = (seconds: number) =>
    Array.from({ length: seconds }, (_, second) =>
      testView({
        sequence: second + 1,
        timeMs: second * 1000,
        bid: 9999 + 6 * (second % 2),
        ask: 10_001 + 6 * (second % 2),
      }),
    );

  it.each(["ewma", "rolling"])(
    "is estimated by %s from the mids of the views, and the default until there are enough",
    (estimator) => {
      const intents = run(
        { ...FIXED, sigma: { estimator, windowMs: 20_000, sampleMs: 1000, initialBps: 3 } },
        moving(60),
      );
      const [first] = intents;
      const last = intents[intents.length - 1];
      expect(first.reason.terms).toMatchObject({ sigmaEstimated: 0, sigmaTicks: 3 });
      expect(last.reason.terms.sigmaEstimated).toBe(1);
      expect(last.reason.terms.sigmaTicks).toBeCloseTo(6, 9);
    },
  );

  it("is estimated separately for each subscription", () => {
    const operator = avellanedaStoikov.bind({ ...FIXED, sigma: { estimator: "ewma" } })(
      testContext(),
    );
    const estimated: number[] = [];
    of(...moving(40))
      .pipe(operator)
      .subscribe();
    of(testView())
      .pipe(operator)
      .subscribe((intent) => estimated.push(intent.reason.terms.sigmaEstimated));
    expect(estimated).toEqual([0]);
  });
});

describe("the parameters", () => {
  const error = (params: object) => {
    try {
      avellanedaStoikov.bind(params, { at: ["markets", "btcusdc", "params"] })(testContext());
    } catch (thrown) {
      return (thrown as Error).message;
    }
    return "";
  };

  it("need no more than the risk aversion and the size", () => {
    const intent = answer({ riskAversion: 0.05, horizonMs: 60_000, sizeBase: 0.02 });
    // At a volatility of one basis point per root second: half of 0.05 * 60 for risk, 1.9 for the
    // chance of a fill.
    expect(intent.quotes.map(({ ticks }) => ticks)).toEqual([9996, 10_004]);
    expect(error({ riskAversion: 0.05, sizeBase: 0.02 })).toBe("");
  });

  it("name what is wrong with them", () => {
    expect(error({ ...FIXED, riskAversion: 0 })).toMatch(/params\.riskAversion: must not be zero/);
    expect(error({ ...FIXED, gamma: 1 })).toMatch(/params\.gamma: unknown key/);
    expect(error({ ...FIXED, variant: "papers" })).toMatch(
      /params\.variant: .*did you mean paper\?/,
    );
    expect(
      error({ ...FIXED, sigma: { estimator: "ewma", windowMs: 5000, sampleMs: 1000 } }),
    ).toMatch(/params\.sigma\.windowMs: .*10000/);
    expect(error({ ...FIXED, sigma: { sigmaTicks: 1, sigmaBps: 1 } })).toMatch(/params\.sigma/);
    expect(error({ ...FIXED, sizeBase: 0.02055 })).toMatch(/params\.sizeBase: .*0\.02055/);
  });
});
