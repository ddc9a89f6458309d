import { z } from "zod";
import { DAY_MS } from "../../core/units.js";

const leverage = z.number().min(1).max(1_000);

/** `leveraged: { ... }` of a synthetic flow: traders with accounts of their own near their highest leverage. Every key may be left out. */
export const leveragedShape = z.strictObject({
  /** Accounts. */
  count: z.int().min(1).max(1_000).default(10),
  /** Median credit of an account, which it deposits at first and comes back to after a liquidation. */
  creditQuote: z.number().min(1).max(1e9).default(1_000),
  /** Standard deviation of that credit's logarithm. */
  sizeSigma: z.number().min(0).max(2).default(0.5),
  /** Notional over net value, drawn evenly; from 85 to 97 % of the market's `maxLeverage` when left out. */
  leverage: z
    .strictObject({ min: leverage, max: leverage })
    .refine(({ min, max }) => min <= max, {
      path: ["min"],
      message: "is above max",
      params: { expected: "at most max, which is written beside it" },
    })
    .optional(),
  /** From the flow's start each account opens its first position at an instant drawn evenly within so long. */
  openWithinMs: z.int().min(0).max(DAY_MS).default(20_000),
  /** Mean time for which an account keeps its position before it changes it; 0: it never does. */
  holdMs: z
    .int()
    .min(0)
    .max(7 * DAY_MS)
    .default(180_000),
  /** From a liquidation until the account deposits and trades again. */
  pauseMs: z
    .int()
    .min(0)
    .max(7 * DAY_MS)
    .default(20_000),
  /** The share of accounts whose credit carries positions in every market with such traders, five at most. */
  severalMarketsShare: z.number().min(0).max(1).default(0),
  /** Looks a second of one account at its position. */
  looksPerSecond: z.number().min(0.01).max(100).default(1),
});

/** Traders near their highest leverage, checked. */
export type LeveragedParams = z.output<typeof leveragedShape>;
