import { z } from "zod";
import { DAY_MS } from "../../core/units.js";

const leverage = z.number().min(1).max(1_000);

/**
 * `leveraged: { ... }` of a synthetic flow: traders with their own accounts near their highest
 * leverage. Every key is optional.
 */
export const leveragedShape = z.strictObject({
  /** The number of accounts. */
  count: z.int().min(1).max(1_000).default(10),
  /** Median credit of an account: its first deposit, and its credit after a liquidation. */
  creditQuote: z.number().min(1).max(1e9).default(1_000),
  /** Standard deviation of that credit's logarithm. */
  sizeSigma: z.number().min(0).max(2).default(0.5),
  /**
   * Notional over net value, drawn evenly; when left out, from 85 to 97 % of the market's
   * `maxLeverage`.
   */
  leverage: z
    .strictObject({ min: leverage, max: leverage })
    .refine(({ min, max }) => min <= max, {
      path: ["min"],
      message: "is above max",
      params: { expected: "at most max of the same setting" },
    })
    .optional(),
  /**
   * The period from the flow's start within which each account opens its first position, at an
   * instant drawn evenly.
   */
  openWithinMs: z.int().min(0).max(DAY_MS).default(20_000),
  /** Mean time for which an account holds its position before it changes it; 0: it never does. */
  holdMs: z
    .int()
    .min(0)
    .max(7 * DAY_MS)
    .default(180_000),
  /** The time from a liquidation until the account deposits and trades again. */
  pauseMs: z
    .int()
    .min(0)
    .max(7 * DAY_MS)
    .default(20_000),
  /**
   * The fraction of accounts that hold positions in every market with such traders, five at most.
   */
  severalMarketsShare: z.number().min(0).max(1).default(0),
  /** Checks per second of one account's position. */
  looksPerSecond: z.number().min(0.01).max(100).default(1),
});

/** Traders near their highest leverage, checked. */
export type LeveragedParams = z.output<typeof leveragedShape>;
