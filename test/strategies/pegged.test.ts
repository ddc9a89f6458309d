import fc from "fast-check";
import { of, Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import type { MarketView } from "#market/view.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { pegged } from "#strategies/pegged.js";
import { testContext, testView } from "./fixtures.js";
import { testReference } from "./test-reference.js";

const FEE = testContext({ makerFeeBps: () => 2 });
/** Far from any quote, so that nothing is kept behind the touch. */
const WIDE = { bid: 5000, ask: 15_000 };

function intents(params: object, views: readonly MarketView[], context = FEE): QuotesIntent[] {
  const found: Intent[] = [];
  of(...views)
    .pipe(pegged.bind({ edgeBps: 3, sizeBase: 0.02, ...params })(context))
    .subscribe((intent) => found.push(intent));
  return found as QuotesIntent[];
}

const viewAt = (priceTicks: number, changes: Parameters<typeof testView>[0] = {}): MarketView =>
  testView({ ...WIDE, reference: testReference({ priceTicks }), ...changes });

const prices = ({ quotes }: QuotesIntent, side: string): number[] =>
  quotes.filter((quote) => quote.side === side).map(({ ticks }) => ticks);

describe("the pegged ladder", () => {
  it("quotes at the maker fee plus the edge from the reference, rounded away from it", () => {
    // 2 + 3 = 5 basis points of 10,001 ticks: 5.0005 ticks.
    const [intent] = intents({}, [viewAt(10_001)]);
    expect(prices(intent, "BUY")).toEqual([9995]);
    expect(prices(intent, "SELL")).toEqual([10_007]);
    expect(intent.reason.terms).toMatchObject({ makerFeeBps: 2, edgeBps: 3, marginBps: 5 });
    expect(intent.reason.halfSpreadTicks).toBeCloseTo(5.0005, 9);
  });

  it("adds the costs of a hedge, and names each part", () => {
    const hedge = { takerFeeBps: 4.5, halfSpreadBps: 0.5, slippageBps: 1 };
    // 2 + 3 + 4.5 + 0.5 + 1 = 11 basis points.
    const [intent] = intents({ hedge }, [viewAt(10_000)]);
    expect(prices(intent, "BUY")).toEqual([9989]);
    expect(prices(intent, "SELL")).toEqual([10_011]);
    expect(intent.reason.terms).toMatchObject({
      makerFeeBps: 2,
      edgeBps: 3,
      hedgeTakerFeeBps: 4.5,
      hedgeHalfSpreadBps: 0.5,
      hedgeSlippageBps: 1,
      marginBps: 11,
    });
  });

  it("subtracts a rebate, and prefers the fee of its parameters to the exchange's", () => {
    const [rebate] = intents({}, [viewAt(10_000)], testContext({ makerFeeBps: () => -1 }));
    expect(prices(rebate, "BUY")).toEqual([9998]);
    const [given] = intents({ makerFeeBps: 7 }, [viewAt(10_000)]);
    expect(prices(given, "BUY")).toEqual([9990]);
  });

  it("follows a change of the exchange's fee", () => {
    let feeBps = 2;
    const view$ = new Subject<MarketView>();
    const found: Intent[] = [];
    view$
      .pipe(pegged.bind({ edgeBps: 3, sizeBase: 0.02 })(testContext({ makerFeeBps: () => feeBps })))
      .subscribe((intent) => found.push(intent));
    view$.next(viewAt(10_000));
    feeBps = 6;
    view$.next(viewAt(10_000));
    feeBps = -4;
    view$.next(viewAt(10_000));
    expect(found.map((intent) => prices(intent as QuotesIntent, "BUY"))).toEqual([
      [9995],
      [9991],
      [],
    ]);
    expect((found[2] as QuotesIntent).reason.clamps).toEqual([
      "quotes: the margin is not above 0 at the present maker fee",
    ]);
  });

  it("places further levels at their spacing, by default the margin, with growing sizes", () => {
    const [byMargin] = intents({ levels: 3, sizeGrowth: 2 }, [viewAt(10_000)]);
    expect(prices(byMargin, "BUY")).toEqual([9995, 9990, 9985]);
    expect(byMargin.quotes.map(({ lots }) => lots)).toEqual([20, 40, 80, 20, 40, 80]);
    const [byTicks] = intents({ levels: 2, levelSpacingTicks: 2 }, [viewAt(10_000)]);
    expect(prices(byTicks, "SELL")).toEqual([10_005, 10_007]);
  });

  it("moves only the side that fills the inventory, and only away from the reference", () => {
    const params = { priceSkewBps: 8, sizeSkew: false, inventoryRangeBase: 1 };
    const [long] = intents(params, [viewAt(10_000, { positionLots: 500 })]);
    expect(prices(long, "BUY")).toEqual([9991]);
    expect(prices(long, "SELL")).toEqual([10_005]);
    const [short] = intents(params, [viewAt(10_000, { positionLots: -1000 })]);
    expect(prices(short, "BUY")).toEqual([9995]);
    expect(prices(short, "SELL")).toEqual([10_013]);
  });

  it("wants no quotes without a good reference, says so once, and quotes when it is back", () => {
    const gone = viewAt(Number.NaN);
    const found = intents({}, [viewAt(10_000), gone, gone, testView(), viewAt(10_000)]);
    expect(found.map(({ quotes }) => quotes.length)).toEqual([2, 0, 2]);
    expect(found[1].reason.clamps).toEqual(["quotes: there is no good reference price"]);
  });

  it("wants no quotes from its first view on if that has no reference", () => {
    expect(intents({}, [testView()]).map(({ quotes }) => quotes)).toEqual([[]]);
  });

  it("is refused where the fees give back more than the edge takes", () => {
    const bind = () => intents({ edgeBps: 1 }, [], testContext({ makerFeeBps: () => -1 }));
    expect(bind).toThrow(ConfigError);
    expect(bind).toThrow(/markets\.ethusdc\.params\.edgeBps: .*would be 0 bps/);
  });

  it("is refused without a maker fee of parameters or exchange", () => {
    expect(() => intents({}, [], testContext())).toThrow(/params\.makerFeeBps/);
  });

  it("needs a reference whatever its parameters are", () => {
    expect(pegged.bind({ edgeBps: 0, sizeBase: 1 }).needsReference).toBe(true);
  });
});

describe("by every reference, position, fee and edge, the pegged ladder", () => {
  const bps = (max: number) => fc.double({ min: 0, max, noNaN: true });
  const situation = fc.record({
    priceTicks: fc.double({ min: 6000, max: 14_000, noNaN: true }),
    positionLots: fc.integer({ min: -3000, max: 3000 }),
    bid: fc.integer({ min: 6000, max: 14_000 }),
    width: fc.integer({ min: 1, max: 500 }),
    feeBps: fc.double({ min: -5, max: 10, noNaN: true }),
    edgeBps: fc.double({ min: 5.01, max: 40, noNaN: true }),
    hedge: fc.option(
      fc.record({ takerFeeBps: bps(10), halfSpreadBps: bps(5), slippageBps: bps(5) }),
      { nil: undefined },
    ),
    priceSkewBps: bps(50),
    levels: fc.integer({ min: 1, max: 4 }),
  });

  it("never quotes inside its margin, nor across the touch, nor against itself", () => {
    fc.assert(
      fc.property(situation, (at) => {
        const { priceTicks, positionLots, bid, width, feeBps, edgeBps, hedge, ...rest } = at;
        const view = viewAt(priceTicks, { bid, ask: bid + width, positionLots });
        const context = testContext({ makerFeeBps: () => feeBps });
        const [{ quotes }] = intents({ edgeBps, hedge, ...rest }, [view], context);
        const { takerFeeBps = 0, halfSpreadBps = 0, slippageBps = 0 } = hedge ?? {};
        const costBps = feeBps + edgeBps + takerFeeBps + halfSpreadBps + slippageBps;
        for (const { side, ticks } of quotes) {
          const awayBps = ((side === "BUY" ? -1 : 1) * (ticks - priceTicks) * 10_000) / priceTicks;
          expect(awayBps).toBeGreaterThanOrEqual(costBps - 1e-9);
          expect(side === "BUY" ? ticks < bid + width : ticks > bid).toBe(true);
        }
        const ofSide = (side: string) =>
          quotes.filter((quote) => quote.side === side).map(({ ticks }) => ticks);
        expect(Math.max(...ofSide("BUY"))).toBeLessThan(Math.min(...ofSide("SELL")));
      }),
    );
  });

  it("moves neither side's price up while the position grows, on either side of the target", () => {
    fc.assert(
      fc.property(situation, fc.integer({ min: 1, max: 1000 }), (at, more) => {
        const { priceTicks, positionLots, feeBps, edgeBps, priceSkewBps } = at;
        const context = testContext({ makerFeeBps: () => feeBps });
        const params = { edgeBps, priceSkewBps, sizeSkew: false, inventoryRangeBase: 2 };
        const quoted = (lots: number): QuotesIntent =>
          intents(
            params,
            [viewAt(priceTicks, { positionLots: lots, maxPositionLots: 10_000 })],
            context,
          )[0];
        const [less, greater] = [quoted(positionLots), quoted(positionLots + more)];
        for (const side of ["BUY", "SELL"])
          expect(prices(greater, side)[0]).toBeLessThanOrEqual(prices(less, side)[0]);
      }),
    );
  });
});
