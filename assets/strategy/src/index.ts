import { defineStrategy, EwmaVolatility, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

/** One bid and one ask, wider in a volatile market and lower the longer the position. */
export default defineStrategy({
  params: z.object({
    /** Least half spread. */
    halfSpreadBps: z.number().positive(),
    /** Half spread per unit of volatility: standard deviation of a second's move. */
    volatilityFactor: z.number().nonnegative().default(0.5),
    /** How far the largest position moves both quotes. */
    skewBps: z.number().nonnegative(),
    sizeBase: z.number().positive(),
  }),
  // Called once for each market: its variables keep their values from view to view.
  create: ({ halfSpreadBps, volatilityFactor, skewBps, sizeBase }) => {
    const volatility = new EwmaVolatility({ windowMs: 60_000, sampleMs: 1000 });
    return (view$) =>
      view$.pipe(
        map((view) => {
          volatility.observe(view.midTicks, view.timeMs);
          const sigmaBps = ((volatility.sigma ?? 0) / view.midTicks) * 10_000;
          const inventory = view.positionLots / view.maxPositionLots; // -1 to 1
          const fairTicks = view.microPrice * (1 - (inventory * skewBps) / 10_000);
          const intent = quoteAround(view, fairTicks, {
            halfSpreadBps: Math.max(halfSpreadBps, volatilityFactor * sigmaBps),
            sizeBase,
          });
          return { ...intent, reason: { ...intent.reason, terms: { inventory, sigmaBps } } };
        }),
      );
  },
});
