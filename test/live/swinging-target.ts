import { defineStrategy } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

/**
 * A taker: wants to be long for some views of the market, then short, and pays the touch for it.
 */
export default defineStrategy({
  params: z.strictObject({ targetLots: z.int().positive(), looks: z.int().positive() }),
  create:
    ({ targetLots, looks }) =>
    (view$) =>
      view$.pipe(
        map((view, count) => {
          const side = Math.floor(count / looks) % 2 === 0 ? 1 : -1;
          const midTicks = Math.round(view.microPrice);
          return {
            kind: "target",
            marketId: view.marketId,
            viewSequence: view.sequence,
            targetLots: side * targetLots,
            worstTicks: midTicks + side * Math.ceil(midTicks / 1000),
            schedule: { sliceLots: Math.ceil(targetLots / 2), everyMs: 500 },
            deadlineMs: view.timeMs + 60_000,
            reason: {
              fairTicks: midTicks,
              reservationTicks: midTicks,
              halfSpreadTicks: 0,
              terms: {},
              clamps: [],
            },
          } as const;
        }),
      ),
});
