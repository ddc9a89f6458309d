import { z } from "zod";
import { exactlyOneOf } from "../../core/config/key-rules.js";

/** Worst price of a work without another bound, in basis points from the mid at its start. */
export const WORK_SLIPPAGE_BPS = 50;

/** Parameters of {@link workPosition} (docs/reference/work.md). */
export const workParams = z
  .strictObject({
    targetBase: z
      .number()
      .describe("Signed position to hold at the end, in base units: a multiple of the step."),
    style: z
      .enum(["twap", "pov", "almgren-chriss"])
      .describe(
        "The schedule: even parts, a share of the traded volume, or the trajectory of Almgren and Chriss.",
      )
      .default("twap"),
    byMs: z.int().min(0).describe("When the work ends, milliseconds since 1970.").optional(),
    withinMs: z
      .int()
      .min(1000)
      .describe("When the work ends, milliseconds after the first view.")
      .optional(),
    limitPriceQuote: z
      .number()
      .gt(0)
      .describe("No order is worse than this price, in quote.")
      .optional(),
    maxSlippageBps: z
      .number()
      .gt(0)
      .max(5000)
      .describe(
        `No order is worse than the mid at the start by more, in basis points. Default: ${WORK_SLIPPAGE_BPS} without a limit price.`,
      )
      .optional(),
    slices: z
      .int()
      .min(1)
      .max(1000)
      .describe("Number of slices. Default: one for each 30 s, from 5 to 120.")
      .optional(),
    participation: z
      .number()
      .gt(0)
      .max(1)
      .describe("Share of the traded volume, of the style pov.")
      .default(0.1),
    riskAversion: z
      .number()
      .min(0)
      .max(1e6)
      .describe("Lambda of Almgren and Chriss, per quote unit: 0 trades in even parts.")
      .default(1e-4),
    volatilityBps: z
      .number()
      .gt(0)
      .max(1000)
      .describe(
        "Volatility of almgren-chriss, in basis points per square root of a second. Default: measured.",
      )
      .optional(),
    taker: z
      .enum(["behind", "never"])
      .describe("Whether lots that the schedule has due are taken, or only ever offered.")
      .default("behind"),
  })
  .superRefine(({ byMs, withinMs }, context) => {
    if ((byMs === undefined) === (withinMs === undefined))
      context.addIssue({
        code: "custom",
        path: ["byMs"],
        input: byMs,
        message: "byMs and withinMs exclude each other, and one is needed",
        params: { expected: "exactly one of byMs and withinMs" },
      });
  })
  .meta({ allOf: [exactlyOneOf("byMs", "withinMs")] });

/** The validated {@link workParams}. */
export type WorkParams = z.output<typeof workParams>;
