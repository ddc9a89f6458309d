import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TapeBuilder } from "#history/tape-builder.js";
import { builtInStrategies } from "#strategies/built-in.js";
import {
  type BoundStrategy,
  defineStrategy,
  type Strategy,
  VIEW_LEVELS,
} from "#strategies/strategy.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage } from "../backtest/engine/replay-stage.js";

const LEVELS = 30;
const PARAMS = z.object({});

/** Levels per side that a strategy receives of a book of thirty. */
function shown(viewLevels?: number): readonly number[] {
  const seen: number[][] = [];
  const strategy = defineStrategy({
    params: PARAMS,
    create: (_params, context) =>
      quoting(({ bids, asks }) => {
        seen.push([bids.length, asks.length]);
        return [];
      })(context),
    ...(viewLevels === undefined ? {} : { viewLevels }),
  });
  const builder = new TapeBuilder({ marketId: MARKET, ...GRID }).snapshot(NOON_US, NOON_US);
  for (let away = 1; away <= LEVELS; away++)
    builder.level("BUY", 600_000 - away, 5).level("SELL", 600_000 + away, 5);
  const strategies: Record<string, BoundStrategy> = { [MARKET]: strategy.bind({}) };
  const stage = new ReplayStage({
    markets: { [MARKET]: { grade: "books", tape: builder.build() } },
    strategies,
  });
  stage.run.play(NOON_US + 1_000_000);
  stage.run.finish();
  expect(seen.length).toBeGreaterThan(5);
  return seen.at(-1) ?? [];
}

describe("a strategy's view", () => {
  it("has twenty levels per side by default, else as many as the strategy requests", () => {
    expect(shown()).toEqual([VIEW_LEVELS, VIEW_LEVELS]);
    expect(shown(3)).toEqual([3, 3]);
    expect(shown(50)).toEqual([LEVELS, LEVELS]);
  });

  it("has only the best level for the built-in strategies, which read no other", () => {
    for (const [name, { definition }] of Object.entries(builtInStrategies))
      expect(definition.viewLevels, name).toBe(1);
  });

  it("is frozen for every strategy, since the bot and other strategies read the same levels", () => {
    const frozenParts = (strategy: Strategy): readonly boolean[] => {
      const tape = new TapeBuilder({ marketId: MARKET, ...GRID })
        .snapshot(NOON_US, NOON_US)
        .level("BUY", 599_999, 5)
        .level("SELL", 600_001, 5);
      const strategies: Record<string, BoundStrategy> = {
        [MARKET]: strategy.bind({ halfSpreadBps: 3, sizeBase: 0.02 }),
      };
      const stage = new ReplayStage({
        markets: { [MARKET]: { grade: "books", tape: tape.build() } },
        strategies,
      });
      stage.run.play(NOON_US + 1_000_000);
      const view = stage.run.bot.context.traders.get(MARKET)?.lastView;
      expect(view).toBeDefined();
      return [view, view?.bids, view?.asks, view?.bids[0], view?.asks[0]].map(Object.isFrozen);
    };
    const own = {
      params: z.object({ halfSpreadBps: z.number(), sizeBase: z.number() }),
      create: () => quoting(() => [])({} as never),
      // Strategies written for an earlier version may request views that are not locked.
      lockedViews: false,
    };
    for (const strategy of [defineStrategy(own), builtInStrategies.ladder as Strategy])
      expect(frozenParts(strategy)).toEqual([true, true, true, true, true]);
  });

  it.each([0, 1.5, Number.NaN, -1])(
    "cannot have %s levels: the definition of the strategy fails",
    (viewLevels) => {
      expect(() =>
        defineStrategy({
          params: PARAMS,
          create: (_params, context) => quoting(() => [])(context),
          viewLevels,
        }),
      ).toThrow(expect.objectContaining({ field: "viewLevels", value: viewLevels }));
    },
  );
});
