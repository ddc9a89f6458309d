import { of, Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { sizeMultipliers } from "#strategies/inventory-skew.js";
import { ladder } from "#strategies/ladder.js";
import { testContext, testView } from "./fixtures.js";

const PARAMS = { halfSpreadTicks: 10, sizeBase: 0.02 };

function answer(params: object, view: MarketView = testView()): QuotesIntent {
  const intents: Intent[] = [];
  of(view)
    .pipe(ladder.bind(params)(testContext()))
    .subscribe((intent) => intents.push(intent));
  const [intent] = intents;
  if (intent?.kind !== "quotes") throw new Error("no quotes");
  return intent;
}

/** Price and lots of each side, innermost first. */
function sides({ quotes }: QuotesIntent): { bids: number[][]; asks: number[][] } {
  const of = (side: string) =>
    quotes.filter((quote) => quote.side === side).map(({ ticks, lots }) => [ticks, lots]);
  return { bids: of("BUY"), asks: of("SELL") };
}

describe("the ladder's prices", () => {
  it("lie a half spread from the fair price, in ticks or basis points", () => {
    expect(sides(answer(PARAMS))).toEqual({ bids: [[9990, 20]], asks: [[10_010, 20]] });
    expect(sides(answer({ halfSpreadBps: 25, sizeBase: 0.02 }))).toEqual({
      bids: [[9975, 20]],
      asks: [[10_025, 20]],
    });
  });

  it("go outwards level by level, sizes by their growth", () => {
    expect(sides(answer({ ...PARAMS, levels: 3, levelSpacingTicks: 4, sizeGrowth: 1.5 }))).toEqual({
      bids: [
        [9990, 20],
        [9986, 30],
        [9982, 45],
      ],
      asks: [
        [10_010, 20],
        [10_014, 30],
        [10_018, 45],
      ],
    });
    expect(sides(answer({ ...PARAMS, levels: 2 })).bids).toEqual([
      [9990, 20],
      [9980, 20],
    ]);
    expect(sides(answer({ ...PARAMS, levels: 2, levelSpacingBps: 3 })).bids[1]).toEqual([9987, 20]);
  });

  it("follow the micro-price if configured", () => {
    const view = testView({
      bids: [{ ticks: 9996, lots: 300 }],
      asks: [{ ticks: 10_004, lots: 100 }],
    });
    expect(answer(PARAMS, view).reason.fairTicks).toBe(10_000);
    expect(answer({ ...PARAMS, fair: "micro" }, view).reason.fairTicks).toBe(10_002);
  });

  it("skew against inventory: a full long position moves both quotes down by the skew", () => {
    const full = answer(
      { ...PARAMS, priceSkewBps: 8, sizeSkew: false },
      testView({ positionLots: 1000, maxPositionLots: 2000 }),
    );
    expect(sides(full)).toEqual({ bids: [[9986, 20]], asks: [[10_006, 20]] });
    expect(full.reason).toMatchObject({
      fairTicks: 10_000,
      reservationTicks: 9996,
      halfSpreadTicks: 10,
      terms: { inventory: 0.5, skewTicks: -4 },
    });
    const short = answer(
      { ...PARAMS, priceSkewBps: 8, sizeSkew: false },
      testView({ positionLots: -1999, maxPositionLots: 2000 }),
    );
    expect(short.reason.reservationTicks).toBeCloseTo(10_007.996, 9);
  });

  it("count inventory from the target", () => {
    const view = testView({ positionLots: 500 });
    expect(
      answer({ ...PARAMS, priceSkewBps: 8, targetPositionBase: 0.5 }, view).reason.reservationTicks,
    ).toBe(10_000);
  });
});

describe("the ladder's sizes", () => {
  it("double on the reducing side and vanish on the other, linearly", () => {
    // The multipliers of the field's inventory skew: 2, 1 and 0 at target - range, target and
    // target + range.
    expect(
      [-30, -20, -10, 0, 10, 20, 30].map((position) => sizeMultipliers(position, 0, 20).bid),
    ).toEqual([2, 2, 1.5, 1, 0.5, 0, 0]);
    expect(sizeMultipliers(7, 3, 20)).toEqual({ bid: 0.8, ask: 1.2 });
    expect(sizeMultipliers(7, 3, 0)).toEqual({ bid: 0, ask: 0 });
    expect(sides(answer(PARAMS, testView({ positionLots: 1000, maxPositionLots: 2000 })))).toEqual({
      bids: [[9990, 10]],
      asks: [[10_010, 30]],
    });
  });

  it("stop the adding side at a full inventory", () => {
    const full = answer(PARAMS, testView({ positionLots: 2000, maxPositionLots: 2000 }));
    expect(sides(full)).toEqual({ bids: [], asks: [[10_010, 40]] });
  });

  it("use ten orders as a full inventory if the market has no limit, or the given range", () => {
    const unlimited = testView({ positionLots: 100, maxPositionLots: Number.POSITIVE_INFINITY });
    expect(answer(PARAMS, unlimited).reason.terms.inventory).toBe(0.5);
    expect(answer({ ...PARAMS, inventoryRangeBase: 0.4 }, unlimited).reason.terms.inventory).toBe(
      0.25,
    );
  });
});

describe("the ladder's emissions", () => {
  function run(params: object, views: readonly MarketView[]): QuotesIntent[] {
    const intents: Intent[] = [];
    of(...views)
      .pipe(ladder.bind(params)(testContext()))
      .subscribe((intent) => intents.push(intent));
    return intents as QuotesIntent[];
  }

  const at = (sequence: number, mid: number, changes: Partial<MarketView> = {}) =>
    testView({ sequence, bid: mid - 1, ask: mid + 1, ...changes });

  it("do not repeat equal quotes: the order keeps its queue position", () => {
    expect(
      run(PARAMS, [at(1, 10_000), at(2, 10_000), at(3, 10_001)]).map(
        ({ viewSequence }) => viewSequence,
      ),
    ).toEqual([1, 3]);
  });

  it("wait until a price leaves the tolerance, measured from the resting quotes and not from the last view", () => {
    const views = [at(1, 10_000), at(2, 10_002), at(3, 10_003), at(4, 10_004), at(5, 10_001)];
    expect(
      run({ ...PARAMS, refreshToleranceTicks: 3 }, views).map(({ viewSequence }) => viewSequence),
    ).toEqual([1, 4]);
    expect(
      run({ ...PARAMS, refreshToleranceBps: 3 }, views).map(({ viewSequence }) => viewSequence),
    ).toEqual([1, 4]);
  });

  it("happen within the tolerance too when a size changes, or when the market has reached a resting quote", () => {
    const tolerant = { ...PARAMS, refreshToleranceTicks: 50 };
    expect(run(tolerant, [at(1, 10_000), at(2, 10_000, { positionLots: 400 })])).toHaveLength(2);
    expect(run(tolerant, [at(1, 10_000), at(2, 9991)])).toHaveLength(1);
    expect(run(tolerant, [at(1, 10_000), at(2, 9989)])).toHaveLength(2);
  });

  it("start again with each subscription", () => {
    const operator = ladder.bind(PARAMS)(testContext());
    const view$ = new Subject<MarketView>();
    const intents: Intent[] = [];
    const quotes$ = view$.pipe(operator);
    quotes$
      .subscribe((intent) => intents.push(intent))
      .add(quotes$.subscribe((intent) => intents.push(intent)));
    view$.next(testView());
    expect(intents).toHaveLength(2);
  });
});

describe("the ladder's parameters", () => {
  const error = (params: object) => {
    try {
      ladder.bind(params, { at: ["markets", "ethusdc", "params"] })(testContext());
    } catch (thrown) {
      return (thrown as Error).message;
    }
    return "";
  };

  it("need one half spread, in one unit", () => {
    expect(error({ sizeBase: 0.02 })).toMatch(
      /params\.halfSpreadBps: .*halfSpreadBps or halfSpreadTicks/,
    );
    expect(error({ ...PARAMS, halfSpreadBps: 3 })).toMatch(
      /params\.halfSpreadTicks: .*only one of/,
    );
    expect(error({ ...PARAMS, levelSpacingBps: 3, levelSpacingTicks: 3 })).toMatch(
      /params\.levelSpacingTicks: .*only one of/,
    );
    expect(error({ ...PARAMS, refreshToleranceBps: 3, refreshToleranceTicks: 3 })).toMatch(
      /only one of/,
    );
  });

  it("refuse unknown, zero or off-grid values by name", () => {
    expect(error({ ...PARAMS, spreadBps: 3 })).toMatch(/params\.spreadBps: unknown key/);
    expect(error({ ...PARAMS, levels: 0 })).toMatch(/params\.levels: must not be zero/);
    expect(error({ ...PARAMS, sizeBase: 0.021 })).toBe("");
    expect(error({ ...PARAMS, sizeBase: 0.02055 })).toMatch(
      /^markets\.ethusdc\.params\.sizeBase: .*0\.02055.*0\.001/,
    );
  });
});
