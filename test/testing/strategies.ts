import { map, type OperatorFunction } from "rxjs";
import { z } from "zod";
import type { MarketView } from "#market/view.js";
import type { Intent } from "#strategies/intent.js";
import { quoteAround } from "#strategies/quote-around.js";
import { defineStrategy, type Strategy, type StrategyContext } from "#strategies/strategy.js";

/** A strategy around the mid, with an inventory skew. */
export const SKEWED = defineStrategy({
  params: z.object({ halfSpreadBps: z.number().positive(), skewBps: z.number().nonnegative() }),
  create:
    ({ halfSpreadBps, skewBps }) =>
    (view$) =>
      view$.pipe(
        map((view) => {
          const inventory = view.positionLots / view.maxPositionLots;
          const fairTicks = view.midTicks * (1 - (inventory * skewBps) / 10_000);
          return quoteAround(view, fairTicks, { halfSpreadBps, sizeBase: 0.01 });
        }),
      ),
});

/** Parameters of {@link SKEWED} that trade within a few ticks of the mid. */
export const CLOSE = { halfSpreadBps: 0.03, skewBps: 0.02 };

/** A strategy without parameters. */
export function strategyOf(
  create: (context: StrategyContext) => OperatorFunction<MarketView, Intent>,
): Strategy {
  return defineStrategy({ params: z.object({}), create: (_params, context) => create(context) });
}

/** A strategy whose half spread, in basis points, is computed for each view. */
export function spreadOf(halfSpreadBps: (view: MarketView) => number): Strategy {
  return strategyOf(
    () => (view$) =>
      view$.pipe(
        map((view) =>
          quoteAround(view, view.midTicks, { halfSpreadBps: halfSpreadBps(view), sizeBase: 0.01 }),
        ),
      ),
  );
}
