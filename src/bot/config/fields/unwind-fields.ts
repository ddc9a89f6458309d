import { z } from "zod";
import { countField, durationField, quoteField } from "./config-fields.js";

/**
 * How an acquired position is sold: `liquidator.unwind` of a bot's file. Every field has a default.
 */
export const unwindShape = z
  .strictObject({
    makerFirstMs: durationField(
      "How long an acquired position is only offered, by quotes that never take.",
      { min: 0 },
    ).default(15_000),
    horizonMs: durationField(
      "How long after that the remainder is sold by taking. What is unsold at the end is kept, and reported.",
      { min: 1000 },
    ).default(60_000),
    slices: countField(
      "Number of parts of the horizon, each with at most one planned taking order.",
      { max: 200 },
    ).default(10),
    riskAversion: z
      .number()
      .min(0)
      .max(1e6)
      .describe(
        "Lambda of Almgren and Chriss, per quote unit: 0 sells in even parts; the larger, the earlier it sells.",
      )
      .default(1e-4),
    maxSlippageBps: z
      .number()
      .gt(0)
      .max(5000)
      .describe(
        "Limit price of the unwinding: at most this far beyond the mark at the takeover or the price of the takeover, whichever is worse to sell at.",
      )
      .default(100),
    layOff: z
      .enum(["cheaper", "here", "hedge"])
      .describe(
        "In a market with `hedge`: cheaper sells it here or lays it off at the hedge venue, whichever costs less. here always sells it, without a hedge; hedge always lays it off.",
      )
      .default("cheaper"),
    dustQuote: quoteField("A remainder of less than this at the mark is not sold").optional(),
  })
  .prefault({})
  .describe("How an acquired position is sold.");

/** The validated {@link unwindShape}. */
export type UnwindConfig = Readonly<z.output<typeof unwindShape>>;

/** Used if a bot's file does not have this section. */
export const DEFAULT_UNWIND: UnwindConfig = unwindShape.parse({});
