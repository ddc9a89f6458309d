import { map } from "rxjs";
import { z } from "zod";
import type { MarketView } from "#market/view.js";
import { quoteAround } from "#strategies/quote-around.js";
import { defineStrategy, type Strategy } from "#strategies/strategy.js";

const HALF_SPREAD_BPS = 3;
const SIZE_BASE = 0.02;
/** Shift of the quotes with a position of 0.2 base: the bot's own mid is not the market's. */
const SKEW_BPS = 6;
const SKEW_BASE = 0.2;

/**
 * Quotes around the reference price, and around the mid without one, as a strategy should.
 * @param onReference receives the reference of each view
 */
export function referenceStrategy(
  onReference: (reference: MarketView["reference"]) => void = () => {},
): Strategy {
  return defineStrategy({
    params: z.object({}),
    create: () => (view$) =>
      view$.pipe(
        map((view: MarketView) => {
          onReference(view.reference);
          const { fairTicks = Number.NaN } = view.reference ?? {};
          const middle = Number.isNaN(fairTicks) ? view.midTicks : fairTicks;
          const positionBase = view.positionLots * view.instrument.lotBase;
          const skew = (-SKEW_BPS / 10_000) * (positionBase / SKEW_BASE);
          return quoteAround(view, middle * (1 + skew), {
            halfSpreadBps: HALF_SPREAD_BPS,
            sizeBase: SIZE_BASE,
          });
        }),
      ),
  });
}
