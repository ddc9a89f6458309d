import { of } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import { glft } from "#strategies/glft.js";
import { GlftExactQuotes, type GlftModel, glftApproximateQuotes } from "#strategies/glft-quotes.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { testContext, testView } from "./fixtures.js";

/** The test market is at 10,000 ticks, so that one basis point is one tick; an order is 20 lots. */
const FIXED = {
  riskAversion: 0.05,
  sizeBase: 0.02,
  sigma: { sigmaTicks: 2 },
  kPerBps: 0.3,
  aPerSecond: 0.9,
};
const MODEL: GlftModel = {
  sigma: 2,
  drift: 0,
  fillsPerSecond: 0.9,
  fillDecay: 0.3,
  riskAversion: 0.05,
  fillRiskAversion: 0.05,
  orderSize: 1,
};

function run(params: object, views: readonly MarketView[]): QuotesIntent[] {
  const intents: Intent[] = [];
  of(...views)
    .pipe(glft.bind(params)(testContext()))
    .subscribe((intent) => intents.push(intent));
  return intents as QuotesIntent[];
}

const answer = (params: object, view = testView()) => run(params, [view])[0];
const prices = (intent: QuotesIntent) => intent.quotes.map(({ side, ticks }) => [side, ticks]);

describe("the Guéant-Lehalle-Fernandez-Tapia market maker", () => {
  it("quotes the exact distances of the inventory that it holds, in basis points of the mid and orders of sizeBase", () => {
    const { bid, ask } = new GlftExactQuotes(MODEL, 30).at(1);
    const intent = answer(FIXED, testView({ positionLots: 20 }));
    expect(prices(intent)).toEqual([
      ["BUY", Math.floor(10_000 - bid)],
      ["SELL", Math.ceil(10_000 + ask)],
    ]);
    expect(intent.reason.terms).toMatchObject({ inventory: 1, sigmaBps: 2, sigmaEstimated: 0 });
    expect(intent.reason.reservationTicks).toBeCloseTo(10_000 + (ask - bid) / 2, 9);
  });

  it("quotes the closed form when asked, with its drift", () => {
    const { bid, ask } = glftApproximateQuotes({ ...MODEL, drift: 0.1 }, -2);
    const intent = answer(
      { ...FIXED, method: "closed-form", driftBpsPerSecond: 0.1 },
      testView({ positionLots: -40, bid: 9980, ask: 10_020 }),
    );
    expect(prices(intent)).toEqual([
      ["BUY", Math.floor(10_000 - bid)],
      ["SELL", Math.ceil(10_000 + ask)],
    ]);
  });

  it("means the same on a market of another price and tick", () => {
    const dear = answer(
      { ...FIXED, sigma: { sigmaBps: 2 } },
      testView({ bid: 599_940, ask: 600_060, positionLots: 20 }),
    );
    const cheap = answer(FIXED, testView({ positionLots: 20 }));
    expect(dear.reason.halfSpreadTicks / 60).toBeCloseTo(cheap.reason.halfSpreadTicks, 9);
    expect(dear.reason.terms.skewTicks / 60).toBeCloseTo(cheap.reason.terms.skewTicks, 9);
  });

  it("quotes only the reducing side at the inventory bound, and says so", () => {
    const intent = answer({ ...FIXED, inventoryOrders: 3 }, testView({ positionLots: 60 }));
    expect(intent.quotes.map(({ side }) => side)).toEqual(["SELL"]);
    expect(intent.reason.clamps).toContain("bid: inventoryOrders");
    const short = answer({ ...FIXED, inventoryOrders: 3 }, testView({ positionLots: -80 }));
    expect(short.quotes.map(({ side }) => side)).toEqual(["BUY"]);
    expect(short.reason.clamps).toContain("ask: inventoryOrders");
    expect(Number.isFinite(short.reason.reservationTicks)).toBe(true);
  });

  it("counts inventory from the target", () => {
    const intent = answer({ ...FIXED, targetPositionBase: 0.04 }, testView({ positionLots: 40 }));
    expect(intent.reason.terms.inventory).toBe(0);
    expect(intent.reason.reservationTicks).toBeCloseTo(10_000, 9);
  });

  it("widens and skews by its factors, each alone", () => {
    const plain = answer(FIXED, testView({ positionLots: 20 }));
    const wide = answer({ ...FIXED, halfSpreadFactor: 3 }, testView({ positionLots: 20 }));
    expect(wide.reason.halfSpreadTicks).toBeCloseTo(3 * plain.reason.halfSpreadTicks, 9);
    expect(wide.reason.terms.skewTicks).toBeCloseTo(plain.reason.terms.skewTicks, 9);
    const leaning = answer({ ...FIXED, skewFactor: 0.5 }, testView({ positionLots: 20 }));
    expect(leaning.reason.terms.skewTicks).toBeCloseTo(plain.reason.terms.skewTicks / 2, 9);
    expect(leaning.reason.halfSpreadTicks).toBeCloseTo(plain.reason.halfSpreadTicks, 9);
    expect(
      answer({ ...FIXED, skewFactor: 0 }, testView({ positionLots: 20 })).reason.terms.skewTicks,
    ).toBeCloseTo(0, 9);
  });

  it("keeps the minimum half spread, and can have several levels", () => {
    const intent = answer({
      ...FIXED,
      sigma: { sigmaTicks: 0 },
      minHalfSpreadBps: 7,
      levels: 2,
      levelSpacingBps: 4,
    });
    expect(prices(intent)).toEqual([
      ["BUY", 9993],
      ["BUY", 9989],
      ["SELL", 10_007],
      ["SELL", 10_011],
    ]);
    expect(intent.reason.clamps).toContain("spread: minHalfSpreadBps");
  });

  it("ignores fill risk if configured so, and then quotes narrower", () => {
    const careless = answer({ ...FIXED, sigma: { sigmaTicks: 0 }, fillRiskAversion: 0 });
    const usual = answer({ ...FIXED, sigma: { sigmaTicks: 0 } });
    expect(careless.reason.halfSpreadTicks).not.toBeCloseTo(usual.reason.halfSpreadTicks, 3);
    expect(careless.reason.terms.closedFormHalfSpreadTicks).toBeCloseTo(1 / 0.3, 9);
  });

  it.each([
    [{ riskAversion: 0 }, "riskAversion"],
    [{ inventoryOrders: 0 }, "inventoryOrders"],
    [{ method: "guess" }, "method"],
    [{ sizeBase: 0.0015 }, "sizeBase"],
    [{ refreshToleranceBps: 1, refreshToleranceTicks: 1 }, "refreshTolerance"],
  ])("refuses %j", (wrong, named) => {
    expect(() =>
      glft.bind({ ...FIXED, ...wrong }, { at: ["markets", "ethusdc", "params"] })(testContext()),
    ).toThrow(named);
  });
});
