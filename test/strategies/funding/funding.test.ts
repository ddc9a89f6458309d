import fc from "fast-check";
import { of, Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import { funding } from "#strategies/funding.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { ladder } from "#strategies/ladder.js";
import { ParamsChannel } from "#strategies/params-changes.js";
import { testContext, testView } from "../fixtures.js";

const HOUR_MS = 3_600_000;
const NOW_MS = 1_000 * HOUR_MS;
/** 100 lots an order; a price variance of 0.04 times 28,800 = 1152 square basis points. */
const PARAMS = {
  halfSpreadTicks: 10,
  sizeBase: 0.1,
  riskAversion: 0.0005,
  sigma: { sigmaBps: 0.2 },
  rate: { persistence: 0, residualBps: 0 },
};
/** The limit of the test market is 20 orders, so a target moves in whole orders. */
const LIMIT_ORDERS = 20;

function viewAt(changes: Partial<MarketView> = {}): MarketView {
  return testView({
    timeMs: NOW_MS,
    nextFundingMs: NOW_MS + HOUR_MS,
    fundingRate: 0.0005,
    ...changes,
  });
}

function intents(
  params: object,
  views: readonly MarketView[],
  makerFeeBps = 0,
): readonly QuotesIntent[] {
  const found: Intent[] = [];
  of(...views)
    .pipe(funding.bind({ ...PARAMS, ...params })(testContext({ makerFeeBps: () => makerFeeBps })))
    .subscribe((intent) => found.push(intent));
  return found as QuotesIntent[];
}

const reasonAt = (view: MarketView, params: object = {}, makerFeeBps = 0) =>
  intents(params, [view], makerFeeBps)[0]?.reason;
const targetAt = (...inputs: Parameters<typeof reasonAt>): number =>
  reasonAt(...inputs)?.terms.targetOrders ?? Number.NaN;

describe("a market maker that leans towards the funding", () => {
  it("holds against the side that pays: short at a positive rate, long at a negative one", () => {
    // 5 bps in an hour, held with a chance of exp(-1/8): 4.4125 bps, / (0.0005 * 1152) = 7.66.
    expect(reasonAt(viewAt())?.terms).toMatchObject({
      targetOrders: -7,
      fundingRateBps: 5,
      carryBps: -5 * Math.exp(-1 / 8),
      feesBps: 0,
      secondsToFunding: 3600,
    });
    expect(targetAt(viewAt({ fundingRate: -0.0005 }))).toBe(7);
  });

  it("quotes as the ladder does with that target position", () => {
    const found: Intent[] = [];
    of(viewAt())
      .pipe(
        ladder.bind({
          halfSpreadTicks: 10,
          sizeBase: 0.1,
          priceSkewBps: 20,
          targetPositionBase: -0.7,
        })(testContext()),
      )
      .subscribe((intent) => found.push(intent));
    const [own] = intents({ priceSkewBps: 20 }, [viewAt()]);
    expect(own?.quotes).toEqual((found[0] as QuotesIntent).quotes);
    expect(own?.reason.reservationTicks).toBeCloseTo(10_000 - 20 * (7 / 20), 9);
  });

  it("wants no position within its fees, and keeps one whose fees are spent", () => {
    const view = viewAt();
    // In and out cost 6 bps, and 4.41 are paid.
    expect(reasonAt(view, {}, 3)).toMatchObject({
      terms: { targetOrders: 0, feesBps: 6 },
      clamps: ["target: the carry does not pay its fees"],
    });
    expect(targetAt({ ...view, positionLots: -400 }, {}, 3)).toBe(-4);
    expect(targetAt({ ...view, positionLots: -1200 }, {}, 3)).toBe(-7);
    expect(targetAt({ ...view, positionLots: 400 }, {}, 3)).toBe(0);
    // A rebate is no reason to hold.
    expect(targetAt(view, {}, -3)).toBe(-7);
  });

  it.each([
    ["none is announced yet", { nextFundingMs: 0 }],
    ["the announced time has passed", { nextFundingMs: NOW_MS }],
    ["the rate is not known", { fundingRate: Number.NaN }],
  ])("does not lean while %s, and says so", (_why, changes) => {
    const reason = reasonAt(viewAt(changes));
    expect(reason?.terms.targetOrders).toBe(0);
    expect(reason?.clamps).toEqual(["target: no funding is announced"]);
    expect(reason?.terms.skewTicks).toBeCloseTo(0, 12);
  });

  it("never wants more than the limit, on the side that is paid, and the opposite at the opposite rate", () => {
    fc.assert(
      fc.property(
        fc.record({
          fundingRate: fc.double({ min: -0.04, max: 0.04, noNaN: true }),
          positionLots: fc.integer({ min: -2000, max: 2000 }),
          untilMs: fc.integer({ min: 1, max: 8 * HOUR_MS }),
          makerFeeBps: fc.double({ min: -2, max: 10, noNaN: true }),
          riskAversion: fc.double({ min: 1e-6, max: 1, noNaN: true }),
        }),
        ({ fundingRate, positionLots, untilMs, makerFeeBps, riskAversion }) => {
          const view = viewAt({ fundingRate, positionLots, nextFundingMs: NOW_MS + untilMs });
          const [intent] = intents({ riskAversion }, [view], makerFeeBps);
          const target = intent?.reason.terms.targetOrders ?? Number.NaN;
          expect(Math.abs(target)).toBeLessThanOrEqual(LIMIT_ORDERS);
          expect(target * fundingRate).toBeLessThanOrEqual(0);
          const mirrored = { ...view, fundingRate: -fundingRate, positionLots: -positionLots };
          expect(targetAt(mirrored, { riskAversion }, makerFeeBps) + target).toBe(0);
          const sum = (wanted: string): number =>
            (intent?.quotes ?? []).reduce(
              (lots, quote) => lots + (quote.side === wanted ? quote.lots : 0),
              0,
            );
          const [buys, sells] = [sum("BUY"), sum("SELL")];
          expect(positionLots + buys).toBeLessThanOrEqual(Math.max(2000, positionLots));
          expect(positionLots - sells).toBeGreaterThanOrEqual(Math.min(-2000, positionLots));
        },
      ),
    );
  });

  it("fits the rates that were announced last before each funding, and none that was seen early", () => {
    const rate = { leastRates: 10, windowRates: 10 };
    const views: MarketView[] = [];
    for (let at = 0; at < 11; at++) {
      const nextFundingMs = NOW_MS + 2 * (at + 1) * HOUR_MS;
      // The announcement moves: only the last one is paid. The sixth funding has an early one only.
      for (const beforeMs of at === 5 ? [5_400_000] : [3_500_000, 1000])
        views.push(
          viewAt({
            timeMs: nextFundingMs - beforeMs,
            fundingRate: beforeMs === 1000 ? 0.0002 : 0.009,
            nextFundingMs,
          }),
        );
    }
    const terms = (shown: readonly MarketView[]) => intents({ rate }, shown).at(-1)?.reason.terms;
    expect(terms(views)?.rateEstimated).toBe(0);
    const last = viewAt({
      timeMs: NOW_MS + 22 * HOUR_MS,
      nextFundingMs: NOW_MS + 24 * HOUR_MS,
      positionLots: 5,
    });
    expect(terms([...views, last])).toMatchObject({ rateEstimated: 1, ratePersistence: 0 });
    expect(terms([...views, last])?.longRunRateBps).toBeCloseTo(2, 9);
  });

  it("keeps its rates when other parameters change, and begins anew with another model", () => {
    const channel = new ParamsChannel();
    const rate = { leastRates: 10, windowRates: 10 };
    const bound = funding.bind({ ...PARAMS, rate });
    const view$ = new Subject<MarketView>();
    const found: QuotesIntent[] = [];
    view$
      .pipe(bound(testContext(), channel))
      .subscribe((intent) => found.push(intent as QuotesIntent));
    const show = (at: number) =>
      view$.next(
        viewAt({
          timeMs: NOW_MS + at * HOUR_MS,
          nextFundingMs: NOW_MS + (at + 1) * HOUR_MS,
          fundingRate: 0.0001 * (at % 3),
          positionLots: at,
        }),
      );
    for (let at = 0; at < 12; at++) show(at);
    expect(found.at(-1)?.reason.terms.rateEstimated).toBe(1);
    channel.apply(bound.rebind?.({ ...PARAMS, halfSpreadTicks: 20, rate }).params);
    show(12);
    expect(found.at(-1)?.reason.terms.rateEstimated).toBe(1);
    channel.apply(bound.rebind?.({ ...PARAMS, rate: { ...rate, persistence: 0.5 } }).params);
    show(13);
    expect(found.at(-1)?.reason.terms).toMatchObject({ rateEstimated: 0, ratePersistence: 0.5 });
  });

  it.each([
    [{ riskAversion: 0 }, "riskAversion"],
    [{ holdingMs: 10 }, "holdingMs"],
    [{ rate: { persistence: 1 } }, "rate.persistence"],
    [{ rate: { leastRates: 5 } }, "rate.leastRates"],
    [{ targetPositionBase: 1 }, "targetPositionBase"],
    [{ sizeBase: 0.0005 }, "sizeBase"],
  ])("refuses %j by name", (params, field) => {
    expect(() => intents(params, [viewAt()])).toThrow(field);
  });
});
