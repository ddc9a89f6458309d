import fc from "fast-check";
import { of, Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import type { MarketView } from "#market/view.js";
import { grid } from "#strategies/grid.js";
import { GridCells } from "#strategies/grid-cells.js";
import type { Intent, Quote, QuotesIntent } from "#strategies/intent.js";
import { testContext, testInstrument, testView } from "./fixtures.js";

/** From 900 to 1100 quote in ten cells of 20, flat at 1000: levels 9000, 9200 ... 11,000 ticks. */
const PARAMS = {
  lowerPrice: 900,
  upperPrice: 1100,
  cells: 10,
  spacing: "arithmetic",
  sizeBase: 0.1,
} as const;
/** Lots of a cell. */
const SIZE = 100;

function intents(params: object, views: readonly MarketView[], feeBps = 0): QuotesIntent[] {
  const found: Intent[] = [];
  of(...views)
    .pipe(grid.bind({ ...PARAMS, ...params })(testContext({ makerFeeBps: () => feeBps })))
    .subscribe((intent) => found.push(intent));
  return found as QuotesIntent[];
}

const orders = ({ quotes }: Pick<QuotesIntent, "quotes">, side: string): [number, number][] =>
  quotes.filter((quote) => quote.side === side).map(({ ticks, lots }) => [ticks, lots]);

const cellsOf = (params: object = {}): GridCells =>
  new GridCells({ ...PARAMS, ...params }, SIZE, testInstrument, "params");

describe("a grid", () => {
  it("buys a size at each level below its position's price and sells one at each above", () => {
    const [{ quotes, reason }] = intents({}, [testView()]);
    expect(orders({ quotes }, "BUY")).toEqual(
      [9800, 9600, 9400, 9200, 9000].map((at) => [at, SIZE]),
    );
    expect(orders({ quotes }, "SELL")).toEqual(
      [10_200, 10_400, 10_600, 10_800, 11_000].map((at) => [at, SIZE]),
    );
    expect(reason).toMatchObject({
      fairTicks: 10_000,
      halfSpreadTicks: 100,
      terms: { cellTicks: 200, cellProfitTicks: 200, buysLeft: 5, sellsLeft: 5 },
    });
  });

  it("has geometric levels of one ratio, the top one at the upper price to the tick", () => {
    const { levels } = cellsOf({
      lowerPrice: 500,
      upperPrice: 2000,
      cells: 4,
      spacing: "geometric",
    });
    // 500 * 4^(i/4) = 500, 707.107, 1000, 1414.214, 2000.
    expect(levels).toEqual([5000, 7071, 10_000, 14_142, 20_000]);
  });

  it("sells at the next level what it bought, and buys it back there: one cell, one round trip", () => {
    // One cell bought: its ask is the level above, its bid is gone.
    const [bought] = intents({}, [testView({ positionLots: SIZE, bid: 9790, ask: 9810 })]);
    expect(orders(bought, "BUY")[0]).toEqual([9600, SIZE]);
    expect(orders(bought, "SELL")[0]).toEqual([10_000, SIZE]);
    const [sold] = intents({}, [testView({ positionLots: -SIZE, bid: 10_190, ask: 10_210 })]);
    expect(orders(sold, "BUY")[0]).toEqual([10_000, SIZE]);
    expect(orders(sold, "SELL")[0]).toEqual([10_400, SIZE]);
  });

  it("offers the filled part of a cell at its upper level while the rest still bids", () => {
    const [{ quotes }] = intents({}, [testView({ positionLots: 30, bid: 9790, ask: 9810 })]);
    expect(orders({ quotes }, "BUY").slice(0, 2)).toEqual([
      [9800, 70],
      [9600, SIZE],
    ]);
    expect(orders({ quotes }, "SELL").slice(0, 2)).toEqual([
      [10_000, 30],
      [10_200, SIZE],
    ]);
  });

  it("holds its most at an end of the range and only closes there", () => {
    const [low] = intents({}, [testView({ positionLots: 5 * SIZE, bid: 8000, ask: 8002 })]);
    expect(orders(low, "BUY")).toEqual([]);
    expect(orders(low, "SELL")[0]).toEqual([9200, SIZE]);
    const [high] = intents({}, [testView({ positionLots: -5 * SIZE, bid: 12_000, ask: 12_002 })]);
    expect(orders(high, "SELL")).toEqual([]);
    expect(orders(high, "BUY")[0]).toEqual([10_800, SIZE]);
  });

  it("closes no more than the grid holds, and says what is beyond it", () => {
    const [{ quotes, reason }] = intents({ ordersPerSide: 20 }, [testView({ positionLots: 730 })]);
    const sold = orders({ quotes }, "SELL").reduce((sum, [, lots]) => sum + lots, 0);
    expect(sold).toBe(10 * SIZE);
    expect(reason.terms.beyondLots).toBe(230);
    expect(reason.clamps).toContain("position: beyond the grid's most");
  });

  it("fills levels that the market has passed at the touch, or waits, as the file says", () => {
    // The market is at 10,500 and the grid has sold nothing yet: two asks are behind the touch.
    const view = testView({ bid: 10_499, ask: 10_501 });
    const [touch] = intents({}, [view]);
    expect(orders(touch, "SELL").map(([ticks]) => ticks)).toEqual([
      10_500, 10_501, 10_600, 10_800, 11_000,
    ]);
    const [wait] = intents({ crossed: "wait" }, [view]);
    expect(orders(wait, "SELL").map(([ticks]) => ticks)).toEqual([10_600, 10_800, 11_000]);
    expect(wait.reason.clamps).toEqual(["asks: the market is above their price"]);
  });

  it("is a long grid with its flat price at the top, and a short one with it at the bottom", () => {
    expect(cellsOf({ flatPrice: 1100 }).positionLotsAt(0)).toBe(10 * SIZE);
    expect(cellsOf({ flatPrice: 1100 }).positionLotsAt(10)).toBe(0);
    expect(cellsOf({ flatPrice: 900 }).positionLotsAt(10)).toBe(-10 * SIZE);
    // The nearest level counts.
    expect(cellsOf({ flatPrice: 1011 }).flatLevel).toBe(6);
    expect(cellsOf({ flatPrice: 1009 }).flatLevel).toBe(5);
  });

  it("rests no more orders on a side than the file allows", () => {
    const [{ quotes }] = intents({ ordersPerSide: 2 }, [testView()]);
    expect(orders({ quotes }, "BUY").map(([ticks]) => ticks)).toEqual([9800, 9600]);
    expect(orders({ quotes }, "SELL").map(([ticks]) => ticks)).toEqual([10_200, 10_400]);
  });

  it("stays within the market's position limit", () => {
    const [{ quotes }] = intents({}, [testView({ maxPositionLots: 250 })]);
    expect(orders({ quotes }, "BUY")).toEqual([
      [9800, 100],
      [9600, 100],
      [9400, 50],
    ]);
  });

  it("has the same orders after a restart, whatever filled before it", () => {
    fc.assert(
      fc.property(
        fc.record({
          cells: fc.integer({ min: 1, max: 40 }),
          spacing: fc.constantFrom("arithmetic", "geometric"),
          lower: fc.integer({ min: 500, max: 900 }),
          width: fc.integer({ min: 100, max: 900 }),
          flat: fc.integer({ min: 0, max: 100 }),
          position: fc.integer({ min: -5000, max: 5000 }),
        }),
        ({ cells, spacing, lower, width, flat, position }) => {
          const shape = {
            cells,
            spacing,
            lowerPrice: lower,
            upperPrice: lower + width,
            flatPrice: lower + (width * flat) / 100,
          } as const;
          const one = new GridCells(shape, SIZE, testInstrument, "params");
          const { bids, asks, beyondLots } = one.ordersAt(position);
          const buys = bids.reduce((sum, { lots }) => sum + lots, 0);
          const sells = asks.reduce((sum, { lots }) => sum + lots, 0);
          // All bids filled is the most that the grid holds, all asks filled the least.
          expect(position - beyondLots + buys).toBe(one.positionLotsAt(0));
          expect(position - beyondLots - sells).toBe(one.positionLotsAt(cells));
          // Filled one by one, the orders that are left are those of the new position.
          if (beyondLots !== 0 || bids.length === 0) return;
          const [first, ...others] = bids;
          const after = one.ordersAt(position + first.lots);
          expect(after.bids).toEqual(others);
          // A purchase is offered a whole level above: never below its own price.
          expect(after.asks[0].ticks).toBe(one.levels[one.levels.indexOf(first.ticks) + 1]);
        },
      ),
    );
  });

  it("earns the width of a cell less two fees on each turn of a price that goes to and fro", () => {
    // The account of a trader who fills exactly what rests, over a path of the mid.
    const path = [10_000, 9790, 9590, 9810, 10_010, 10_210, 9990, 9790, 10_010];
    const one = cellsOf();
    let [position, cash] = [0, 0];
    for (const mid of path)
      for (const { ticks, lots, sign } of (({ bids, asks }) => [
        ...bids.filter(({ ticks }) => ticks > mid).map((order) => ({ ...order, sign: 1 })),
        ...asks.filter(({ ticks }) => ticks < mid).map((order) => ({ ...order, sign: -1 })),
      ])(one.ordersAt(position))) {
        position += sign * lots;
        cash -= sign * lots * ticks;
      }
    // Down two cells and back, up one and back, down one and back: four round trips of 200 ticks.
    expect(position).toBe(0);
    expect(cash).toBe(4 * 200 * SIZE);
  });
});

describe("a grid's parameters", () => {
  const refused = (params: object, feeBps = 0) => {
    try {
      intents(params, [testView()], feeBps);
    } catch (error) {
      return error as ConfigError;
    }
    throw new Error("they were accepted");
  };

  it.each([
    [{ upperPrice: 900 }, "upperPrice", "is not above lowerPrice"],
    [{ flatPrice: 1101 }, "flatPrice", "is outside the grid"],
    [{ flatPrice: 899 }, "flatPrice", "is outside the grid"],
    [{ cells: 0 }, "cells", ""],
    [{ cells: 1.5 }, "cells", ""],
    [{ lowerPrice: 0 }, "lowerPrice", ""],
    [{ lowerPrice: Number.POSITIVE_INFINITY }, "lowerPrice", ""],
    [{ sizeBase: 0.0005 }, "sizeBase", "is off the market's grid"],
    [{ levels: 3 }, "levels", ""],
  ])("%o are refused by name", (params, field, text) => {
    const error = refused(params);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toContain(field);
    expect(error.message).toContain(text);
  });

  it("are refused where two levels would be one price", () => {
    const error = refused({ lowerPrice: 1000, upperPrice: 1001, cells: 11 });
    expect(error.message).toContain("less than a tick apart");
    expect(error.message).toContain("params.cells");
  });

  it("are refused where a cell loses: two fees are as much as its width", () => {
    // The widest relative cell is the lowest: 200 ticks at 9000 and 9200 pay 1.1 % in two fees.
    expect(refused({}, 100).message).toContain("makes cells that lose: a maker fee of 100 bps");
    expect(intents({}, [testView()], 50)).toHaveLength(1);
  });

  it("keep working a position off when the fee rises until a cell earns nothing", () => {
    let feeBps = 1;
    const view$ = new Subject<MarketView>();
    const found: QuotesIntent[] = [];
    view$
      .pipe(grid.bind(PARAMS)(testContext({ makerFeeBps: () => feeBps })))
      .subscribe((intent) => found.push(intent as QuotesIntent));
    view$.next(testView({ positionLots: SIZE }));
    feeBps = 200;
    view$.next(testView({ positionLots: SIZE }));
    const [before, after] = found.map(
      ({ quotes }) => new Set(quotes.map((one: Quote) => one.side)),
    );
    expect(before).toEqual(new Set(["BUY", "SELL"]));
    expect(after).toEqual(new Set(["SELL"]));
    expect(found[1].reason.clamps[0]).toContain("at the present maker fee of 200 bps");
  });
});

describe("the plan of a grid", () => {
  it("is the position at each level, for explain", () => {
    const { inventoryPlan } = grid.bind({ ...PARAMS, cells: 2 });
    expect(inventoryPlan?.(testContext())).toEqual({
      levels: [
        { ticks: 9000, positionLots: SIZE },
        { ticks: 10_000, positionLots: 0 },
        { ticks: 11_000, positionLots: -SIZE },
      ],
    });
  });
});
