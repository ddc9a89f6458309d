import { filter, tap } from "rxjs";
import { describe, expect, it } from "vitest";
import { MarketTrader } from "#bot/market-trader.js";
import type { MarketRules } from "#exchange/records.js";
import type { MarketView } from "#market/view.js";
import type { BoundStrategy } from "#strategies/strategy.js";
import { testContext, testInstrument } from "../strategies/fixtures.js";

const RULES: MarketRules = {
  marketId: testInstrument.marketId,
  tickSize: "0.1",
  stepSize: "0.001",
  minTicks: 1,
  maxTicks: 1_000_000,
  minLots: 1,
  maxLots: 1_000_000,
  marketMinLots: 1,
  marketMaxLots: 1_000_000,
  maxOpenOrders: 20,
  makerFeeRate: 0n,
  takerFeeRate: 0n,
  maxLeverage: 20,
  liquidationLeverage: "33.33",
  perp: "0x01",
  stage: "NORMAL",
  status: "ONLINE",
  fundingIntervalMs: 28_800_000,
};

/** A trader with a book, and every view that its strategy receives. */
function openTrader() {
  const views: MarketView[] = [];
  const trader = new MarketTrader({
    instrument: testInstrument,
    rules: RULES,
    decide: {
      everyMs: 100,
      onTouchChange: false,
      onFill: false,
      onReferenceMove: true,
      minGapMs: 0,
    },
    strategy: () => (view$) =>
      view$.pipe(
        tap((view) => views.push(view)),
        filter((_view): _view is never => false),
      ),
    context: testContext(),
    maxPositionLots: 10,
    depthLevels: 1,
  });
  trader.connect({ emitted: () => {}, ended: () => {} });
  const book = (bids: [number, number][]) =>
    trader.book.apply(
      {
        type: "book-snapshot",
        marketId: testInstrument.marketId,
        sequence: 1,
        bids: bids.flat(),
        asks: [102, 5],
      },
      1,
    );
  const trade = (ticks: number, isBuyerMaker: boolean) =>
    trader.state.apply({
      type: "public-trade",
      marketId: testInstrument.marketId,
      id: "1",
      ticks,
      lots: 1,
      timeMs: 1,
      isBuyerMaker,
    });
  const emit = () =>
    trader.emitView("timer", {
      positionLots: 0,
      hedge: undefined,
      equity: 0n,
      timeMs: 1,
      monotonicMs: 0,
    });
  return { trader, views, book, trade, emit };
}

describe("the trades in a strategy's views", () => {
  it("appear in one view each: a trade that is counted twice makes fills look twice as likely", () => {
    const { views, book, trade, emit } = openTrader();
    book([[100, 5]]);
    trade(103, false);
    trade(99, true);
    for (const _ of [1, 2]) expect(emit()).toBe(true);
    trade(98, true);
    expect(emit()).toBe(true);
    expect(
      views.map(({ tradedHighTicks, tradedLowTicks }) => [tradedHighTicks, tradedLowTicks]),
    ).toEqual([
      [103, 99],
      [Number.NaN, Number.NaN],
      [Number.NaN, 98],
    ]);
  });

  it("wait for the next view while a side is empty", () => {
    const { views, book, trade, emit } = openTrader();
    book([]);
    trade(103, false);
    expect(emit()).toBe(false);
    book([[100, 5]]);
    expect(emit()).toBe(true);
    expect(views.map(({ tradedHighTicks }) => tradedHighTicks)).toEqual([103]);
  });
});

describe("an own order that has ended, while the book still shows it", () => {
  it("is not in a view, but counts for an order that has to stay behind the touch: it may be another account's", () => {
    const { trader, views } = openTrader();
    const { marketId } = testInstrument;
    const ours = [{ side: "SELL" as const, ticks: 102, lots: 5, dueLots: 5 }];
    trader.book.apply(
      { type: "book-snapshot", marketId, sequence: 1, bids: [100, 5], asks: [110, 5] },
      0,
    );
    trader.noteOwn({ inBook: () => ours }, 0);
    trader.book.apply(
      { type: "book-update", marketId, beginSequence: 2, endSequence: 2, bids: [], asks: [102, 5] },
      25,
    );
    trader.noteOwn({ inBook: () => ours }, 25);
    trader.noteOwn({ inBook: () => [] }, 400);
    trader.emitView("timer", {
      positionLots: 0,
      hedge: undefined,
      equity: 0n,
      timeMs: 400,
      monotonicMs: 0,
    });
    expect(views.map(({ midTicks, asks }) => [midTicks, asks])).toEqual([
      [105, [{ ticks: 110, lots: 5 }]],
    ]);
    expect(trader.touch()).toEqual({ bidTicks: 100, askTicks: 110 });
    expect(trader.best("SELL", [])).toBe(102);
  });
});

describe("a value that is not a strategy", () => {
  it.each([
    ["an operator that makes no Observable", () => () => 5],
    ["no operator at all", () => 5],
    ["a factory that throws", () => JSON.parse("{")],
    [
      "a factory that throws what has no words",
      () => {
        throw Object.create(null);
      },
    ],
  ])("halts only its market, with its name in the reason: %s", (_what, strategy) => {
    const ends: string[] = [];
    const trader = new MarketTrader({
      instrument: testInstrument,
      rules: RULES,
      decide: {
        everyMs: 100,
        onTouchChange: false,
        onFill: false,
        onReferenceMove: true,
        minGapMs: 0,
      },
      strategy: strategy as unknown as BoundStrategy,
      context: testContext(),
      maxPositionLots: 10,
      depthLevels: 1,
    });
    trader.connect({ emitted: () => {}, ended: (_marketId, why) => ends.push(why) });
    expect(trader.running).toBe(false);
    expect(ends).toEqual([expect.stringMatching(/^strategy failed to start: /)]);
  });
});
