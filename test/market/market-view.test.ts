import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import { createMarketView, type MarketViewSource } from "#market/create-market-view.js";
import { MarketState } from "#market/market-state.js";
import { computeMicroPriceTicks } from "#market/micro-price.js";
import { netTouch } from "#market/net-book.js";
import { OrderBook } from "#market/order-book.js";
import type { OwnRestingOrder } from "#market/own-order-overlay.js";
import type { MarketView } from "#market/view.js";

const instrument = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

function bookOf(bids: [number, number][], asks: [number, number][]): OrderBook {
  const book = new OrderBook();
  for (const [ticks, lots] of bids) book.set("BUY", ticks, lots);
  for (const [ticks, lots] of asks) book.set("SELL", ticks, lots);
  return book;
}

function source(
  book: OrderBook,
  ownOrders: OwnRestingOrder[] = [],
  depthLevels = 10,
): MarketViewSource {
  return {
    instrument,
    book,
    ownOrders,
    state: new MarketState(instrument),
    sequence: 3,
    timeMs: 1000,
    cause: "touch",
    depthLevels,
    positionLots: -4,
    equity: 5n,
    maxPositionLots: 50,
  };
}

describe("the micro-price", () => {
  // The first five BAC rows of the notebook published with Stoikov's "The micro-price" (2018), in
  // cents.
  it.each([
    [20, 471, 14.330407],
    [25, 148, 14.331445],
    [31, 95, 14.33246],
    [29, 92, 14.332397],
    [21, 65, 14.332442],
  ])("with %d bid and %d offered at 14.33 and 14.34 is %d", (bidLots, askLots, published) => {
    expect(
      computeMicroPriceTicks({ ticks: 1433, lots: bidLots }, { ticks: 1434, lots: askLots }) / 100,
    ).toBeCloseTo(published, 6);
  });

  it("never leaves the touch, and is its mirror when the sides are", () => {
    const lots = fc.integer({ min: 1, max: 1_000_000_000 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.integer({ min: 1, max: 1000 }),
        lots,
        lots,
        (bid, width, a, b) => {
          const ask = bid + width;
          const micro = computeMicroPriceTicks({ ticks: bid, lots: a }, { ticks: ask, lots: b });
          expect(micro >= bid && micro <= ask).toBe(true);
          const mirrored = computeMicroPriceTicks({ ticks: bid, lots: b }, { ticks: ask, lots: a });
          expect(micro - bid).toBeCloseTo(ask - mirrored, 6);
        },
      ),
    );
  });
});

describe("a view", () => {
  const book = bookOf(
    [
      [100, 3],
      [99, 5],
      [98, 7],
    ],
    [
      [102, 1],
      [103, 4],
    ],
  );

  it("shows the book best first, its mid and its micro-price", () => {
    const view = createMarketView(source(book));
    expect(view).toMatchObject({
      marketId: "btcusdc",
      sequence: 3,
      cause: "touch",
      bids: [{ ticks: 100, lots: 3 }, { ticks: 99 }, { ticks: 98 }],
      asks: [{ ticks: 102, lots: 1 }, { ticks: 103 }],
      midTicks: 101,
      microPriceTicks: 101.5,
      microPrice: 101.5,
      positionLots: -4,
      equity: 5n,
      maxPositionLots: 50,
      markTicks: Number.NaN,
    });
  });

  it("is net of our own orders: otherwise a bot would chase its own quotes", () => {
    const own: OwnRestingOrder[] = [
      { side: "BUY", ticks: 100, lots: 2 },
      { side: "BUY", ticks: 100, lots: 1 },
      { side: "BUY", ticks: 99, lots: 1 },
      { side: "SELL", ticks: 98, lots: 7 },
      { side: "SELL", ticks: 102, lots: 9 },
    ];
    const view = createMarketView(source(book, own));
    expect(view?.bids).toEqual([
      { ticks: 99, lots: 4 },
      { ticks: 98, lots: 7 },
    ]);
    expect(view?.asks).toEqual([{ ticks: 103, lots: 4 }]);
    expect(view?.midTicks).toBe(101);
    expect(netTouch(book, own)).toEqual({ bidTicks: 99, askTicks: 103 });
  });

  it("does not exist while a side is empty, or holds only our own orders", () => {
    expect(createMarketView(source(bookOf([[100, 1]], [])))).toBeNull();
    expect(
      createMarketView(
        source(bookOf([[100, 1]], [[102, 2]]), [{ side: "SELL", ticks: 102, lots: 2 }]),
      ),
    ).toBeNull();
    expect(
      netTouch(bookOf([[100, 1]], [[102, 2]]), [{ side: "SELL", ticks: 102, lots: 2 }]),
    ).toBeNull();
  });

  it("has at most the requested depth, without counting our own levels", () => {
    const view = createMarketView(source(book, [{ side: "BUY", ticks: 100, lots: 3 }], 1));
    expect(view?.bids).toEqual([{ ticks: 99, lots: 5 }]);
    expect(view?.asks).toEqual([{ ticks: 102, lots: 1 }]);
  });

  it("does not change with the book, and a strategy cannot change it", () => {
    const moving = bookOf([[100, 3]], [[102, 1]]);
    const view = createMarketView(source(moving));
    moving.set("BUY", 100, 9);
    expect(view?.bids).toEqual([{ ticks: 100, lots: 3 }]);
    expect(
      [view, view?.bids, view?.asks, view?.bids[0], view?.asks[0]].every(Object.isFrozen),
    ).toBe(true);
  });

  it("shows the present book whatever view came before, and never changes an earlier view", () => {
    const ticks = fc.integer({ min: 1, max: 12 });
    const change = fc.record({ isBid: fc.boolean(), ticks, lots: fc.integer({ min: 0, max: 3 }) });
    fc.assert(
      fc.property(
        fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 8 }),
        (rounds, depth) => {
          const moving = bookOf([[5, 1]], [[25, 1]]);
          let before: MarketView | undefined;
          for (const changes of rounds) {
            const shown = JSON.stringify([before?.bids, before?.asks]);
            for (const { isBid, ticks: at, lots } of changes)
              moving.set(isBid ? "BUY" : "SELL", isBid ? at : at + 20, lots);
            const own: OwnRestingOrder[] = [{ side: "BUY", ticks: 3, lots: 1 }];
            const alone = createMarketView(source(moving, own, depth));
            const after = createMarketView({ ...source(moving, own, depth), before });
            expect([after?.bids, after?.asks]).toEqual([alone?.bids, alone?.asks]);
            expect([...(after?.bids ?? []), ...(after?.asks ?? [])].every(Object.isFrozen)).toBe(
              true,
            );
            expect(JSON.stringify([before?.bids, before?.asks])).toBe(shown);
            before = after ?? before;
          }
        },
      ),
    );
  });
});

describe("what traded since the view before", () => {
  const trade = (ticks: number, isBuyerMaker: boolean) =>
    ({
      type: "public-trade",
      marketId: "btcusdc",
      id: "1",
      ticks,
      lots: 1,
      timeMs: 5,
      isBuyerMaker,
    }) as const;
  const book = bookOf([[100, 3]], [[102, 1]]);
  const traded = (state: MarketState) => {
    const view = createMarketView({ ...source(book), state });
    return [view?.tradedHighTicks, view?.tradedLowTicks];
  };

  it("is the range of takers' prices on either side: the prices at which a resting quote would have filled", () => {
    const state = new MarketState(instrument);
    expect(traded(state)).toEqual([Number.NaN, Number.NaN]);
    state.apply(trade(102, false));
    expect(traded(state)).toEqual([102, Number.NaN]);
    for (const ticks of [100, 98, 99]) state.apply(trade(ticks, true));
    for (const ticks of [104, 103]) state.apply(trade(ticks, false));
    expect(traded(state)).toEqual([104, 98]);
  });

  it("is empty again after a view, and ignores another market's trades", () => {
    const state = new MarketState(instrument);
    state.apply(trade(102, false));
    state.startView();
    expect(traded(state)).toEqual([Number.NaN, Number.NaN]);
    state.apply({ ...trade(90, true), marketId: "ethusdc" });
    expect(traded(state)).toEqual([Number.NaN, Number.NaN]);
    state.apply(trade(101, true));
    expect(traded(state)).toEqual([Number.NaN, 101]);
  });
});

describe("marks and funding", () => {
  it("come in credit for one base unit, and are shown in ticks", () => {
    const state = new MarketState(instrument);
    expect([state.markTicks, state.indexTicks, state.mark]).toEqual([
      Number.NaN,
      Number.NaN,
      undefined,
    ]);
    state.apply({
      type: "market-state",
      marketId: "btcusdc",
      mark: 60_123_450_000n,
      index: 60_000_000_000n,
      fundingRate: 0.0001,
      nextFundingMs: 7,
    });
    expect(state.markTicks).toBeCloseTo(601_234.5, 9);
    expect(state.indexTicks).toBeCloseTo(600_000, 9);
    expect([state.mark, state.index, state.fundingRate, state.nextFundingMs]).toEqual([
      60_123_450_000n,
      60_000_000_000n,
      0.0001,
      7,
    ]);
  });

  it("of another market change nothing", () => {
    const state = new MarketState(instrument);
    state.apply({
      type: "market-state",
      marketId: "ethusdc",
      mark: 1n,
      index: 1n,
      fundingRate: 1,
      nextFundingMs: 7,
    });
    expect(state.mark).toBeUndefined();
  });
});
